// An out-of-bounds atomic, which the toolkit's headers execute.
#include <cuda_runtime.h>
__global__ void k(int *h, int n) {
  atomicAdd(&h[n], 1);
}
int main() {
  int *h;
  cudaMalloc(&h, 64);
  k<<<1, 1>>>(h, 16);
  return cudaDeviceSynchronize();
}
