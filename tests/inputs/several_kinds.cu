// Four kinds of error at one site, about 250 of each in a launch, and a fifth kind in one thread only.
#include <cuda_runtime.h>

__global__ void several(int **rows, int *out) {
  unsigned t = threadIdx.x, row = t == 999 ? 4 : t % 4;
  out[t] = rows[row][row == 0 ? 100 : 0];
}

int main() {
  int *rows[5] = {}, **device, *out;
  for (int i = 0; i < 3; i++)
    cudaMalloc(&rows[i], 64);
  cudaFree(rows[1]);
  rows[2] = (int *)((char *)rows[2] + 1);
  rows[4] = (int *)0x4000000000000010ull;
  cudaMalloc(&device, sizeof rows);
  cudaMalloc(&out, 1000 * sizeof *out);
  cudaMemcpy(device, rows, sizeof rows, cudaMemcpyHostToDevice);
  several<<<1, 1000>>>(device, out);
  several<<<1, 1000>>>(device, out);
  return cudaDeviceSynchronize() != cudaSuccess;
}
