#include <cstdio>
#include <cuda_runtime.h>

extern "C" void fill(int *numbers);

int main() {
  int *numbers;
  if (cudaMalloc(&numbers, 31 * sizeof *numbers) != cudaSuccess)
    return 1;
  fill(numbers);
  cudaError_t error = cudaDeviceSynchronize();
  std::printf("%s\n", cudaGetErrorString(error));
  return error == cudaSuccess ? 0 : 2;
}
