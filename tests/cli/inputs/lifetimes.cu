// Kernels of the same name, each of which writes its module's number, in contexts that end with their modules loaded.
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <cuda.h>
#include <cusafe/cusafe.h>
#include <string>

#define C(x)                                                                                                           \
  do {                                                                                                                 \
    CUresult e = (x);                                                                                                  \
    if (e) {                                                                                                           \
      printf("%s: error %d\n", #x, e);                                                                                 \
      exit(3);                                                                                                         \
    }                                                                                                                  \
  } while (0)

enum { MODULES = 4, THREADS = 32, ROUNDS = 60 };
static CUdevice device;

// p[tid + (is_shifted ? q : 0)] = value
static std::string kernel(const std::string &name, int value, bool is_shifted) {
  return ".visible .entry " + name +
         "(.param .u64 p, .param .u32 q) {\n.reg .b32 %r<4>;\n.reg .b64 %d<4>;\nld.param.u64 %d1, [p];\n"
         "ld.param.u32 %r1, [q];\ncvta.to.global.u64 %d1, %d1;\nmov.u32 %r2, %tid.x;\n" +
         (is_shifted ? "add.u32 %r2, %r2, %r1;\n" : "") +
         "mul.wide.u32 %d2, %r2, 4;\nadd.s64 %d3, %d1, %d2;\nmov.u32 %r3, " + std::to_string(value) +
         ";\nst.global.u32 [%d3], %r3;\nret;\n}\n";
}

// Kernels around k differ in number, so that modules of different sizes share addresses.
static std::string module_text(int number, bool is_shifted) {
  std::string text = ".version 8.0\n.target sm_80\n.address_size 64\n";
  for (int i = 0; i < number; i++)
    text += kernel("before" + std::to_string(i), 900 + i, false);
  text += kernel("k", number + 1, is_shifted);
  for (int i = 0; i < number / 2; i++)
    text += kernel("after" + std::to_string(i), 800 + i, false);
  return text;
}

static int wrong(CUdeviceptr p, int value) {
  int got[THREADS], wrong = 0;
  C(cuCtxSynchronize());
  C(cuMemcpyDtoH(got, p, sizeof got));
  for (int i = 0; i < THREADS; i++)
    wrong |= got[i] != value;
  return wrong;
}

static int launch(CUfunction f, CUdeviceptr p, int value) {
  int q = 0;
  void *arguments[] = {&p, &q};
  C(cuMemsetD32(p, 0, THREADS));
  C(cuLaunchKernel(f, 1, 1, 1, THREADS, 1, 1, 0, 0, arguments, 0));
  return wrong(p, value);
}

static int results(bool is_library) {
  std::string texts[MODULES];
  CUkernel kernels[MODULES];
  int wrong = 0;
  for (int i = 0; i < MODULES; i++) {
    CUlibrary library;
    texts[i] = module_text(i, false);
    if (!is_library)
      continue;
    C(cuLibraryLoadData(&library, texts[i].c_str(), 0, 0, 0, 0, 0, 0));
    C(cuLibraryGetKernel(&kernels[i], library, "k"));
  }
  srand(1);
  for (int round = 0; round < ROUNDS; round++) {
    CUcontext context;
    CUdeviceptr p;
    C(cuCtxCreate(&context, 0, 0, device));
    C(cuMemAlloc(&p, THREADS * 4));
    for (int n = 1 + rand() % 3; n; n--) {
      int i = rand() % MODULES;
      CUmodule module;
      CUfunction f;
      if (!is_library)
        C(cuModuleLoadData(&module, texts[i].c_str()));
      C(is_library ? cuKernelGetFunction(&f, kernels[i]) : cuModuleGetFunction(&f, module, "k"));
      wrong += launch(f, p, i + 1);
    }
    C(cuMemFree(p));
    C(cuCtxDestroy(context));
  }
  printf("%d contexts, %d wrong results\n", ROUNDS, wrong);
  return wrong != 0;
}

// The third module has another kernel k, which writes past the end of the buffer.
static int error() {
  for (int round = 0; round < 3; round++) {
    CUcontext context;
    CUmodule module;
    CUfunction f;
    CUdeviceptr p;
    int q = round < 2 ? 1 : 90;
    void *arguments[] = {&p, &q};
    C(cuCtxCreate(&context, 0, 0, device));
    C(cuMemAlloc(&p, 400));
    C(cuModuleLoadData(&module, module_text(0, round == 2).c_str()));
    C(cuModuleGetFunction(&f, module, "k"));
    C(cuLaunchKernel(f, 1, 1, 1, THREADS, 1, 1, 0, 0, arguments, 0));
    C(cuCtxSynchronize());
    C(cuMemFree(p));
    C(cuCtxDestroy(context));
  }
  return 0;
}

__device__ int counter;
__global__ void count(int *to, int n) {
  if (threadIdx.x < n)
    to[threadIdx.x] = counter;
}

// The runtime's handle of a kernel is one of the driver, also after a reset; both see the same variables. With `past`, the last launch writes past the end of the
// buffer.
static int runtime_kernel(int past) {
  int seen = 0;
  for (int value = 1; value <= 2; value++) {
    int *p, h[THREADS], n = THREADS;
    cudaKernel_t kernel;
    CUfunction f;
    void *arguments[] = {&p, &n};
    if (cudaMalloc(&p, sizeof h) || cudaMemcpyToSymbol(counter, &value, sizeof value) || cudaGetKernel(&kernel, count))
      return 3;
    count<<<1, THREADS>>>(p, n);
    C(cuKernelGetFunction(&f, (CUkernel)kernel));
    C(cuLaunchKernel(f, 1, 1, 1, THREADS, 1, 1, 0, 0, arguments, 0));
    C(cuLaunchKernel((CUfunction)kernel, 1, 1, 1, THREADS, 1, 1, 0, 0, arguments, 0));
    if (cudaLaunchKernel(kernel, 1, THREADS, arguments, 0, 0) || cudaMemcpy(h, p, sizeof h, cudaMemcpyDefault))
      return 3;
    seen += h[THREADS - 1];
    n += past * 3;
    C(cuLaunchKernel(f, 1, 1, 1, 2 * THREADS, 1, 1, 0, 0, arguments, 0));
    cudaDeviceReset();
  }
  printf("sum %d\n", seen);
  return seen != 3;
}

// A stream that the program turned the checks off for ends with its context. The next stream with its handle is checked.
static int stream_off() {
  CUcontext context;
  CUmodule module;
  CUfunction f;
  CUdeviceptr p;
  CUstream off, stream;
  int q = 90;
  void *arguments[] = {&p, &q};
  C(cuCtxCreate(&context, 0, 0, device));
  C(cuStreamCreate(&off, CU_STREAM_NON_BLOCKING));
  cusafe_stream_checks(off, 0);
  C(cuCtxDestroy(context));
  C(cuCtxCreate(&context, 0, 0, device));
  C(cuStreamCreate(&stream, CU_STREAM_NON_BLOCKING));
  fprintf(stderr, "%s stream\n", stream == off ? "the same" : "another");
  C(cuMemAlloc(&p, 400));
  C(cuModuleLoadData(&module, module_text(0, true).c_str()));
  C(cuModuleGetFunction(&f, module, "k"));
  C(cuLaunchKernel(f, 1, 1, 1, THREADS, 1, 1, 0, stream, arguments, 0));
  C(cuCtxSynchronize());
  return 0;
}

// With stream_order=1: a stream that waits for the legacy stream gets the handle of one that did not.
static int stream_order() {
  CUcontext context;
  CUstream first, stream;
  CUdeviceptr p;
  C(cuCtxCreate(&context, 0, 0, device));
  C(cuStreamCreate(&first, CU_STREAM_NON_BLOCKING));
  C(cuMemAllocAsync(&p, 400, first));
  C(cuMemsetD32Async(p, 0, 100, first));
  C(cuMemFreeAsync(p, first));
  C(cuCtxDestroy(context));
  C(cuCtxCreate(&context, 0, 0, device));
  C(cuStreamCreate(&stream, CU_STREAM_DEFAULT));
  fprintf(stderr, "%s stream\n", stream == first ? "the same" : "another");
  C(cuMemAllocAsync(&p, 400, 0));
  C(cuMemsetD32Async(p, 0, 100, stream));
  C(cuMemFreeAsync(p, stream));
  C(cuCtxSynchronize());
  puts("in order");
  return 0;
}

int main(int, char **argv) {
  C(cuInit(0));
  C(cuDeviceGet(&device, 0));
  if (strcmp(argv[1], "error") == 0)
    return error();
  if (strcmp(argv[1], "stream_off") == 0)
    return stream_off();
  if (strncmp(argv[1], "runtime_kernel", 14) == 0)
    return runtime_kernel(strcmp(argv[1], "runtime_kernel_past") == 0);
  return strcmp(argv[1], "stream_order") == 0 ? stream_order() : results(strcmp(argv[1], "library") == 0);
}
