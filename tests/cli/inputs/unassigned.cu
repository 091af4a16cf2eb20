// A pool that NVTX declares, and an access to memory that it has not handed out.
#include "../../nvtx_pool.h"

__global__ void put(int *a) {
  a[0] = 1; // BUG
}

int main() {
  char *pool;
  cudaMalloc(&pool, 4096);
  Registered::segment(pool, 4096);
  put<<<1, 1>>>((int *)(pool + 2048));
  return cudaDeviceSynchronize();
}
