// 2: cudaMalloc gets a number of elements instead of a number of bytes.
#include <cstdio>

__global__ void iota(int *x, int n) {
  int i = threadIdx.x;
  if (i < n)
    x[i] = i;
}

int main() {
  const int n = 512;
  int *x;
  cudaMalloc(&x, n);
  iota<<<1, n>>>(x, n);
  std::printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  cudaFree(x);
}
