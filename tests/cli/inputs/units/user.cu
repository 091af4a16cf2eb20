// A program with its own function `square`, and a library that has another.
#include <cstdio>
int in_library();
__device__ int square(int x) {
  return x * x;
}
__global__ void use_own(int *out) {
  *out = square(3);
}
int main() {
  int *out, host;
  cudaMalloc(&out, sizeof host);
  use_own<<<1, 1>>>(out);
  cudaMemcpy(&host, out, sizeof host, cudaMemcpyDeviceToHost);
  printf("own %d, library's %d\n", host, in_library());
  cudaFree(out);
}
