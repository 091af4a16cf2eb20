// Three pinned buffers; the kernel writes past the end of the last one.
#include <cstdio>

__global__ void store(int *p, int n) {
  p[n] = 1;
}

int main() {
  int *p[3];
  for (int i = 0; i < 3; i++)
    if (cudaMallocHost(&p[i], 100 * sizeof(int)))
      return 1;
  store<<<1, 1>>>(p[2], 100);
  return cudaDeviceSynchronize() != cudaSuccess;
}
