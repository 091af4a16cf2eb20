// Many barriers, as of unrolled loops, with values of each thread that live across them: parts of a register tile, an index and a sum.
#include "../check.h"

const unsigned n = 1000, threads = 128, blocks = 3;

struct Thread {
  unsigned first, sum, other;
};

// The steps are calls: the loop would not be unrolled for the CPU device.
template <unsigned STEP, unsigned STEPS>
__device__ __forceinline__ void mix_from(const unsigned *in, unsigned *parts, Thread &s) {
  unsigned t = threadIdx.x, part = s.first;
  for (unsigned i = t + STEP; i < n; i += threads)
    part += in[i];
  parts[t] = part;
  __syncthreads();
  s.sum += parts[(s.other + STEP) % threads];
  if (t % 3 == STEP % 3)
    s.first = s.sum - s.first;
  s.other = (s.other + STEP) % threads;
  __syncthreads();
  if constexpr (STEP + 1 < STEPS)
    mix_from<STEP + 1, STEPS>(in, parts, s);
}

template <int STEPS> __global__ void mix(const unsigned *in, unsigned *out, unsigned salt) {
  extern __shared__ unsigned parts[];
  unsigned t = threadIdx.x;
  Thread s = {in[t], salt * t, (t * 7 + salt) % threads};
  mix_from<0, STEPS>(in, parts, s);
  out[blockIdx.x * threads + t] = s.sum + s.first + s.other;
}

template <int STEPS> static void mix_on_host(const unsigned *in, unsigned *out, unsigned salt) {
  unsigned first[threads], sum[threads], other[threads], parts[threads];
  for (unsigned t = 0; t < threads; t++)
    first[t] = in[t], sum[t] = salt * t, other[t] = (t * 7 + salt) % threads;
  for (unsigned step = 0; step < STEPS; step++) {
    for (unsigned t = 0; t < threads; t++) {
      parts[t] = first[t];
      for (unsigned i = t + step; i < n; i += threads)
        parts[t] += in[i];
    }
    for (unsigned t = 0; t < threads; t++) {
      sum[t] += parts[(other[t] + step) % threads];
      if (t % 3 == step % 3)
        first[t] = sum[t] - first[t];
      other[t] = (other[t] + step) % threads;
    }
  }
  for (unsigned t = 0; t < threads; t++)
    out[t] = sum[t] + first[t] + other[t];
}

template <int STEPS> static void test(const Array<unsigned> &in) {
  Array<unsigned> out(blocks * threads);
  unsigned expected[threads];
  mix<STEPS><<<blocks, threads, threads * sizeof(unsigned)>>>(in.device, out.device, 5);
  LAUNCHED();
  out.download();
  mix_on_host<STEPS>(in.host, expected, 5);
  for (unsigned i = 0; i < blocks * threads; i++)
    EXPECT(out[i] == expected[i % threads]);
  out.show("out");
}

int main() {
  Array<unsigned> in(n);
  for (unsigned i = 0; i < n; i++)
    in[i] = random_bits() % 11;
  in.upload();
  test<4>(in);
  test<16>(in);
  test<24>(in);
  return verdict();
}
