// Lanes of a warp that exchange values in shared memory with a fence of the block between a store and the loads, and no warp barrier: they rely
// on lock step, as programs from before Volta do.
#include "../check.h"

__global__ void scan(const int *in, int *out) {
  __shared__ int part[8 * 48];
  int lane = (int)threadIdx.x & 31, own = (int)threadIdx.x / 32 * 48 + lane;
  part[own] = 0;
  own += 16;
  part[own] = in[blockIdx.x * 256 + threadIdx.x];
  __threadfence_block();
  for (int d = 1; d < 32; d *= 2) {
    if (d <= lane)
      part[own] += part[own - d];
    __threadfence_block();
  }
  out[blockIdx.x * 256 + threadIdx.x] = part[own];
}

int main() {
  const int n = 256 * 5;
  Array<int> in(n), out(n);
  for (int i = 0; i < n; i++)
    in[i] = (int)(random_bits() % 1000) - 500;
  in.upload();
  scan<<<n / 256, 256>>>(in.device, out.device);
  LAUNCHED();
  out.download();
  int sum = 0;
  for (int i = 0; i < n; i++) {
    sum = i % 32 ? sum + in[i] : in[i];
    EXPECT(out[i] == sum);
  }
  out.show("sums");
  return verdict();
}
