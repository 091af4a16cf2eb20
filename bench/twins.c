/* twins.c: runs six kernels of the bench, hand-written in OpenCL C, with plain OpenCL on the engine of the CPU
 * device. */
#define CL_TARGET_OPENCL_VERSION 300
#include "twin.h"
#include <CL/cl.h>
#include <stdarg.h>

static cl_context context;
static cl_command_queue queue;
static cl_program program;

static void check(cl_int status, const char *what) {
  if (status == CL_SUCCESS)
    return;
  fprintf(stderr, "twin: %s: OpenCL error %d\n", what, status);
  exit(1);
}

/* Prefers a device that accepts SPIR-V, the CPU device's engine; Oclgrind has one device, which does not. */
static cl_device_id find_device(void) {
  cl_platform_id platforms[16];
  cl_uint count = 0;
  cl_device_id chosen = NULL;
  check(clGetPlatformIDs(16, platforms, &count), "clGetPlatformIDs");
  for (cl_uint i = 0; i < count && i < 16; i++) {
    cl_device_id id;
    char il[256] = "";
    if (clGetDeviceIDs(platforms[i], CL_DEVICE_TYPE_ALL, 1, &id, NULL) != CL_SUCCESS)
      continue;
    clGetDeviceInfo(id, CL_DEVICE_IL_VERSION, sizeof il, il, NULL);
    if (!chosen || strstr(il, "SPIR-V"))
      chosen = id;
  }
  if (!chosen)
    die("no OpenCL device found: set OCL_ICD_VENDORS");
  return chosen;
}

static char *read_source(void) {
  const char *path = getenv("BENCH_TWINS_CL");
  FILE *f = path ? fopen(path, "rb") : NULL;
  if (!f)
    die("BENCH_TWINS_CL does not name the kernels' source");
  char *text = allocate(1 << 16);
  size_t length = fread(text, 1, (1 << 16) - 1, f);
  fclose(f);
  text[length] = '\0';
  return text;
}

static void start(void) {
  cl_device_id device = find_device();
  cl_int status;
  context = clCreateContext(NULL, 1, &device, NULL, NULL, &status);
  check(status, "clCreateContext");
  queue = clCreateCommandQueueWithProperties(context, device, NULL, &status);
  check(status, "clCreateCommandQueueWithProperties");
  char *text = read_source();
  program = clCreateProgramWithSource(context, 1, (const char **)&text, NULL, &status);
  check(status, "clCreateProgramWithSource");
  check(clBuildProgram(program, 1, &device, "", NULL, NULL), "clBuildProgram");
  free(text);
}

static cl_kernel kernel(const char *name) {
  cl_int status;
  cl_kernel made = clCreateKernel(program, name, &status);
  check(status, name);
  return made;
}

static cl_mem buffer(const void *data, size_t bytes) {
  cl_int status;
  cl_mem made = clCreateBuffer(context, CL_MEM_READ_WRITE, bytes, NULL, &status);
  check(status, "clCreateBuffer");
  if (data)
    check(clEnqueueWriteBuffer(queue, made, CL_TRUE, 0, bytes, data, 0, NULL, NULL), "clEnqueueWriteBuffer");
  return made;
}

static float *result(cl_mem from, size_t count) {
  float *data = allocate(count * sizeof *data);
  check(clEnqueueReadBuffer(queue, from, CL_TRUE, 0, count * sizeof *data, data, 0, NULL, NULL), "clEnqueueReadBuffer");
  return data;
}

/* Sets the arguments: m is a buffer, i an int, f a float, l the bytes of local memory. */
static void set(cl_kernel k, const char *kinds, ...) {
  va_list list;
  va_start(list, kinds);
  for (cl_uint i = 0; kinds[i]; i++) {
    cl_mem m;
    cl_int n;
    cl_float f;
    cl_int status = CL_SUCCESS;
    if (kinds[i] == 'm')
      m = va_arg(list, cl_mem), status = clSetKernelArg(k, i, sizeof(cl_mem), (void *)&m);
    else if (kinds[i] == 'i')
      n = va_arg(list, int), status = clSetKernelArg(k, i, sizeof n, &n);
    else if (kinds[i] == 'f')
      f = (float)va_arg(list, double), status = clSetKernelArg(k, i, sizeof f, &f);
    else
      status = clSetKernelArg(k, i, (size_t)va_arg(list, int), NULL);
    check(status, "clSetKernelArg");
  }
  va_end(list);
}

static size_t rounded(int count, size_t group) {
  return ((size_t)count + group - 1) / group * group;
}

static void run1(cl_kernel k, int count, size_t group) {
  size_t global = rounded(count, group);
  check(clEnqueueNDRangeKernel(queue, k, 1, NULL, &global, &group, 0, NULL, NULL), "clEnqueueNDRangeKernel");
}

static void run2(cl_kernel k, int x, int y, size_t gx, size_t gy) {
  size_t global[2] = {rounded(x, gx), rounded(y, gy)}, group[2] = {gx, gy};
  check(clEnqueueNDRangeKernel(queue, k, 2, NULL, global, group, 0, NULL, NULL), "clEnqueueNDRangeKernel");
}

static void finish(void) {
  check(clFinish(queue), "clFinish");
}

/* The data of the running twin. */
static int n;
static float *host[4];
static cl_mem on_device[8];
static cl_kernel kernels[2];

static void make_gemm(int size) {
  n = size;
  size_t count = (size_t)n * n;
  for (uint32_t i = 0; i < 3; i++) {
    host[i] = floats(count, i + 1);
    on_device[i] = buffer(host[i], count * sizeof(float));
  }
  kernels[0] = kernel("gemm");
  kernels[1] = kernel("gemm_tiled");
  set(kernels[0], "mmmiff", on_device[0], on_device[1], on_device[2], n, 1.5, 1.2);
  set(kernels[1], "mmmi", on_device[0], on_device[1], on_device[2], n);
}

static void prepare_gemm(void) {
  check(clEnqueueWriteBuffer(queue, on_device[2], CL_TRUE, 0, (size_t)n * n * sizeof(float), host[2], 0, NULL, NULL),
        "clEnqueueWriteBuffer");
}

static void launch_gemm(void) {
  run2(kernels[0], n, n, 32, 8);
  finish();
}

static void launch_tiled(void) {
  run2(kernels[1], n, n, 16, 16);
  finish();
}

static long product_differences(double alpha, double beta) {
  size_t count = (size_t)n * n;
  double *sums = allocate(count * sizeof *sums);
  for (int i = 0; i < n; i++) {
    double *row = sums + (size_t)i * n;
    for (int j = 0; j < n; j++)
      row[j] = beta * host[2][(size_t)i * n + j];
    for (int k = 0; k < n; k++)
      for (int j = 0; j < n; j++)
        row[j] += alpha * host[0][(size_t)i * n + k] * host[1][(size_t)k * n + j];
  }
  float *got = result(on_device[2], count);
  long wrong = differences(got, sums, count);
  free(got);
  free(sums);
  return wrong;
}

static long verify_gemm(void) {
  return product_differences(1.5, 1.2);
}

static long verify_tiled(void) {
  return product_differences(1, 0);
}

static void make_atax(int size) {
  n = size;
  size_t count = (size_t)n * n, bytes = (size_t)n * sizeof(float);
  host[0] = floats(count, 1);
  host[1] = floats((size_t)n, 2);
  on_device[0] = buffer(host[0], count * sizeof(float));
  on_device[1] = buffer(host[1], bytes);
  on_device[2] = buffer(NULL, bytes);
  on_device[3] = buffer(NULL, bytes);
  kernels[0] = kernel("row_products");
  kernels[1] = kernel("column_products");
  set(kernels[0], "mmmii", on_device[0], on_device[1], on_device[2], n, n);
  set(kernels[1], "mmmii", on_device[0], on_device[2], on_device[3], n, n);
}

static void launch_atax(void) {
  run1(kernels[0], n, 64);
  run1(kernels[1], n, 64);
  finish();
}

static long verify_atax(void) {
  double *y = allocate((size_t)n * sizeof *y);
  for (int i = 0; i < n; i++) {
    const float *row = host[0] + (size_t)i * n;
    double sum = 0;
    for (int j = 0; j < n; j++)
      sum += (double)row[j] * host[1][j];
    for (int j = 0; j < n; j++)
      y[j] += row[j] * sum;
  }
  float *got = result(on_device[3], (size_t)n);
  long wrong = differences(got, y, (size_t)n);
  free(got);
  free(y);
  return wrong;
}

enum { STEPS = 10 };

static void make_jacobi(int size) {
  n = size;
  size_t count = (size_t)n * n;
  host[0] = floats(count, 1);
  for (int i = 0; i < 2; i++) {
    on_device[i] = buffer(host[0], count * sizeof(float));
    kernels[i] = kernel("jacobi2d");
  }
  set(kernels[0], "mmi", on_device[0], on_device[1], n);
  set(kernels[1], "mmi", on_device[1], on_device[0], n);
}

static void prepare_jacobi(void) {
  check(clEnqueueWriteBuffer(queue, on_device[0], CL_TRUE, 0, (size_t)n * n * sizeof(float), host[0], 0, NULL, NULL),
        "clEnqueueWriteBuffer");
}

static void launch_jacobi(void) {
  for (int t = 0; t < STEPS; t++)
    run2(kernels[t % 2], n - 2, n - 2, 32, 8);
  finish();
}

static long verify_jacobi(void) {
  size_t count = (size_t)n * n;
  double *grids[2] = {allocate(count * sizeof(double)), allocate(count * sizeof(double))};
  for (size_t i = 0; i < count; i++)
    grids[0][i] = grids[1][i] = host[0][i];
  for (int t = 0; t < STEPS; t++)
    for (int y = 1; y < n - 1; y++)
      for (int x = 1; x < n - 1; x++) {
        const double *c = grids[t % 2] + (size_t)y * n + x;
        grids[1 - t % 2][(size_t)y * n + x] = 0.2 * (c[0] + c[-1] + c[1] + c[-n] + c[n]);
      }
  float *got = result(on_device[0], count);
  long wrong = differences(got, grids[0], count);
  free(got);
  free(grids[0]);
  free(grids[1]);
  return wrong;
}

static struct graph graph;

static void make_spmv(int size) {
  n = size;
  graph = graph_of(n);
  size_t edges = (size_t)graph.starts[n];
  host[0] = floats(edges, 1);
  host[1] = floats((size_t)n, 2);
  on_device[0] = buffer(graph.starts, ((size_t)n + 1) * sizeof(int));
  on_device[1] = buffer(graph.edges, edges * sizeof(int));
  on_device[2] = buffer(host[0], edges * sizeof(float));
  on_device[3] = buffer(host[1], (size_t)n * sizeof(float));
  on_device[4] = buffer(NULL, (size_t)n * sizeof(float));
  kernels[0] = kernel("spmv");
  set(kernels[0], "mmmmmi", on_device[0], on_device[1], on_device[2], on_device[3], on_device[4], n);
}

static void launch_spmv(void) {
  run1(kernels[0], n, 128);
  finish();
}

static long verify_spmv(void) {
  double *y = allocate((size_t)n * sizeof *y);
  for (int i = 0; i < n; i++)
    for (int e = graph.starts[i]; e < graph.starts[i + 1]; e++)
      y[i] += (double)host[0][e] * host[1][graph.edges[e]];
  float *got = result(on_device[4], (size_t)n);
  long wrong = differences(got, y, (size_t)n);
  free(got);
  free(y);
  return wrong;
}

enum { PARTS = 512, GROUP = 256 };

static void make_reduction(int size) {
  n = size;
  host[0] = floats((size_t)n, 1);
  on_device[0] = buffer(host[0], (size_t)n * sizeof(float));
  on_device[1] = buffer(NULL, PARTS * sizeof(float));
  on_device[2] = buffer(NULL, sizeof(float));
  kernels[0] = kernel("reduce");
  kernels[1] = kernel("reduce");
  set(kernels[0], "mmil", on_device[0], on_device[1], n, GROUP * (int)sizeof(float));
  set(kernels[1], "mmil", on_device[1], on_device[2], PARTS, GROUP * (int)sizeof(float));
}

static void launch_reduction(void) {
  run1(kernels[0], PARTS * GROUP, GROUP);
  run1(kernels[1], GROUP, GROUP);
  finish();
}

static long verify_reduction(void) {
  double sum = 0;
  for (int i = 0; i < n; i++)
    sum += host[0][i];
  float *got = result(on_device[2], 1);
  long wrong = differences(got, &sum, 1);
  free(got);
  return wrong;
}

int main(int argc, char **argv) {
  static const struct twin twins[] = {
      {"gemm", make_gemm, prepare_gemm, launch_gemm, verify_gemm},
      {"gemm_tiled", make_gemm, NULL, launch_tiled, verify_tiled},
      {"atax", make_atax, NULL, launch_atax, verify_atax},
      {"jacobi2d", make_jacobi, prepare_jacobi, launch_jacobi, verify_jacobi},
      {"spmv", make_spmv, NULL, launch_spmv, verify_spmv},
      {"reduction", make_reduction, NULL, launch_reduction, verify_reduction},
  };
  start();
  return twin_main(argc, argv, twins, sizeof twins / sizeof *twins);
}
