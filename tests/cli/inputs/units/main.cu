// Uses functions and variables of other.cu; both files have a kernel of the same name in an anonymous namespace, and a template kernel.
// With an argument, one thread too many writes to table, whose length only other.cu knows.
#include "units.h"
#include <cstdio>

__device__ int own = 5;
static __device__ int hidden = 3; // the host uses it after the kernel does
namespace {
__global__ void same(int *out) {
  out[0] = own + hidden;
}
} // namespace

__global__ void combine(int *out, int n) {
  int i = threadIdx.x;
  if (i < n) {
    table[i] = square(i); // BUG with an argument
    out[i] = table[i] + weights[i & 3] + twice<int>(i);
  }
  atomicAdd(&counter, 1);
}

int main(int argc, char **) {
  int *out, host[32], seven = 7, count, sum = 0;
  cudaMalloc(&out, sizeof host);
  cudaMemcpyToSymbol(hidden, &seven, sizeof seven);
  cudaMemcpyToSymbol(counter, &seven, sizeof seven);
  same<<<1, 1>>>(out);
  cudaMemcpy(host, out, sizeof(int), cudaMemcpyDeviceToHost);
  printf("same %d, other's %d\n", host[0], other_same(out));
  combine<<<1, 32>>>(out, argc > 1 ? 32 : 31);
  cudaMemcpy(host, out, 31 * sizeof(int), cudaMemcpyDeviceToHost);
  cudaMemcpyFromSymbol(&count, counter, sizeof count);
  for (int i = 0; i < 31; i++)
    sum += host[i];
  fill<int><<<1, 1>>>(out);
  cudaMemcpy(host, out, sizeof(int), cudaMemcpyDeviceToHost);
  printf("sum %d, count %d, filled %d and %d, %s\n", sum, count, host[0], other_fill(out),
         cudaGetErrorString(cudaGetLastError()));
  return 0;
}
