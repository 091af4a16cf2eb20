// masks.cu: masks of warp operations that are wrong, and code whose masks are right (--detect=sync).
#include "case.h"
#include <cooperative_groups.h>

namespace cg = cooperative_groups;
enum { kThreads = 64 };
static constexpr unsigned kFull = 0xffffffff;

#define RUN(kernel, threads)                                                                                           \
  int *out = buffer<int>(1024);                                                                                        \
  kernel<<<2, threads>>>(wrong, out);                                                                                  \
  LAUNCHED();                                                                                                          \
  release(out)
#define RUN_CLEAN(kernel, threads, expected)                                                                           \
  int *out = buffer<int>(1024);                                                                                        \
  kernel<<<2, threads>>>(out);                                                                                         \
  LAUNCHED();                                                                                                          \
  EXPECT(expected);                                                                                                    \
  release(out)

// ---- the mask lacks the thread ----

__global__ void half_named(bool wrong, int *out) {
  __shared__ int tile[kThreads];
  int t = threadIdx.x;
  tile[t] = t;
  __syncwarp(wrong ? 0xffff : kFull); // BUG: caller_not_named
  out[t] = tile[t ^ 1];
}
TWINS(caller_not_named, bool wrong, true, false) {
  RUN(half_named, kThreads);
}

__global__ void of_the_positive(bool wrong, int *out) {
  int t = threadIdx.x, v = t % 5;
  unsigned mask = __ballot_sync(kFull, v > 0);
  if (wrong || v > 0)
    v = __shfl_sync(mask, v, 1); // BUG: mask_of_others
  out[t] = v;
}
TWINS(mask_of_others, bool wrong, true, false) {
  RUN(of_the_positive, kThreads);
}

__global__ void no_lane(bool wrong, int *out) {
  int t = threadIdx.x;
  unsigned lanes = wrong ? 0 : kFull;
  out[t] = __all_sync(lanes, t >= 0); // BUG: empty_mask
}
TWINS(empty_mask, bool wrong, true, false) {
  RUN(no_lane, kThreads);
}

__global__ void lower_half(bool wrong, int *out) {
  int t = threadIdx.x, lane = t % 32;
  unsigned mask = wrong ? (1u << lane) - 1 : 0xffffu << (lane & 16);
  out[t] = (int)__ballot_sync(mask, 1); // BUG: lanes_below
}
TWINS(lanes_below, bool wrong, true, false) {
  RUN(lower_half, kThreads);
}

__global__ void shuffle_in_ptx(bool wrong, int *out) {
  int t = threadIdx.x, v;
  unsigned mask = wrong ? 0x0000fffe : kFull;
  asm volatile("shfl.sync.idx.b32 %0, %1, 3, 31, %2;" : "=r"(v) : "r"(t), "r"(mask)); // BUG: inline_ptx
  out[t] = v;
}
TWINS(inline_ptx, bool wrong, true, false) {
  RUN(shuffle_in_ptx, kThreads);
}

// ---- a lane that the mask names never comes ----

__global__ void half_then_block(bool wrong, int *out) {
  int t = threadIdx.x, v = t;
  if (t % 32 < 16)
    v += __shfl_down_sync(wrong ? kFull : 0xffff, v, 8); // BUG: waits_for_the_block
  __syncthreads();
  out[t] = v;
}
TWINS(waits_for_the_block, bool wrong, true, false) {
  RUN(half_then_block, kThreads);
}

__global__ void half_then_vote(bool wrong, int *out) {
  int t = threadIdx.x, v = t;
  if (t % 32 < 16)
    v += __shfl_xor_sync(wrong ? kFull : 0xffff, v, 8); // BUG: waits_in_another_operation
  out[t] = (int)__ballot_sync(kFull, v % 2);
}
TWINS(waits_in_another_operation, bool wrong, true, false) {
  RUN(half_then_vote, kThreads);
}

__global__ void trips(bool wrong, int *out) {
  __shared__ int sums[kThreads];
  int t = threadIdx.x, n = wrong ? t % 7 : 7, v = t;
  for (int i = 0; i < n; i++)
    v += __shfl_xor_sync(kFull, v, 1); // BUG: iterations_by_lane
  sums[t] = v;
  __syncthreads();
  out[t] = sums[kThreads - 1 - t];
}
TWINS(iterations_by_lane, bool wrong, true, false) {
  RUN(trips, kThreads);
}

__global__ void leaves(bool wrong, int *out) {
  int t = threadIdx.x, v = t;
  unsigned mask = __activemask();
  for (int i = 0; i < 8; i++) {
    if (i == t % 9)
      break;
    if (!wrong)
      mask = __activemask();
    v = __shfl_sync(mask, v, 31); // BUG: left_by_break
  }
  __syncthreads();
  out[t] = v;
}
TWINS(left_by_break, bool wrong, true, false) {
  RUN(leaves, kThreads);
}

__device__ __noinline__ static int most(unsigned mask, int v) {
  for (int i = 16; i > 0; i /= 2)
    v = max(v, __shfl_xor_sync(mask, v, i)); // BUG: in_function
  return v;
}
__global__ void calls(bool wrong, int *out) {
  int t = threadIdx.x;
  if (wrong ? t % 2 : t < 32)
    out[t] = most(kFull, t);
  __syncthreads();
  out[t]++;
}
TWINS(in_function, bool wrong, true, false) {
  RUN(calls, kThreads);
}

__global__ void tiles(bool wrong, int *out) {
  __shared__ int tile[kThreads];
  int t = threadIdx.x;
  auto group = cg::tiled_partition<8>(cg::this_thread_block());
  tile[t] = t;
  if (!wrong || group.thread_rank() < 5)
    group.sync(); // BUG: part_of_a_tile
  __syncthreads();
  out[t] = tile[t ^ 1];
}
TWINS(part_of_a_tile, bool wrong, true, false) {
  RUN(tiles, kThreads);
}

__global__ void matches(bool wrong, int *out) {
  int t = threadIdx.x, v = t % 4;
  if (v < (wrong ? 3 : 4))
    v = (int)__match_any_sync(kFull, v); // BUG: some_match
  __syncwarp();
  out[t] = v;
}
TWINS(some_match, bool wrong, true, false) {
  RUN(matches, kThreads);
}

__global__ void sums(bool wrong, int *out) {
  int t = threadIdx.x, v = t;
  if (!wrong || v % 32 != 5)
    v = (int)__reduce_add_sync(kFull, (unsigned)v); // BUG: some_reduce
  __syncthreads();
  out[t] = v;
}
TWINS(some_reduce, bool wrong, true, false) {
  RUN(sums, kThreads);
}

__global__ void two_orders(bool wrong, int *out) {
  int t = threadIdx.x, v;
  if (t % 2) {
    v = (int)__ballot_sync(kFull, t > 5); // BUG: crossed_order
    __syncwarp();
  } else if (wrong) {
    __syncwarp();
    v = (int)__ballot_sync(kFull, t > 5);
  } else {
    v = (int)__ballot_sync(kFull, t > 5);
    __syncwarp();
  }
  __syncthreads();
  out[t] = v != 0;
}
TWINS(crossed_order, bool wrong, true, false) {
  RUN(two_orders, kThreads);
}

// ---- masks differ ----

__global__ void nested(bool wrong, int *out) {
  int t = threadIdx.x;
  unsigned mask = t % 32 < 16 ? 0xffff : wrong ? kFull : 0xffff0000;
  out[t] = __any_sync(mask, t == 3); // BUG: overlapping_masks
}
TWINS(overlapping_masks, bool wrong, true, false) {
  RUN(nested, kThreads);
}

__global__ void shifted(bool wrong, int *out) {
  int t = threadIdx.x, lane = t % 32, first = lane / 4 * 4;
  unsigned mask = wrong ? 0x1fu << first : 0xfu << first;
  out[t] = __shfl_sync(mask, t, first); // BUG: mask_of_five
}
TWINS(mask_of_five, bool wrong, true, false) {
  RUN(shifted, kThreads);
}

// ---- lanes that meet in memory ----

using Object = unsigned long long;
__device__ static unsigned at(Object *object) {
  return (unsigned)__cvta_generic_to_shared(object);
}
__device__ static void all_arrive(Object *object, int t, int threads) {
  int passed = 0;
  if (t == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(object)), "r"(threads) : "memory");
  __syncthreads();
  asm volatile("{.reg .b64 state; mbarrier.arrive.shared.b64 state, [%0];}" ::"r"(at(object)) : "memory");
  while (!passed)
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.b32 %0, 1, 0, p;}"
                 : "=r"(passed)
                 : "r"(at(object))
                 : "memory");
}

__global__ void apart_lacks(bool wrong, int *out) {
  __shared__ Object full;
  int t = threadIdx.x;
  all_arrive(&full, t, kThreads);
  out[t] = (int)__ballot_sync(wrong ? 0x7fffffff : kFull, 1); // BUG: apart_caller_not_named
}
TWINS(apart_caller_not_named, bool wrong, true, false) {
  RUN(apart_lacks, kThreads);
}

__global__ void apart_barrier(bool wrong, int *out) {
  __shared__ Object full;
  int t = threadIdx.x, v = t;
  all_arrive(&full, t, kThreads);
  if (t % 32 < 16)
    v += __shfl_down_sync(wrong ? kFull : 0xffff, v, 8); // BUG: apart_waits_for_the_block
  __syncthreads();
  out[t] = v;
}
TWINS(apart_waits_for_the_block, bool wrong, true, false) {
  RUN(apart_barrier, kThreads);
}

__global__ void apart_vote(bool wrong, int *out) {
  __shared__ Object full;
  int t = threadIdx.x, v = t;
  all_arrive(&full, t, kThreads);
  if (t % 32 < 16)
    v += __shfl_xor_sync(wrong ? kFull : 0xffff, v, 8); // BUG: apart_waits_in_another_operation
  out[t] = (int)__ballot_sync(kFull, v % 2);
}
TWINS(apart_waits_in_another_operation, bool wrong, true, false) {
  RUN(apart_vote, kThreads);
}

// ---- right ----

__global__ void exchange(int *out) {
  int t = threadIdx.x, v = t;
  for (int i = 16; i > 0; i /= 2)
    v += __shfl_xor_sync(kFull, v, i);
  out[t] = v;
}
CASE(full_warps) {
  RUN_CLEAN(exchange, kThreads, value(out) == 496);
}
// The last warp has 8 lanes, and a mask may name those that the block does not have.
__global__ void down(int *out) {
  int t = threadIdx.x, v = 1;
  for (int i = 16; i > 0; i /= 2)
    v += __shfl_down_sync(kFull, v, i);
  __syncthreads();
  if (t % 32 == 0)
    out[t / 32] = v;
}
CASE(partial_last_warp) {
  RUN_CLEAN(down, 72, value(out) == 32);
}
CASE(less_than_a_warp) {
  RUN_CLEAN(down, 16, value(out) > 0);
}

// Lanes that have returned are not waited for.
__global__ void returns(int *out) {
  int t = threadIdx.x;
  if (t >= 50)
    return;
  int n = __popc(__ballot_sync(kFull, 1));
  __syncwarp();
  __syncthreads();
  out[t] = n;
}
CASE(returned_lanes) {
  RUN_CLEAN(returns, kThreads, value(out) == 32 && value(out + 40) == 18);
}
__global__ void under_guard(int *out) {
  int t = threadIdx.x;
  if (t < 50) {
    int v = t;
    for (int i = 16; i > 0; i /= 2)
      v += __shfl_down_sync(kFull, v, i);
    if (t == 0)
      out[0] = v;
  }
}
CASE(guard_to_the_end) {
  RUN_CLEAN(under_guard, kThreads, value(out) == 496);
}

// Since Volta, lanes may meet from different calls.
__global__ void both_sides(int *out) {
  __shared__ int tile[kThreads];
  int t = threadIdx.x;
  tile[t] = t;
  if (t % 2) {
    __syncwarp();
    out[t] = tile[t ^ 1];
  } else {
    __syncwarp();
    out[t] = -tile[t ^ 1];
  }
  __syncthreads();
}
CASE(calls_on_both_sides) {
  RUN_CLEAN(both_sides, kThreads, value(out + 3) == 2 && value(out + 4) == -5);
}

__global__ void ballots(int *out) {
  int t = threadIdx.x, v = t % 3;
  unsigned mask = __ballot_sync(kFull, v > 0);
  if (v > 0) {
    v += __shfl_sync(mask, v, __ffs((int)mask) - 1);
    unsigned inner = __ballot_sync(mask, v > 2);
    if (v > 2)
      v = __popc(__ballot_sync(inner, 1));
    __syncwarp(mask);
  }
  __syncwarp();
  out[t] = v;
}
CASE(masks_of_ballots) {
  RUN_CLEAN(ballots, kThreads, value(out) == 0);
}

__global__ void shrinking(int *out) {
  int t = threadIdx.x, v = t, n = 0;
  unsigned mask = kFull;
  while (true) {
    mask = __ballot_sync(mask, n < t % 7);
    if (n >= t % 7)
      break;
    v += __shfl_sync(mask, v, __ffs((int)mask) - 1);
    n++;
  }
  __syncthreads();
  out[t] = n;
}
CASE(shrinking_mask) {
  RUN_CLEAN(shrinking, kThreads, value(out + 6) == 6);
}

__global__ void active(int *out) {
  int t = threadIdx.x;
  if (t % 3 == 1) {
    unsigned mask = __activemask();
    int first = __ffs((int)mask) - 1, old = 0;
    if (t % 32 == first)
      old = atomicAdd(&out[100 + t / 32], __popc(mask));
    old = __shfl_sync(mask, old, first);
    __syncwarp(mask);
    out[t] = old + __popc(mask & ((1u << t % 32) - 1));
  }
  auto group = cg::coalesced_threads();
  if (t % 2) {
    auto odd = cg::coalesced_threads();
    odd.sync();
    out[t] += odd.shfl(1, 0);
  }
  group.sync();
  __syncthreads();
}
CASE(masks_of_active_lanes) {
  RUN_CLEAN(active, kThreads, value(out + 100) == 22);
}

__global__ void tiled(int *out) {
  int t = threadIdx.x, v = t;
  auto four = cg::tiled_partition<4>(cg::this_thread_block());
  auto half = cg::tiled_partition<16>(cg::this_thread_block());
  for (int i = four.size() / 2; i > 0; i /= 2)
    v += four.shfl_down(v, i);
  if (t / 16 % 2) {
    half.sync();
    v += half.any(t == 20);
  }
  auto labels = cg::labeled_partition(four, t % 2);
  v += labels.size();
  __syncthreads();
  out[t] = v;
}
CASE(tiles_of_groups) {
  RUN_CLEAN(tiled, kThreads, value(out) == 6 + 2);
}

__global__ void equal_keys(int *out) {
  int t = threadIdx.x;
  unsigned mask = __match_any_sync(kFull, t % 5);
  int sum = (int)__reduce_add_sync(mask, 1u);
  int pred, all = (int)__match_all_sync(mask, t % 5, &pred);
  __syncwarp(mask);
  out[t] = sum + (all == (int)mask) + pred;
}
CASE(masks_of_matches) {
  RUN_CLEAN(equal_keys, kThreads, value(out) == 9);
}

__global__ void roles(int *out) {
  __shared__ int sums[4];
  int t = threadIdx.x, v = t;
  for (int i = 16; i > 0; i /= 2)
    v += __shfl_down_sync(kFull, v, i);
  if (t % 32 == 0)
    sums[t / 32] = v;
  __syncthreads();
  if (t < 32) {
    v = t < (int)blockDim.x / 32 ? sums[t] : 0;
    for (int i = 16; i > 0; i /= 2)
      v += __shfl_down_sync(kFull, v, i);
    if (t == 0)
      out[0] = v;
  } else if (t < 64)
    __syncwarp();
}
CASE(first_warp_reduces) {
  RUN_CLEAN(roles, 128, value(out) == 128 * 127 / 2);
}

__global__ void until_none(int *out) {
  int t = threadIdx.x, n = t % 11, rounds = 0;
  while (__any_sync(kFull, n > 0)) {
    n--;
    rounds++;
  }
  __syncwarp();
  out[t] = rounds;
}
CASE(vote_as_condition) {
  RUN_CLEAN(until_none, kThreads, value(out) == 10);
}

// A kernel that waits: lanes come from different calls, in any order, and some have returned.
__global__ void apart(int *out) {
  __shared__ Object full;
  int t = threadIdx.x, v = t;
  all_arrive(&full, t, 48);
  if (t >= 40)
    return;
  if (t % 2)
    v += (int)__ballot_sync(kFull, 0);
  else
    v += (int)__ballot_sync(kFull, 0);
  unsigned mask = __ballot_sync(kFull, t % 32 < 20);
  if (t % 32 < 20)
    v += __shfl_sync(mask, 1, 0);
  __syncwarp();
  __syncthreads();
  out[t] = v;
}
CASE(apart_right) {
  RUN_CLEAN(apart, 48, value(out) == 1 && value(out + 30) == 30);
}
