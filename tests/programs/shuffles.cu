// Shuffles: every mode, widths below 32, all types, source lanes out of range (which return the lane's own value), divergent code.
#include "../check.h"

const unsigned FULL = 0xffffffffu;
const int RESULTS = 8;

__global__ void shuffle(const int *in, int *out, double *doubles, long long *longs) {
  int t = threadIdx.x, lane = t % 32, v = in[t];
  int *r = out + RESULTS * t;
  r[0] = __shfl_sync(FULL, v, 5);
  r[1] = __shfl_sync(FULL, v, lane * 3 + 1, 8);
  r[2] = __shfl_up_sync(FULL, v, 3);
  r[3] = __shfl_up_sync(FULL, v, 2, 16);
  r[4] = __shfl_down_sync(FULL, v, 7);
  r[5] = __shfl_down_sync(FULL, v, 3, 4);
  r[6] = __shfl_xor_sync(FULL, v, 11);
  r[7] = __shfl_xor_sync(FULL, v, 6, 8);
  doubles[t] = __shfl_sync(FULL, v * 0.5, 31 - lane);
  longs[t] = __shfl_down_sync(FULL, (long long)v << 33, 1);
  if (lane % 2 == 0)
    doubles[t] += __shfl_xor_sync(0x55555555u, (float)v, 2);
}

int main() {
  const int n = 64;
  Array<int> in(n), out(RESULTS * n);
  Array<double> doubles(n);
  Array<long long> longs(n);
  for (int i = 0; i < n; i++)
    in[i] = (int)(random_bits() % 100000);
  in.upload();
  shuffle<<<1, n>>>(in.device, out.device, doubles.device, longs.device);
  LAUNCHED();
  out.download();
  doubles.download();
  longs.download();
  for (int t = 0; t < n; t++) {
    int lane = t % 32;
    const int *warp = &in[t - lane], *r = &out[RESULTS * t];
    EXPECT(r[0] == warp[5]);
    EXPECT(r[1] == warp[lane / 8 * 8 + (lane * 3 + 1) % 8]);
    EXPECT(r[2] == warp[lane < 3 ? lane : lane - 3]);
    EXPECT(r[3] == warp[lane % 16 < 2 ? lane : lane - 2]);
    EXPECT(r[4] == warp[lane + 7 > 31 ? lane : lane + 7]);
    EXPECT(r[5] == warp[lane % 4 + 3 > 3 ? lane : lane + 3]);
    EXPECT(r[6] == warp[lane ^ 11]);
    EXPECT(r[7] == warp[lane ^ 6]);
    EXPECT(doubles[t] == warp[31 - lane] * 0.5 + (lane % 2 == 0 ? (float)warp[lane ^ 2] : 0));
    EXPECT(longs[t] == (long long)warp[lane == 31 ? 31 : lane + 1] << 33);
  }
  out.show("ints");
  doubles.show("doubles");
  longs.show("longs");
  return verdict();
}
