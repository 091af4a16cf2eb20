#include <cusafe/cusafe.h>

__global__ void fill(int *p) {
  p[threadIdx.x] = 1;
}

int main() {
  int *pool;
  cudaMalloc(&pool, 128 * sizeof(int));
  cusafe_poison(pool + 60, 68 * sizeof(int)); // not handed out
  fill<<<1, 64>>>(pool);
  return cudaDeviceSynchronize();
}
