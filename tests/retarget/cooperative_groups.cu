// Cooperative groups from the toolkit's headers: blocks, tiles of every size, and coalesced groups.
#include "../check.h"
#include <cooperative_groups.h>
namespace cg = cooperative_groups;

enum { THREADS = 96, COUNT = 7 };

template <int SIZE> __device__ int tile_sum(const cg::thread_block &block, int value) {
  auto tile = cg::tiled_partition<SIZE>(block);
  int sum = value;
  for (int by = SIZE / 2; by > 0; by /= 2)
    sum += tile.shfl_xor(sum, by);
  tile.sync();
  return sum * 100 + (int)tile.thread_rank();
}

__global__ void groups(const int *in, int *out) {
  auto block = cg::this_thread_block();
  int t = (int)block.thread_rank(), v = in[t], *r = out + COUNT * t;
  r[0] = tile_sum<1>(block, v);
  r[1] = tile_sum<2>(block, v);
  r[2] = tile_sum<4>(block, v);
  r[3] = tile_sum<8>(block, v);
  r[4] = tile_sum<16>(block, v);
  r[5] = tile_sum<32>(block, v);
  r[6] = 0;
  if (v % 3 == 0) {
    auto some = cg::coalesced_threads();
    r[6] = (int)some.size() * 100 + (int)some.thread_rank() + 10000 * some.shfl(v, 0);
  }
  block.sync();
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
    for (int k = 0, size = 1; k < 6; k++, size *= 2) {
      int sum = 0;
      for (int i = t / size * size; i < t / size * size + size; i++)
        sum += in[i];
      EXPECT(r[k] == sum * 100 + t % size);
    }
    int thirds = 0, before = 0, leader = -1;
    for (int i = first; i < first + 32; i++) {
      if (in[i] % 3 == 0 && leader < 0)
        leader = in[i];
      thirds += in[i] % 3 == 0;
      before += in[i] % 3 == 0 && i < t;
    }
    EXPECT(r[6] == (in[t] % 3 ? 0 : thirds * 100 + before + 10000 * leader));
  }
  out.show("groups");
  return verdict();
}
