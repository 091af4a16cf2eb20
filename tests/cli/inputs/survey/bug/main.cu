// The last thread writes past the end of the buffer; the program's own check does not notice.
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
