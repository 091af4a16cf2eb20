// A library that launches a kernel: it fills ten numbers with as many threads as it is told.
#include <cuda_runtime.h>

__global__ void fill_all(int *numbers) {
  numbers[threadIdx.x] = 1;
}

extern "C" int fill(int threads) {
  int *numbers;
  cudaMalloc(&numbers, 10 * sizeof *numbers);
  fill_all<<<1, threads>>>(numbers);
  int error = cudaDeviceSynchronize();
  cudaFree(numbers);
  return error;
}
