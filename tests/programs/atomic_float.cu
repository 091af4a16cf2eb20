// atomicAdd on float and double, in global and shared memory, with values whose sums are exact in any order.
#include "../check.h"

__global__ void add(const float *in, float *f, double *d, int bins) {
  __shared__ float part[4];
  if (threadIdx.x < 4)
    part[threadIdx.x] = 0;
  __syncthreads();
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  atomicAdd(&f[i % bins], in[i]);
  atomicAdd(&d[i % bins], (double)in[i] * 0.5);
  atomicAdd(&part[i % 4], in[i]);
  __syncthreads();
  if (threadIdx.x < 4)
    atomicAdd(&f[bins + threadIdx.x], part[threadIdx.x]);
}

int main() {
  const int blocks = 6, threads = 80, n = blocks * threads, bins = 7;
  Array<float> in(n), f(bins + 4);
  Array<double> d(bins);
  float ef[bins + 4] = {};
  double ed[bins] = {};
  for (int i = 0; i < n; i++) {
    in[i] = (float)((int)(random_bits() % 4001) - 2000) * 0.25f;
    ef[i % bins] += in[i];
    ef[bins + i % 4] += in[i];
    ed[i % bins] += (double)in[i] * 0.5;
  }
  in.upload();
  f.upload();
  d.upload();
  add<<<blocks, threads>>>(in.device, f.device, d.device, bins);
  LAUNCHED();
  f.download();
  d.download();
  for (int i = 0; i < bins + 4; i++)
    EXPECT(f[i] == ef[i]);
  for (int i = 0; i < bins; i++)
    EXPECT(d[i] == ed[i]);
  f.show("floats");
  d.show("doubles");
  return verdict();
}
