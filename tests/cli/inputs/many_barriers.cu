// Sums by warps, several in one kernel: 32 barriers, unless they are in a loop, which is not unrolled.
#include <cstdio>

__device__ __forceinline__ void sum(const float *in, float *out, int n, int r) {
  extern __shared__ float parts[];
  int t = threadIdx.x;
  float v = 0;
  for (int i = t + r; i < n; i += blockDim.x)
    v += in[i];
  parts[t] = v;
  __syncthreads();
  if (t < 32) {
    for (int o = 16; o; o /= 2)
      v += __shfl_down_sync(~0u, v, o);
    if (t == 0)
      out[r] = v + parts[33];
  }
  __syncthreads();
}

__global__ void sums(const float *in, float *out, int n) {
#ifdef ROLLED
  for (int r = 0; r < 16; r++)
    sum(in, out, n, r);
#else
#define FOUR(r) sum(in, out, n, r), sum(in, out, n, r + 1), sum(in, out, n, r + 2), sum(in, out, n, r + 3)
  FOUR(0), FOUR(4), FOUR(8), FOUR(12);
#endif
}

int main() {
  float *in, *out;
  cudaMalloc(&in, 4000);
  cudaMalloc(&out, 64);
  cudaMemset(in, 0, 4000);
  sums<<<1, 128, 512>>>(in, out, 1000);
  printf("%s\n", cudaGetErrorString(cudaDeviceSynchronize()));
  return 0;
}
