// Prefix sums over several blocks in three kernels: within each block, over the blocks' totals, and the addition of both.
#include "../check.h"

const int BLOCK = 128;

__device__ int scan(int v) {
  __shared__ int warps[BLOCK / 32];
  int lane = threadIdx.x % 32, warp = threadIdx.x / 32;
  for (int d = 1; d < 32; d *= 2) {
    int below = __shfl_up_sync(0xffffffffu, v, d);
    if (lane >= d)
      v += below;
  }
  if (lane == 31)
    warps[warp] = v;
  __syncthreads();
  int before = 0;
  for (int w = 0; w < warp; w++)
    before += warps[w];
  return v + before;
}

__global__ void scan_blocks(const int *in, int *out, int *totals, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  int v = scan(i < n ? in[i] : 0);
  if (i < n)
    out[i] = v;
  if (threadIdx.x == BLOCK - 1)
    totals[blockIdx.x] = v;
}

__global__ void scan_totals(int *totals, int count) {
  int v = scan((int)threadIdx.x < count ? totals[threadIdx.x] : 0);
  if ((int)threadIdx.x < count)
    totals[threadIdx.x] = v;
}

__global__ void add_totals(int *out, const int *totals, int n) {
  int i = blockIdx.x * BLOCK + threadIdx.x;
  if (i < n && blockIdx.x > 0)
    out[i] += totals[blockIdx.x - 1];
}

int main() {
  const int n = 9999, blocks = (n + BLOCK - 1) / BLOCK;
  Array<int> in(n), out(n), totals(blocks);
  for (int i = 0; i < n; i++)
    in[i] = (int)(random_bits() % 1000);
  in.upload();
  scan_blocks<<<blocks, BLOCK>>>(in.device, out.device, totals.device, n);
  scan_totals<<<1, BLOCK>>>(totals.device, blocks);
  add_totals<<<blocks, BLOCK>>>(out.device, totals.device, n);
  LAUNCHED();
  out.download();
  for (int i = 0, sum = 0; i < n; i++) {
    sum += in[i];
    EXPECT(out[i] == sum);
  }
  out.show("sums");
  return verdict();
}
