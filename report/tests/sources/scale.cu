// scale.cu: what the golden reports quote. Line and column numbers are part of the tests.
__device__ void store(float *p, int i, float v) {
  p[i] = v;
}

__global__ void scale(float *out, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i <= n)
    store(out, i, 2.0f);
}

__global__ void gather(const float *in, float *out) {
	out[threadIdx.x] = in[threadIdx.x - 1]; // indented by a tab
	atomicAdd(&out[threadIdx.x], in[threadIdx.x + 1] * in[threadIdx.x + 2] + in[threadIdx.x + 3] * in[threadIdx.x + 4]);
}
