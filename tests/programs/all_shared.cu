// Blocks that use the maximum of static shared memory and pass it to functions: none remains for the checks.
#include "../check.h"

const int COUNT = 12288;

__device__ __noinline__ void fill(int *tile, int count, int step) {
  for (int i = threadIdx.x; i < count; i += blockDim.x)
    tile[i] = i * step;
}

__device__ __noinline__ int at(const int *tile, int i) {
  return tile[i];
}

__global__ void one(int *out) {
  __shared__ int tile[COUNT];
  fill(tile, COUNT, 3);
  __syncthreads();
  out[threadIdx.x] = at(tile, COUNT - 1 - threadIdx.x);
}

__global__ void three(int *out) {
  __shared__ int a[COUNT / 2], b[COUNT / 4], c[COUNT / 4];
  fill(a, COUNT / 2, 1);
  fill(b, COUNT / 4, 2);
  fill(c, COUNT / 4, 5);
  __syncthreads();
  out[threadIdx.x] = at(a, threadIdx.x) + at(b, threadIdx.x) + at(c, threadIdx.x);
}

int main() {
  const int threads = 128;
  int *out, host[threads];
  CU(cudaMalloc(&out, sizeof host));
  one<<<2, threads>>>(out);
  LAUNCHED();
  CU(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < threads; i++)
    EXPECT(host[i] == 3 * (COUNT - 1 - i));
  three<<<2, threads>>>(out);
  LAUNCHED();
  CU(cudaMemcpy(host, out, sizeof host, cudaMemcpyDeviceToHost));
  for (int i = 0; i < threads; i++)
    EXPECT(host[i] == 8 * i);
  return verdict();
}
