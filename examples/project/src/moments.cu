#include "stats.h"

__global__ void add(const float *values, int n, float *sums) {
  __shared__ float part[2];
  if (threadIdx.x < 2)
    part[threadIdx.x] = 0;
  __syncthreads();
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x) {
    atomicAdd(&part[0], values[i]);
    atomicAdd(&part[1], values[i] * values[i]);
  }
  __syncthreads();
  if (threadIdx.x < 2)
    atomicAdd(&sums[threadIdx.x], part[threadIdx.x]);
}

void moments(const float *values, int n, float *sums) {
  cudaMemset(sums, 0, 2 * sizeof(float));
  add<<<4, 64>>>(values, n, sums);
}
