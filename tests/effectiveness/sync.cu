// sync.cu: barriers that the threads of a warp do not reach together, and code in which they do (--detect=sync).
#include "case.h"
#include <cooperative_groups.h>

enum { kThreads = 128 };

// Runs a kernel with `wrong`. Barriers order nothing here: only who waits where is of interest.
#define RUN(kernel, blocks, threads)                                                                                   \
  int *out = buffer<int>(1024);                                                                                        \
  kernel<<<blocks, threads>>>(wrong, out);                                                                             \
  LAUNCHED();                                                                                                          \
  release(out)
#define RUN_CLEAN(kernel, blocks, threads, expected)                                                                   \
  int *out = buffer<int>(1024);                                                                                        \
  kernel<<<blocks, threads>>>(out);                                                                                    \
  LAUNCHED();                                                                                                          \
  EXPECT(expected);                                                                                                    \
  release(out)

__global__ void both_sides(bool wrong, int *out) {
  int t = threadIdx.x;
  if (wrong ? t % 2 : blockIdx.x % 2) {
    out[t] = 1;
    __syncthreads(); // BUG: two_sides
  } else {
    out[t] = 2;
    __syncthreads();
  }
  out[t]++;
}
TWINS(two_sides, bool wrong, true, false) {
  RUN(both_sides, 2, kThreads);
}

__global__ void half_of_warp(bool wrong, int *out) {
  __shared__ int tile[kThreads];
  int t = threadIdx.x;
  tile[t] = t;
  if (t < (wrong ? 16 : kThreads)) {
    tile[t]++;
    __syncthreads(); // BUG: skipped_by_lanes
    tile[t]++;
  }
  __syncthreads();
  out[t] = tile[kThreads - 1 - t];
}
TWINS(skipped_by_lanes, bool wrong, true, false) {
  RUN(half_of_warp, 2, kThreads);
}

__global__ void trip_count(bool wrong, int *out) {
  int t = threadIdx.x, n = wrong ? t % 3 : 3;
  for (int i = 0; i <= n; i++) {
    out[t + 128] += i;
    __syncthreads(); // BUG: trips_by_thread
  }
  out[t + 256] = 1;
  __syncthreads();
  out[t + 384] = 1;
}
TWINS(trips_by_thread, bool wrong, true, false) {
  RUN(trip_count, 1, kThreads);
}

__global__ void one_iteration(bool wrong, int *out) {
  int t = threadIdx.x;
  for (int i = 0; i < 4; i++) {
    out[t] += i;
    if (!wrong || i != 1 || t < 16)
      __syncthreads(); // BUG: skipped_iteration
    out[t] *= 2;
  }
}
TWINS(skipped_iteration, bool wrong, true, false) {
  RUN(one_iteration, 1, kThreads);
}

__global__ void many_iterations(bool wrong, int *out) {
  int t = threadIdx.x, n = out[0] + 40;
  for (int i = 0; i < n; i++) {
    out[t + 128] += i;
    if (!wrong || i != 17 || t % 32 < 5)
      __syncthreads(); // BUG: skipped_iteration_of_many
    out[t + 128] *= 2;
  }
}
TWINS(skipped_iteration_of_many, bool wrong, true, false) {
  RUN(many_iterations, 1, kThreads);
}

__global__ void counts(bool wrong, int *out) {
  int t = threadIdx.x;
  if (wrong ? t & 4 : 1)
    out[t] = __syncthreads_count(t < 7); // BUG: reduction_of_some
  out[t] += __syncthreads_or(t == 3);
}
TWINS(reduction_of_some, bool wrong, true, false) {
  RUN(counts, 1, kThreads);
}

__device__ __noinline__ void wait_and_add(int *at) {
  *at += 1;
  __syncthreads(); // BUG: in_function
  *at += 1;
}
__global__ void calls(bool wrong, int *out) {
  int t = threadIdx.x;
  if (wrong ? t == 40 : blockIdx.x == 0)
    wait_and_add(out + t);
  __syncthreads();
  out[t]++;
}
TWINS(in_function, bool wrong, true, false) {
  RUN(calls, 2, kThreads);
}

__global__ void leaves_loop(bool wrong, int *out) {
  int t = threadIdx.x, left = wrong ? t % 5 : out[0] + 5;
  for (;;) {
    if (left-- == 0)
      break;
    out[t + 128]++;
    __syncthreads(); // BUG: left_by_break
  }
  out[t + 256] = __syncthreads_and(1);
}
TWINS(left_by_break, bool wrong, true, false) {
  RUN(leaves_loop, 1, kThreads);
}

__device__ void guarded(int *out, int n) {
  int t = threadIdx.x + blockDim.x * threadIdx.y;
  if (t >= n)
    return;
  out[t] = t;
  __syncthreads(); // BUG: return_of_function
  out[t]++;
}
__global__ void returns(bool wrong, int *out) {
  guarded(out, wrong ? 100 : 128);
  __syncthreads();
  out[threadIdx.x + 512] = 1;
}
TWINS(return_of_function, bool wrong, true, false) {
  RUN(returns, 1, dim3(16, 8));
}

__global__ void chooses(bool wrong, int *out) {
  int t = threadIdx.x;
  switch (wrong ? t % 3 : blockIdx.x) {
  case 0:
    out[t] = 1;
    __syncthreads(); // BUG: cases_of_switch
    break;
  case 1:
    out[t] = 2;
    __syncthreads();
    out[t]++;
    break;
  default:
    out[t] = 3;
  }
  __syncthreads();
  out[t] *= 2;
}
TWINS(cases_of_switch, bool wrong, true, false) {
  RUN(chooses, 3, kThreads);
}

__global__ void reduces(bool wrong, int *out) {
  __shared__ int tile[kThreads];
  int t = threadIdx.x;
  tile[t] = t;
  __syncthreads();
  for (int s = kThreads / 2; s > 0; s /= 2) {
    if (t < s)
      tile[t] += tile[t + s];
    if (!wrong || t < s)
      __syncthreads(); // BUG: barrier_of_the_active
  }
  __syncthreads();
  out[t] = tile[0];
}
TWINS(barrier_of_the_active, bool wrong, true, false) {
  RUN(reduces, 2, kThreads);
}

/* ---- correct code ---- */

__global__ void guard(int *out) {
  __shared__ int tile[kThreads];
  int t = threadIdx.x;
  if (t >= 100)
    return;
  tile[t] = t;
  __syncthreads();
  out[t] = tile[99 - t];
  __syncthreads();
  out[t]++;
}
CASE(return_before_barrier) {
  RUN_CLEAN(guard, 1, kThreads, value(out) == 100);
}

// Both sides store to the same address at the end.
__global__ void guard_with_store(int *out) {
  __shared__ int tile[kThreads];
  int t = threadIdx.x;
  if (t >= 100) {
    out[t] = -1;
    return;
  }
  tile[t] = t;
  __syncthreads();
  out[t] = tile[99 - t];
}
CASE(store_and_return) {
  RUN_CLEAN(guard_with_store, 2, kThreads, value(out) == 99 && value(out + 101) == -1);
}

__global__ void returns_in_loop(int *out) {
  int t = threadIdx.x;
  for (int i = 0; i < 20; i++) {
    if (t == 3 * i)
      return;
    out[t]++;
    __syncthreads();
  }
  out[t] *= 2;
}
CASE(return_in_loop) {
  RUN_CLEAN(returns_in_loop, 1, kThreads, value(out + 3) == 1 && value(out + 1) == 40);
}

// Lanes skip the barriers at two depths, or in any number of iterations.
__global__ void skips_at_depths(int *out) {
  int t = threadIdx.x, never = out[0] + kThreads;
  if (t % 3 == 0)
    for (int i = 0; i < t % 4; i++) {
      out[t + 128]++;
      if (t >= never)
        __syncthreads();
    }
  __syncthreads();
  out[t + 256] = out[255 - t];
}
CASE(skipped_at_two_depths) {
  RUN_CLEAN(skips_at_depths, 1, kThreads, value(out + 256 + 124) == 3);
}

// Lanes leave the loop by its condition, and by a break after the same number of barriers.
__global__ void two_ways_out(int *out) {
  int t = threadIdx.x, last = out[0] + (t % 2 ? 2 : 5);
  for (int i = 0; i <= last; i++) {
    out[t + 128]++;
    __syncthreads();
    if (i == 2)
      break;
    out[t + 256]++;
  }
  out[t + 256] *= 2;
  __syncthreads();
  out[t + 384] = out[383 - t];
}
CASE(loop_left_in_two_ways) {
  RUN_CLEAN(two_ways_out, 1, kThreads, value(out + 384 + 127) == 4);
}

__global__ void until_none(int *out) {
  int t = threadIdx.x, left = t % 9;
  while (__syncthreads_or(left > 0)) {
    if (left > 0)
      left--;
    out[t]++;
  }
}
CASE(reduction_as_condition) {
  RUN_CLEAN(until_none, 1, kThreads, value(out + 5) == 8);
}

__global__ void until_flag(int *out) {
  __shared__ int done;
  int t = threadIdx.x, i = 0;
  do {
    __syncthreads();
    if (t == 0)
      done = i == 12;
    __syncthreads();
    out[t + 128]++;
    i++;
  } while (!done);
}
CASE(flag_in_shared_memory) {
  RUN_CLEAN(until_flag, 1, kThreads, value(out + 128) == 13);
}

// Uniform, which no analysis can see: the bound and the condition are values in memory.
__global__ void of_memory(int *out) {
  int t = threadIdx.x, *at = t % 2 ? out + 1023 : out + 1022, n = *at + 6;
  for (int i = 0; i < n; i++) {
    if (*at == 0) {
      out[t]++;
      __syncthreads();
    } else {
      out[t]--;
    }
    if (i % 2 == *at)
      __syncthreads();
  }
  __syncthreads();
  out[t]++;
}
CASE(uniform_by_value) {
  RUN_CLEAN(of_memory, 1, kThreads, value(out) == 7);
}

// Warps wait at different calls, the same number of times: the hardware's barrier counts warps.
__global__ void roles(int *out) {
  __shared__ int tile[32];
  int t = threadIdx.x;
  if (t < 32) {
    for (int i = 0; i < 4; i++) {
      tile[t] = i;
      __syncthreads();
      __syncthreads();
    }
  } else {
    for (int i = 0; i < 4; i++) {
      __syncthreads();
      out[t] += tile[t % 32];
      __syncthreads();
    }
  }
  __syncthreads();
  out[t]++;
}
CASE(roles_of_warps) {
  RUN_CLEAN(roles, 1, kThreads, value(out + 40) == 7);
}

namespace cg = cooperative_groups;
__global__ void groups(int *out) {
  cg::thread_block block = cg::this_thread_block();
  auto tile = cg::tiled_partition<16>(block);
  int t = block.thread_rank(), sum = t;
  for (int s = 8; s > 0; s /= 2)
    sum += tile.shfl_xor(sum, s);
  block.sync();
  out[t] = sum;
  tile.sync();
  block.sync();
  out[t]++;
}
CASE(groups_of_threads) {
  RUN_CLEAN(groups, 1, 64, value(out) == 121);
}

__device__ int scan(int *tile, int value) {
  int t = threadIdx.x;
  tile[t] = value;
  __syncthreads();
  for (int s = 1; s < blockDim.x; s *= 2) {
    int before = t >= s ? tile[t - s] : 0;
    __syncthreads();
    tile[t] += before;
    __syncthreads();
  }
  return tile[t];
}
__global__ void scans(int *out) {
  __shared__ int tile[kThreads];
  int t = threadIdx.x, sum = 0;
  for (int i = 0; i < out[1000] + 3; i++)
    sum += scan(tile, t < 64 ? scan(tile, 1) * 0 + 1 : scan(tile, 1));
  out[t] = sum;
}
CASE(functions_with_barriers) {
  RUN_CLEAN(scans, 1, 64, value(out + 63) == 192);
}

__global__ void ends_apart(int *out) {
  int t = threadIdx.x;
  for (int i = 0; i < t / 32; i++) {
    out[t]++;
    __syncthreads();
  }
}
CASE(warps_end_apart) {
  RUN_CLEAN(ends_apart, 1, kThreads, value(out + 127) == 3);
}
