// Blocks with a partial last warp (7, 33, 1000 threads, and 9 x 5): ballots, shuffles and sums over the lanes that exist.
#include "../check.h"

__global__ void sums(const int *in, int *warp_sums, unsigned *ballots, int *first) {
  int n = blockDim.x * blockDim.y, t = threadIdx.y * blockDim.x + threadIdx.x, lane = t % 32;
  int lanes = n - (t - lane) < 32 ? n - (t - lane) : 32;
  unsigned mask = lanes == 32 ? 0xffffffffu : (1u << lanes) - 1;
  int v = in[t];
  ballots[t] = __ballot_sync(mask, v % 2);
  first[t] = __shfl_sync(mask, v, 0);
  for (int d = 16; d > 0; d /= 2) {
    int other = __shfl_down_sync(mask, v, d);
    if (lane + d < lanes)
      v += other;
  }
  if (lane == 0)
    warp_sums[t / 32] = v;
}

static void test(dim3 block) {
  int n = block.x * block.y, warps = (n + 31) / 32;
  Array<int> in(n), sum(warps), first(n);
  Array<unsigned> ballots(n);
  for (int i = 0; i < n; i++)
    in[i] = (int)(random_bits() % 1000);
  in.upload();
  sums<<<1, block>>>(in.device, sum.device, ballots.device, first.device);
  LAUNCHED();
  sum.download();
  ballots.download();
  first.download();
  for (int w = 0; w < warps; w++) {
    int total = 0;
    unsigned ballot = 0;
    for (int i = w * 32; i < n && i < (w + 1) * 32; i++) {
      total += in[i];
      ballot |= (unsigned)(in[i] % 2) << (i % 32);
    }
    EXPECT(sum[w] == total);
    for (int i = w * 32; i < n && i < (w + 1) * 32; i++)
      EXPECT(ballots[i] == ballot && first[i] == in[w * 32]);
  }
  printf("%d threads\n", n);
  sum.show("sums");
  ballots.show("ballots");
}

int main() {
  test(dim3(7));
  test(dim3(33));
  test(dim3(1000));
  test(dim3(9, 5));
  return verdict();
}
