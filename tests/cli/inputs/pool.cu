// A pool of named parts; with an argument, a kernel writes one element past the end of the first.
#include <cstdio>
#include <cusafe/cusafe.h>

__global__ void fill(int *a, int n) {
  if (threadIdx.x < n)
    a[threadIdx.x] = 1;
}

int main(int argc, char **) {
  char *base;
  int got[256];
  cudaMalloc(&base, 1 << 20);
  cudaMemset(base, 0, 1 << 20);
  int *weights = (int *)cusafe_carve(base + 512, 512), *bias = (int *)cusafe_carve(base + 1024, 512);
  cusafe_name(weights, "weights");
  cusafe_name(bias, "bi\033as");
  fill<<<1, 256>>>(weights, argc > 1 ? 129 : 128);
  fill<<<1, 256>>>(bias, 128);
  cudaMemcpy(got, base + 512, 1024, cudaMemcpyDeviceToHost);
  bool is_own = cusafe_give_back(weights, 0) == base + 512 && cusafe_give_back(bias, 0) == base + 1024;
  printf("%d %d %d, in bounds %d %d\n", got[0], got[255], is_own, cusafe_in_bounds(base, 1 << 20),
         cusafe_in_bounds(base, (1 << 20) + 1));
  return cudaFree(base) != cudaSuccess;
}
