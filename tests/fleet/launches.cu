// launches.cu: launches N: a kernel without errors, launched N times in sequence. launches N wait: and waited for each time.
#include <cstdio>
#include <cstdlib>

__global__ void add(int *to, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    to[i] += 1;
}

int main(int argc, char **argv) {
  int *p, result = -1, n = 64, launches = atoi(argv[1]);
  cudaMalloc(&p, n * sizeof *p);
  cudaMemset(p, 0, n * sizeof *p);
  for (int i = 0; i < launches; i++) {
    add<<<1, 32>>>(p, n);
    if (argc > 2)
      cudaDeviceSynchronize();
  }
  cudaMemcpy(&result, p, sizeof result, cudaMemcpyDeviceToHost);
  return result != launches;
}
