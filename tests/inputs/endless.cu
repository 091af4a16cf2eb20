// A kernel that faults and never terminates.
#include <cuda_runtime.h>

__global__ void wait(int *p, int n, volatile int *stop) {
  p[n] = 1;
  while (!*stop)
    ;
}

int main() {
  int *p, *stop;
  cudaMalloc(&p, 64);
  cudaMalloc(&stop, sizeof *stop);
  cudaMemset(stop, 0, sizeof *stop);
  wait<<<1, 1>>>(p, 16, stop);
  return cudaDeviceSynchronize() != cudaSuccess;
}
