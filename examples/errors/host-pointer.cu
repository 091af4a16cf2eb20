#include <cstdlib>

__global__ void fill(int *p) {
  p[threadIdx.x] = 1;
}

int main() {
  int *p = (int *)malloc(64 * sizeof(int)); // should be cudaMalloc
  fill<<<1, 64>>>(p);
  return cudaDeviceSynchronize();
}
