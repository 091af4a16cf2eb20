// first_bug.cu: a kernel that writes one element past the end of its buffer.
//
//   cusafe cc examples/first_bug.cu -o first_bug
//   cusafe run ./first_bug
#include <cstdio>
#include <cuda_runtime.h>

__device__ inline void store(int *squares, int i) {
  squares[i] = i * i;
}

__global__ void fill_squares(int *squares, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n) // the bug: this should be i < n
    store(squares, i);
}

static bool failed(cudaError_t error, const char *what) {
  if (error != cudaSuccess)
    std::fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(error));
  return error != cudaSuccess;
}

int main() {
  const int n = 100;
  int host[n];
  int *squares;
  if (failed(cudaMalloc(&squares, n * sizeof(int)), "cudaMalloc"))
    return 1;

  fill_squares<<<4, 32>>>(squares, n);
  if (failed(cudaGetLastError(), "launch") || failed(cudaDeviceSynchronize(), "fill_squares"))
    return 1;
  if (failed(cudaMemcpy(host, squares, sizeof host, cudaMemcpyDeviceToHost), "cudaMemcpy"))
    return 1;

  std::printf("%d * %d = %d\n", n - 1, n - 1, host[n - 1]);
  cudaFree(squares);
  return 0;
}
