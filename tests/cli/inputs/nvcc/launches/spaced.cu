// Blanks in the brackets of a launch, which nvcc accepts; a report must still name this file and the column.
// clang-format off
#include "kernels.cuh"
__global__ void set(int *to, int at) { to[threadIdx.x + at] = 1; }
int main(int argc, char **argv) {
  int *p, result;
  cudaMalloc(&p, 64 * sizeof(int));
  set << <1, 64 >> >(p, (argc - 1) >> 0);
  fill_three(p);
  cudaMemcpy(&result, p, sizeof result, cudaMemcpyDeviceToHost);
  printf("%s %d\n", argv[1] ? argv[1] : "set", result);
}
