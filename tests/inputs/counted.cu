// Each of 256 threads performs one access, and the first 10 threads of the second kernel perform two.
#include <cstdio>

__global__ void fill(int *p) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  p[i] = i;
}

__global__ void some(int *p, int n, int *sum) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    atomicAdd(sum, p[i]);
}

int main(int argc, char **) {
  int *p, *sum, n = 256;
  cudaMalloc(&p, n * sizeof *p);
  cudaMalloc(&sum, sizeof *sum);
  cudaMemset(sum, 0, sizeof *sum);
  fill<<<4, 64>>>(p);
  some<<<1, 32>>>(p, 10, sum);
  if (argc > 1)
    fill<<<5, 64>>>(p);
  cudaDeviceSynchronize();
  cudaFree(p);
  cudaMemcpy(&n, sum, sizeof n, cudaMemcpyDeviceToHost);
  cudaFree(sum);
  printf("%d\n", n);
}
