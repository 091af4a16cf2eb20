// Kernels for NVRTC: templates, a header that the program passes, and their twins with a bug.
#include "scale.h"

template <typename T, int Factor> __global__ void scale(T *out, const T *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[i] = scaled<T, Factor>(in[i]);
}

template <typename T> __global__ void block_sum(T *out, const T *in) {
  __shared__ T part[64];
  int t = threadIdx.x;
  part[t] = in[blockIdx.x * 64 + t];
  for (int half = 32; half; half /= 2) {
    __syncthreads();
    if (t < half)
      part[t] += part[t + half];
  }
  if (t == 0)
    out[blockIdx.x] = part[0];
}

__constant__ int weights[4] = {1, 2, 3, 4};

extern "C" __global__ void weigh(int *out) {
  int i = threadIdx.x;
  out[i] = weights[i & 3] * i;
}

template <typename T, int Factor> __global__ void scale_past_end(T *out, const T *in, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n)
    out[i] = scaled<T, Factor>(in[i % n]); // BUG: out-of-bounds
}

extern "C" __global__ void past_shared(int *out, int k) {
  __shared__ int part[64];
  part[threadIdx.x + k] = 1; // BUG: out-of-bounds
  __syncthreads();
  out[threadIdx.x] = part[0];
}

extern "C" __global__ void null(int *out) {
  out[threadIdx.x] = 1; // BUG: null-pointer
}
