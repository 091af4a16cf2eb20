#include "stats.h"
#include <cstdio>
#include <vector>

// The bug does not change the bins that the test compares: the test alone does not find it.
int main() {
  const int n = 256, bins = 16;
  std::vector<float> values(n);
  for (int i = 0; i < n; i++)
    values[i] = i < n - 1 ? i % 8 : 8;
  float *device;
  int *counts, host[bins];
  cudaMalloc(&device, n * sizeof(float));
  cudaMalloc(&counts, bins * sizeof(int));
  cudaMemcpy(device, values.data(), n * sizeof(float), cudaMemcpyHostToDevice);
  histogram(device, n, 8, counts, bins);
  if (cudaMemcpy(host, counts, sizeof host, cudaMemcpyDeviceToHost) != cudaSuccess)
    return 1;
  cudaFree(device);
  cudaFree(counts);
  bool right = host[0] == 32 && host[1] == 0 && host[2] == 32;
  std::printf("histogram: %s\n", right ? "passed" : "FAILED");
  return !right;
}
