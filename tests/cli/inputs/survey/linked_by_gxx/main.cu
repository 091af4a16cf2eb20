// The bug of ../bug must also be found if nvcc does not link the program.
#include <cstdio>

__global__ void fill(int *p) {
  p[threadIdx.x] = 1;
}

int main() {
  int *device;
  cudaMalloc(&device, 31 * sizeof(int));
  fill<<<1, 32>>>(device);
  cudaDeviceSynchronize();
  puts("PASSED");
  return 0;
}
