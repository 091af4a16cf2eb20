// Lanes of a warp that exchange values through volatile shared memory in loops, and whose values decide what is stored, as programs from before
// Volta do: they rely on lock step, and do not wait for each other.
#include "../check.h"

__global__ void largest(const int *in, int *out) {
  volatile __shared__ int value[64];
  int t = (int)threadIdx.x, base = (int)blockIdx.x * 64;
  value[t] = in[base + t];
  value[t + 32] = in[base + t + 32];
#pragma unroll 1
  for (int d = 32; d > 0; d >>= 1) {
    int other = value[t + d < 64 ? t + d : t];
    if (value[t] < other)
      value[t] = other;
  }
  if (t == 0)
    out[blockIdx.x] = value[0];
}

/* The index of the largest of n values. */
__global__ void place_of_largest(const int *in, int *out, int n) {
  volatile __shared__ int value[32], index[32];
  int t = (int)threadIdx.x;
  value[t] = t < n ? in[(int)blockIdx.x * 64 + t] : -1000;
  index[t] = t;
  for (int d = 16; d > 0; d /= 2)
    if (t < d && value[index[t]] < value[index[t + d]])
      index[t] = index[t + d];
  if (t == 0)
    out[blockIdx.x] = index[0];
}

int main() {
  const int blocks = 7, n = 20;
  Array<int> in(blocks * 64), most(blocks), place(blocks);
  for (int i = 0; i < blocks * 64; i++)
    in[i] = (int)(random_bits() % 1000) - 500;
  in.upload();
  largest<<<blocks, 32>>>(in.device, most.device);
  place_of_largest<<<blocks, 32>>>(in.device, place.device, n);
  LAUNCHED();
  most.download();
  place.download();
  for (int b = 0; b < blocks; b++) {
    int expected = in[b * 64];
    for (int i = 1; i < 64; i++)
      expected = in[b * 64 + i] > expected ? in[b * 64 + i] : expected;
    EXPECT(most[b] == expected);
    for (int i = 0; i < n; i++)
      EXPECT(in[b * 64 + i] <= in[b * 64 + place[b]]);
  }
  most.show("largest");
  place.show("places");
  return verdict();
}
