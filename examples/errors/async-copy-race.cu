#include <cuda_pipeline.h>

__global__ void reverse(const int *in, int *out) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &in[t], sizeof(int));
  __pipeline_commit();
  __syncthreads(); // waits for threads, not for their copies
  out[t] = tile[63 - t];
}

int main() {
  int *in, *out;
  cudaMalloc(&in, 64 * sizeof(int));
  cudaMalloc(&out, 64 * sizeof(int));
  cudaMemset(in, 1, 64 * sizeof(int));
  reverse<<<1, 64>>>(in, out);
  return cudaDeviceSynchronize();
}
