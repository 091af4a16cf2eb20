// Volatile shared memory: the traditional reduction within a warp, with the warp barriers that it requires since Volta.
#include "../check.h"

__device__ void warp_sum(volatile int *part, int t) {
  for (int d = 32; d > 0; d /= 2) {
    int v = part[t] + part[t + d];
    __syncwarp();
    part[t] = v;
    __syncwarp();
  }
}

__global__ void sum(const int *in, int *out) {
  __shared__ volatile int part[256];
  int t = threadIdx.x;
  part[t] = in[blockIdx.x * 256 + t];
  __syncthreads();
  for (int d = 128; d > 32; d /= 2) {
    if (t < d)
      part[t] = part[t] + part[t + d];
    __syncthreads();
  }
  if (t < 32)
    warp_sum(part, t);
  if (t == 0)
    out[blockIdx.x] = part[0];
}

int main() {
  const int blocks = 10, n = 256 * blocks;
  Array<int> in(n), out(blocks);
  for (int i = 0; i < n; i++)
    in[i] = (int)(random_bits() % 1000) - 500;
  in.upload();
  sum<<<blocks, 256>>>(in.device, out.device);
  LAUNCHED();
  out.download();
  for (int b = 0; b < blocks; b++) {
    int total = 0;
    for (int i = 0; i < 256; i++)
      total += in[b * 256 + i];
    EXPECT(out[b] == total);
  }
  out.show("sums");
  return verdict();
}
