/* peers.c: three kernels of the bench as plain loops in C, for checkers of host code: AddressSanitizer and Valgrind. */
#include "twin.h"

static int n;
static float *host[4];
static struct graph graph;

static void gemm(const float *a, const float *b, float *c, int size, float alpha, float beta) {
  for (int i = 0; i < size; i++) {
    for (int j = 0; j < size; j++)
      c[i * size + j] *= beta;
    for (int k = 0; k < size; k++)
      for (int j = 0; j < size; j++)
        c[i * size + j] += alpha * a[i * size + k] * b[k * size + j];
  }
}

static void jacobi2d(const float *in, float *out, int size) {
  for (int y = 1; y < size - 1; y++)
    for (int x = 1; x < size - 1; x++)
      out[y * size + x] = 0.2f * (in[y * size + x] + in[y * size + x - 1] + in[y * size + x + 1] +
                                  in[(y - 1) * size + x] + in[(y + 1) * size + x]);
}

static void spmv(const int *starts, const int *columns, const float *values, const float *x, float *y, int rows) {
  for (int row = 0; row < rows; row++) {
    float sum = 0;
    for (int e = starts[row]; e < starts[row + 1]; e++)
      sum += values[e] * x[columns[e]];
    y[row] = sum;
  }
}

static void make_gemm(int size) {
  n = size;
  for (uint32_t i = 0; i < 3; i++)
    host[i] = floats((size_t)n * n, i + 1);
  host[3] = allocate((size_t)n * n * sizeof(float));
}

static void prepare_gemm(void) {
  memcpy(host[3], host[2], (size_t)n * n * sizeof(float));
}

static void launch_gemm(void) {
  gemm(host[0], host[1], host[3], n, 1.5f, 1.2f);
}

/* Compares the row sums: c 1 = alpha a (b 1) + beta c0 1. */
static long verify_gemm(void) {
  double *b = allocate((size_t)n * sizeof *b);
  for (int i = 0; i < n; i++)
    for (int j = 0; j < n; j++)
      b[i] += host[1][i * n + j];
  long wrong = 0;
  for (int i = 0; i < n; i++) {
    double got = 0, expected = 0;
    for (int j = 0; j < n; j++) {
      got += host[3][i * n + j];
      expected += 1.5 * host[0][i * n + j] * b[j] + 1.2 * host[2][i * n + j];
    }
    wrong += !(fabs(got - expected) <= 1e-4 * expected);
  }
  free(b);
  return wrong;
}

enum { STEPS = 10 };

static void make_jacobi(int size) {
  n = size;
  for (int i = 0; i < 3; i++)
    host[i] = floats((size_t)n * n, 1);
}

static void prepare_jacobi(void) {
  memcpy(host[0], host[2], (size_t)n * n * sizeof(float));
}

static void launch_jacobi(void) {
  for (int t = 0; t < STEPS; t++)
    jacobi2d(host[t % 2], host[1 - t % 2], n);
}

static long verify_jacobi(void) {
  size_t count = (size_t)n * n;
  double *grids[2] = {allocate(count * sizeof(double)), allocate(count * sizeof(double))};
  for (size_t i = 0; i < count; i++)
    grids[0][i] = grids[1][i] = host[2][i];
  for (int t = 0; t < STEPS; t++)
    for (int y = 1; y < n - 1; y++)
      for (int x = 1; x < n - 1; x++) {
        const double *c = grids[t % 2] + (size_t)y * n + x;
        grids[1 - t % 2][(size_t)y * n + x] = 0.2 * (c[0] + c[-1] + c[1] + c[-n] + c[n]);
      }
  long wrong = differences(host[0], grids[0], count);
  free(grids[0]);
  free(grids[1]);
  return wrong;
}

static void make_spmv(int size) {
  n = size;
  graph = graph_of(n);
  host[0] = floats((size_t)graph.starts[n], 1);
  host[1] = floats((size_t)n, 2);
  host[2] = allocate((size_t)n * sizeof(float));
}

static void launch_spmv(void) {
  spmv(graph.starts, graph.edges, host[0], host[1], host[2], n);
}

static long verify_spmv(void) {
  double *y = allocate((size_t)n * sizeof *y);
  for (int i = 0; i < n; i++)
    for (int e = graph.starts[i]; e < graph.starts[i + 1]; e++)
      y[i] += (double)host[0][e] * host[1][graph.edges[e]];
  long wrong = differences(host[2], y, (size_t)n);
  free(y);
  return wrong;
}

int main(int argc, char **argv) {
  static const struct twin twins[] = {
      {"gemm", make_gemm, prepare_gemm, launch_gemm, verify_gemm},
      {"jacobi2d", make_jacobi, prepare_jacobi, launch_jacobi, verify_jacobi},
      {"spmv", make_spmv, NULL, launch_spmv, verify_spmv},
  };
  return twin_main(argc, argv, twins, sizeof twins / sizeof *twins);
}
