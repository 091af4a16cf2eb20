// groups.cu: cooperative groups from the toolkit's headers, and barriers of whole blocks.
#include "conformance.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;

static __host__ __device__ int data_of(int t) {
  return (int)((unsigned)t * 2654435761u >> 20) % 1000 - 300;
}

CASE(thread_block) {
  Array<int> out(2 * 24);
  int *to = out.device;
  on_device(dim3(2), dim3(4, 3, 2), [=] __device__() {
    auto block = cg::this_thread_block();
    dim3 group = block.group_index(), thread = block.thread_index(), size = block.dim_threads();
    unsigned rank = thread.x + size.x * (thread.y + size.y * thread.z);
    block.sync();
    bool ok = rank == block.thread_rank() && block.num_threads() == 24 && block.size() == 24 && size.z == 2;
    to[group.x * 24 + rank] = ok ? (int)(group.x * 100 + rank) : -1;
  });
  out.download();
  for (int i = 0; i < 48; i++)
    EXPECT(out[i] == i / 24 * 100 + i % 24);
}

template <int SIZE> static void tiles() {
  auto got = each<int>(96, [] __device__(int t) {
    auto tile = cg::tiled_partition<SIZE>(cg::this_thread_block());
    int sum = data_of(t);
    for (int by = SIZE / 2; by > 0; by /= 2)
      sum += tile.shfl_xor(sum, by);
    int first = tile.shfl(data_of(t), 0), last = tile.shfl(data_of(t), SIZE - 1);
    bool ok = tile.num_threads() == SIZE && (int)tile.thread_rank() == t % SIZE &&
              (int)tile.meta_group_rank() == t / SIZE && (int)tile.meta_group_size() == 96 / SIZE;
    return ok ? sum * 7 + first * 3 + last : -1;
  });
  for (int t = 0; t < 96; t++) {
    int first = t / SIZE * SIZE, sum = 0;
    for (int i = first; i < first + SIZE; i++)
      sum += data_of(i);
    EXPECT(got[t] == sum * 7 + data_of(first) * 3 + data_of(first + SIZE - 1));
  }
}

CASE(tiles_of_1_and_2) {
  tiles<1>();
  tiles<2>();
}
CASE(tiles_of_4_and_8) {
  tiles<4>();
  tiles<8>();
}
CASE(tiles_of_16_and_32) {
  tiles<16>();
  tiles<32>();
}

CASE(tile_votes) {
  auto got = each<unsigned>(64, [] __device__(int t) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    bool p = data_of(t) % 3 == 0;
    return tile.ballot(p) | (tile.any(p) ? 0x100u : 0) | (tile.all(p) ? 0x200u : 0) |
           (tile.match_any(t % 2) == (t % 2 ? 0xaau : 0x55u) ? 0x400u : 0);
  });
  for (int t = 0; t < 64; t++) {
    unsigned expected = 0;
    for (int i = 0; i < 8; i++)
      expected |= (data_of(t / 8 * 8 + i) % 3 == 0 ? 1u : 0) << i;
    EXPECT(got[t] == (expected | (expected ? 0x100u : 0) | (expected == 0xff ? 0x200u : 0) | 0x400u));
  }
}

CASE(tile_shuffles) {
  auto got = each<int>(32, [] __device__(int t) {
    auto tile = cg::tiled_partition<8>(cg::this_thread_block());
    return tile.shfl_up(t, 2) + 100 * tile.shfl_down(t, 3) + 10000 * tile.shfl_xor(t, 5);
  });
  for (int t = 0; t < 32; t++) {
    int r = t % 8, up = r >= 2 ? t - 2 : t, down = r + 3 < 8 ? t + 3 : t;
    EXPECT(got[t] == up + 100 * down + 10000 * (t ^ 5));
  }
}

CASE(dynamic_tile_of_a_tile) {
  auto got = each<int>(64, [] __device__(int t) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    cg::thread_group four = cg::tiled_partition(cg::this_thread_block(), 4);
    auto eight = cg::tiled_partition<8>(warp);
    four.sync();
    return (int)(four.thread_rank() * 100 + eight.thread_rank() * 10 + four.size()) + t / 64;
  });
  for (int t = 0; t < 64; t++)
    EXPECT(got[t] == t % 4 * 100 + t % 8 * 10 + 4);
}

CASE(coalesced_threads) {
  auto got = each<int>(64, [] __device__(int t) {
    if (t % 5 != 2)
      return -1;
    auto some = cg::coalesced_threads();
    int next = some.shfl(t, ((int)some.thread_rank() + 1) % (int)some.size());
    return (int)some.thread_rank() * 10000 + (int)some.size() * 100 + next;
  });
  for (int t = 0; t < 64; t++) {
    int size = 0, rank = 0, first = -1, next = -1;
    for (int i = t / 32 * 32; i < t / 32 * 32 + 32; i++) {
      if (i % 5 != 2)
        continue;
      size++, rank += i < t;
      first = first < 0 ? i : first;
      next = next < 0 && i > t ? i : next;
    }
    EXPECT(got[t] == (t % 5 != 2 ? -1 : rank * 10000 + size * 100 + (next < 0 ? first : next)));
  }
}

template <typename OP> static void reduced(int (*host)(int, int)) {
  auto got = each<int>(64, [] __device__(int t) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    return cg::reduce(tile, data_of(t), OP());
  });
  for (int t = 0; t < 64; t++) {
    int expected = data_of(t / 16 * 16);
    for (int i = 1; i < 16; i++)
      expected = host(expected, data_of(t / 16 * 16 + i));
    EXPECT(got[t] == expected);
  }
}

CASE(reduce_arithmetic) {
  reduced<cg::plus<int>>([](int a, int b) { return a + b; });
  reduced<cg::less<int>>([](int a, int b) { return a < b ? a : b; });
  reduced<cg::greater<int>>([](int a, int b) { return a > b ? a : b; });
}
CASE(reduce_bits) {
  reduced<cg::bit_and<int>>([](int a, int b) { return a & b; });
  reduced<cg::bit_or<int>>([](int a, int b) { return a | b; });
  reduced<cg::bit_xor<int>>([](int a, int b) { return a ^ b; });
}

CASE(reduce_double_and_lambda) {
  auto got = each<double>(64, [] __device__(int t) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    double sum = cg::reduce(warp, (double)data_of(t) / 4, cg::plus<double>());
    long long biggest = cg::reduce(warp, (long long)data_of(t) << 33,
                                   [] __device__(long long a, long long b) { return a > b ? a : b; });
    return sum + (double)(biggest >> 33) * 65536;
  });
  for (int w = 0; w < 2; w++) {
    double sum = 0;
    int biggest = -1000;
    for (int i = w * 32; i < w * 32 + 32; i++)
      sum += data_of(i) / 4.0, biggest = std::max(biggest, data_of(i));
    for (int i = w * 32; i < w * 32 + 32; i++)
      EXPECT(got[i] == sum + biggest * 65536.0);
  }
}

CASE(scans) {
  auto got = each<int>(64, [] __device__(int t) {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    int in = cg::inclusive_scan(tile, data_of(t)), ex = cg::exclusive_scan(tile, data_of(t));
    int most = cg::inclusive_scan(tile, data_of(t), cg::greater<int>());
    return in * 3 + ex * 5 + most * 1009;
  });
  for (int t = 0, sum = 0, most = 0; t < 64; t++) {
    if (t % 16 == 0)
      sum = 0, most = data_of(t);
    most = std::max(most, data_of(t));
    EXPECT(got[t] == (sum + data_of(t)) * 3 + sum * 5 + most * 1009);
    sum += data_of(t);
  }
}

CASE(coalesced_reduce_and_scan) {
  auto got = each<int>(32, [] __device__(int t) {
    if (data_of(t) & 1)
      return 0;
    auto some = cg::coalesced_threads();
    return cg::reduce(some, t, cg::plus<int>()) * 1000 + cg::exclusive_scan(some, t);
  });
  int sum = 0, before = 0;
  for (int t = 0; t < 32; t++)
    sum += data_of(t) & 1 ? 0 : t;
  for (int t = 0; t < 32; t++) {
    EXPECT(got[t] == (data_of(t) & 1 ? 0 : sum * 1000 + before));
    before += data_of(t) & 1 ? 0 : t;
  }
}

CASE(labeled_partition) {
  auto got = each<int>(32, [] __device__(int t) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto part = cg::labeled_partition(warp, t % 5);
    return (int)part.size() * 1000 + (int)part.thread_rank() * 100 + cg::reduce(part, t % 5, cg::greater<int>());
  });
  for (int t = 0; t < 32; t++)
    EXPECT(got[t] == (t % 5 < 2 ? 7 : 6) * 1000 + t / 5 * 100 + t % 5);
}

CASE(binary_partition) {
  auto got = each<int>(32, [] __device__(int t) {
    auto warp = cg::tiled_partition<32>(cg::this_thread_block());
    auto part = cg::binary_partition(warp, t >= 13);
    return (int)part.size() * 100 + (int)part.thread_rank();
  });
  for (int t = 0; t < 32; t++)
    EXPECT(got[t] == (t < 13 ? 1300 + t : 1900 + t - 13));
}

CASE(memcpy_async_of_a_block) {
  Array<int> in(200);
  for (int i = 0; i < 200; i++)
    in[i] = data_of(i);
  in.upload();
  const int *from = in.device;
  auto got = each<int>(64, [=] __device__(int t) {
    __shared__ int copy[200];
    auto block = cg::this_thread_block();
    cg::memcpy_async(block, copy, from, sizeof copy);
    cg::wait(block);
    return copy[199 - t] + copy[t];
  });
  for (int t = 0; t < 64; t++)
    EXPECT(got[t] == data_of(199 - t) + data_of(t));
}

CASE(invoke_one) {
  int *count = buffer<int>(1);
  on_device(2, 64, [=] __device__() {
    auto tile = cg::tiled_partition<16>(cg::this_thread_block());
    cg::invoke_one(tile, [=] { atomicAdd(count, 1); });
  });
  EXPECT(value(count) == 8);
  release(count);
}

// A launch without clusters: each block is one.
CASE(cluster_of_one_block) {
  auto got = each<int>(
      64,
      [] __device__(int t) {
        __shared__ int x;
        unsigned rank, blocks, cluster, clusters, from = 1;
        if (threadIdx.x == 63)
          x = t;
        asm volatile("barrier.cluster.arrive.release;" ::: "memory");
        asm volatile("barrier.cluster.wait.acquire;" ::: "memory");
        asm("mov.u32 %0, %%cluster_ctarank;" : "=r"(rank));
        asm("mov.u32 %0, %%cluster_nctarank;" : "=r"(blocks));
        asm("mov.u32 %0, %%clusterid.x;" : "=r"(cluster));
        asm("mov.u32 %0, %%nclusterid.x;" : "=r"(clusters));
        int *own;
        asm("mapa.u64 %0, %1, %2;" : "=l"(own) : "l"(&x), "r"(rank));
        asm("getctarank.u64 %0, %1;" : "=r"(from) : "l"(own));
        return (int)(rank * 1000000 + blocks * 100000 + cluster * 10000 + clusters * 1000 + from) + *own;
      },
      2);
  for (int t = 0; t < 128; t++)
    EXPECT(got[t] == 102000 + t / 64 * 10000 + t / 64 * 64 + 63);
}

CASE(syncthreads_count_and_or) {
  auto got = each<int>(100, [] __device__(int t) {
    int count = __syncthreads_count(t % 3 == 0), all = __syncthreads_and(t < 100), none = __syncthreads_and(t != 57);
    int some = __syncthreads_or(t == 99), no = __syncthreads_or(0);
    return count * 10000 + (all ? 1000 : 0) + (none ? 100 : 0) + (some ? 10 : 0) + (no ? 1 : 0);
  });
  for (int t = 0; t < 100; t++)
    EXPECT(got[t] == 341010);
}

CASE(barrier_in_a_loop) {
  auto got = each<int>(256, [] __device__(int t) {
    __shared__ int a[256];
    a[t] = t;
    for (int by = 128; by; by /= 2) {
      __syncthreads();
      if (t < by)
        a[t] += a[t + by];
    }
    __syncthreads();
    return a[0];
  });
  for (int t = 0; t < 256; t++)
    EXPECT(got[t] == 255 * 128);
}
