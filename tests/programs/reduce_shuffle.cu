// Sums with shuffles: down within a warp, then one value per warp through shared memory; and a butterfly (xor) for the maximum.
#include "../check.h"

__device__ int warp_sum(int v) {
  for (int d = 16; d > 0; d /= 2)
    v += __shfl_down_sync(0xffffffffu, v, d);
  return v;
}

__device__ float warp_max(float v) {
  for (int d = 16; d > 0; d /= 2)
    v = fmaxf(v, __shfl_xor_sync(0xffffffffu, v, d));
  return v;
}

__global__ void reduce(const int *in, int *sums, float *maxima) {
  __shared__ int part[32];
  int t = threadIdx.x, lane = t % 32, warp = t / 32;
  int v = in[blockIdx.x * blockDim.x + t];
  maxima[(blockIdx.x * blockDim.x + t) / 32] = warp_max((float)v);
  v = warp_sum(v);
  if (lane == 0)
    part[warp] = v;
  __syncthreads();
  if (warp == 0) {
    v = lane < (int)blockDim.x / 32 ? part[lane] : 0;
    v = warp_sum(v);
    if (lane == 0)
      sums[blockIdx.x] = v;
  }
}

int main() {
  const int block = 512, blocks = 7, n = block * blocks;
  Array<int> in(n), sums(blocks);
  Array<float> maxima(n / 32);
  for (int i = 0; i < n; i++)
    in[i] = (int)(random_bits() % 100000) - 50000;
  in.upload();
  reduce<<<blocks, block>>>(in.device, sums.device, maxima.device);
  LAUNCHED();
  sums.download();
  maxima.download();
  for (int b = 0; b < blocks; b++) {
    int sum = 0;
    for (int i = 0; i < block; i++)
      sum += in[b * block + i];
    EXPECT(sums[b] == sum);
  }
  for (int w = 0; w < n / 32; w++) {
    int top = in[w * 32];
    for (int i = 1; i < 32; i++)
      top = in[w * 32 + i] > top ? in[w * 32 + i] : top;
    EXPECT(maxima[w] == (float)top);
  }
  sums.show("sums");
  maxima.show("maxima");
  return verdict();
}
