// cost.cu: measures the device memory that a number of buffers takes, with cudaMemGetInfo. Usage: cost COUNT BYTES
#include <cstdio>
#include <cstdlib>
#include <cuda_runtime.h>

__global__ void touch(char *p) {
  *p = 1;
}

static size_t available() {
  size_t free, total;
  if (cudaMemGetInfo(&free, &total) != cudaSuccess)
    exit(1);
  return free;
}

// The first launch loads the module and allocates CuSafe's memory per process, which is printed separately.
int main(int argc, char **argv) {
  if (argc != 3)
    return 2;
  long count = atol(argv[1]), bytes = atol(argv[2]);
  size_t before = available();
  char *p;
  if (cudaMalloc(&p, 1) != cudaSuccess)
    return 1;
  touch<<<1, 1>>>(p);
  if (cudaDeviceSynchronize() != cudaSuccess)
    return 1;
  size_t started = available();
  for (long i = 0; i < count; i++)
    if (cudaMalloc(&p, bytes) != cudaSuccess)
      return 1;
  printf("%zu %zu\n", before - started, started - available());
  return 0;
}
