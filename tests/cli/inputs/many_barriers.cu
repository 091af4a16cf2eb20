// Sums by warps, several in one kernel. The loop over the sums has 32 barriers when it is unrolled.
#include <cstdio>

#ifdef ROLLED
#define UNROLL _Pragma("unroll 1")
#else
#define UNROLL _Pragma("unroll")
#endif

__global__ void sums(const float *in, float *out, int n) {
  extern __shared__ float parts[];
  int t = threadIdx.x;
  UNROLL
  for (int r = 0; r < 16; r++) {
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
