// carve_across.cu: a sub-allocation that has no addresses of its own: it crosses a multiple of 128 MiB of its buffer.
#include <cstdio>
#include <cusafe/cusafe.h>

__global__ void fill(int *p, int n) {
  if (threadIdx.x < n)
    p[threadIdx.x] = 1;
}

int main() {
  const size_t end = (size_t)128 << 20;
  char *pool;
  cudaMalloc(&pool, 2 * end);
  fill<<<1, 128>>>((int *)cusafe_carve(pool + end - 200, 400), 101);
  printf("%d\n", cudaDeviceSynchronize());
}
