// Cooperative groups from the toolkit's headers: collectives over tiles, coalesced and partitioned groups, copies.
#include "../check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

enum { THREADS = 96, COUNT = 6 };

__global__ void groups(const int *in, int *out) {
  auto block = cg::this_thread_block();
  int t = (int)block.thread_rank(), v = in[t], *r = out + COUNT * t;
  auto warp = cg::tiled_partition<32>(block);
  r[0] = cg::reduce(warp, v, cg::greater<int>());
  r[1] = cg::inclusive_scan(warp, v);
  r[2] = 0;
  if (v % 3 == 0) {
    auto some = cg::coalesced_threads();
    r[2] = (int)some.size() * 100 + (int)some.thread_rank() + 10000 * cg::reduce(some, v, cg::plus<int>());
  }
  auto parts = cg::labeled_partition(warp, v % 4);
  r[3] = cg::reduce(parts, 1, cg::plus<int>());
  auto halves = cg::binary_partition(warp, v > 50);
  r[4] = (int)halves.size();
  block.sync();
  __shared__ int copy[THREADS];
  cg::memcpy_async(block, copy, in, sizeof copy);
  cg::wait(block);
  r[5] = copy[THREADS - 1 - t];
}

int main() {
  Array<int> in(THREADS), out(COUNT * THREADS);
  for (int i = 0; i < THREADS; i++)
    in[i] = (int)(random_bits() % 100);
  in.upload();
  groups<<<1, THREADS>>>(in.device, out.device);
  LAUNCHED();
  out.download();
  for (int t = 0; t < THREADS; t++) {
    const int *r = &out[COUNT * t], first = t / 32 * 32;
    int most = 0, prefix = 0, thirds = 0, before = 0, sum = 0, same = 0, side = 0;
    for (int i = first; i < first + 32; i++) {
      most = in[i] > most ? in[i] : most;
      prefix += i <= t ? in[i] : 0;
      thirds += in[i] % 3 == 0;
      before += in[i] % 3 == 0 && i < t;
      sum += in[i] % 3 == 0 ? in[i] : 0;
      same += in[i] % 4 == in[t] % 4;
      side += (in[i] > 50) == (in[t] > 50);
    }
    EXPECT(r[0] == most && r[1] == prefix);
    EXPECT(r[2] == (in[t] % 3 ? 0 : thirds * 100 + before + 10000 * sum));
    EXPECT(r[3] == same && r[4] == side && r[5] == in[THREADS - 1 - t]);
  }
  out.show("groups");
  return verdict();
}
