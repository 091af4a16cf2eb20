// A library whose kernel fills ten numbers, with a given number of threads.
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
