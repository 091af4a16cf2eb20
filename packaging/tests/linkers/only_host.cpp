#include <cuda_runtime.h>

int main() {
  void *memory;
  return cudaMalloc(&memory, 4) != cudaSuccess || cudaMemset(memory, 0, 5) == cudaSuccess;
}
