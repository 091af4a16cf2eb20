// As in bug: the checks must be there as well when nvcc does not link.
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
