// Whichever form of a kernel runs, the program sees one kernel: lists contain its own, and what it sets holds for every launch.
#include "../check.h"
#include <cuda.h>

extern "C" __global__ void fill(float *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] = i;
}

extern "C" __global__ void reverse(float *to, int n) {
  extern __shared__ float tile[];
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    tile[i] = to[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    to[i] = tile[n - 1 - i];
}

// As reverse, but first launched with little memory.
extern "C" __global__ void turn(float *to, int n) {
  extern __shared__ float tile[];
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    tile[n - 1 - i] = to[i];
  __syncthreads();
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    to[i] = tile[i];
}

static const int large = 15 << 10, bytes = large * sizeof(float); // 60 KiB: a kernel has to ask for that

template <typename F> static F driver(const char *name) {
  void *address = nullptr;
  cudaDriverEntryPointQueryResult found;
  CU(cudaGetDriverEntryPointByVersion(name, &address, 12050, cudaEnableDefault, &found));
  EXPECT(found == cudaDriverEntryPointSuccess);
  return (F)address;
}

static void list_kernels() {
  auto module_of = driver<CUresult (*)(CUmodule *, CUfunction)>("cuFuncGetModule");
  auto count_of = driver<CUresult (*)(unsigned *, CUmodule)>("cuModuleGetFunctionCount");
  auto list = driver<CUresult (*)(CUfunction *, unsigned, CUmodule)>("cuModuleEnumerateFunctions");
  auto name_of = driver<CUresult (*)(const char **, CUfunction)>("cuFuncGetName");
  cudaFunction_t handle;
  CUmodule module;
  CUfunction functions[8] = {};
  unsigned count = 0, own = 0;
  CU(cudaGetFuncBySymbol(&handle, (const void *)fill));
  EXPECT(module_of(&module, handle) == CUDA_SUCCESS);
  EXPECT(count_of(&count, module) == CUDA_SUCCESS && count == 3);
  EXPECT(list(functions, 8, module) == CUDA_SUCCESS);
  for (int i = 0; i < 8 && functions[i]; i++) {
    const char *name = "";
    EXPECT(name_of(&name, functions[i]) == CUDA_SUCCESS);
    own += !strcmp(name, "fill") || !strcmp(name, "reverse") || !strcmp(name, "turn");
    count--;
  }
  EXPECT(own == 3 && count == 0);
}

static void reversed(Array<float> &a) {
  a.download();
  for (int i = 0; i < large; i++)
    EXPECT(a[i] == large - 1 - i);
}

int main() {
  // Before anything else, when nothing is loaded yet.
  CU(cudaFuncSetAttribute(reverse, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  Array<float> a(large);
  list_kernels();
  fill<<<large / 256, 256>>>(a.device, large);
  LAUNCHED();
  reverse<<<1, 256, bytes>>>(a.device, large);
  LAUNCHED();
  reversed(a);
  // After the kernel was launched.
  turn<<<1, 256, 1024>>>(a.device, 256);
  turn<<<1, 256, 1024>>>(a.device, 256);
  turn<<<1, 256, bytes>>>(a.device, large);
  EXPECT(cudaGetLastError() != cudaSuccess);
  CU(cudaFuncSetAttribute(turn, cudaFuncAttributeMaxDynamicSharedMemorySize, bytes));
  fill<<<large / 256, 256>>>(a.device, large);
  turn<<<1, 256, bytes>>>(a.device, large);
  LAUNCHED();
  reversed(a);
  return verdict();
}
