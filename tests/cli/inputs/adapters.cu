// Calls the adapters of examples/pools as PyTorch, Thrust and CUB do. The first argument names the framework, the second how many elements a
// kernel writes to an array of 100.
#include "exact_allocator.h"
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dlfcn.h>
#include <sys/types.h>

__global__ void fill(int *a, int n) {
  if (threadIdx.x < n)
    a[threadIdx.x] = threadIdx.x;
}

static int last(const int *a, int n) {
  int value = -1;
  cudaMemcpy(&value, a + n - 1, sizeof value, cudaMemcpyDeviceToHost);
  return value;
}

// torch.cuda.memory.CUDAPluggableAllocator(path, "exact_malloc", "exact_free")
static int torch(int n) {
  void *library = dlopen("./libexact_allocator.so", RTLD_NOW);
  auto *allocate = (void *(*)(ssize_t, int, cudaStream_t))dlsym(library, "exact_malloc");
  auto *release = (void (*)(void *, ssize_t, int, cudaStream_t))dlsym(library, "exact_free");
  cudaStream_t stream;
  cudaStreamCreate(&stream);
  int *a = (int *)allocate(400, 0, stream), *b = (int *)allocate(400, 0, stream);
  fill<<<1, 128, 0, stream>>>(a, n);
  cudaStreamSynchronize(stream);
  int result = last(a, 100);
  release(a, 400, 0, stream);
  release(b, 400, 0, stream);
  return result;
}

static int thrust(int n) {
  ExactAllocator allocator;
  char *a = allocator.allocate(400);
  fill<<<1, 128>>>((int *)a, n);
  int result = last((int *)a, 100);
  allocator.deallocate(a, 400);
  return result;
}

static int cub(int n) {
  ExactDeviceAllocator allocator;
  void *a;
  allocator.DeviceAllocate(&a, 400);
  fill<<<1, 128>>>((int *)a, n);
  int result = last((int *)a, 100);
  allocator.DeviceFree(a);
  return result;
}

int main(int, char **argv) {
  int n = atoi(argv[2]);
  printf("%d\n", !strcmp(argv[1], "torch") ? torch(n) : !strcmp(argv[1], "thrust") ? thrust(n) : cub(n));
  return cudaDeviceSynchronize();
}
