// race_shared.cu: data races in shared memory, and code that has none (--detect=race).
#include "case.h"
#include <cooperative_groups.h>

enum { kThreads = 128 };

// Runs a kernel with `wrong` and a result for each thread; the result of a race is not defined.
#define RUN(kernel, blocks, threads, shared, wrong)                                                                    \
  int *out = buffer<int>(1024);                                                                                        \
  kernel<<<blocks, threads, shared>>>(wrong, out);                                                                     \
  LAUNCHED()
#define DONE(expected)                                                                                                 \
  EXPECT(expected);                                                                                                    \
  release(out)

__global__ void tree(bool wrong, int *out) {
  __shared__ int tile[kThreads];
  int t = threadIdx.x;
  tile[t] = t;
  __syncthreads();
  for (int s = kThreads / 2; s > 0; s /= 2) {
    if (t < s)
      tile[t] += tile[t + s]; // BUG: tree_reduction
    if (!wrong)
      __syncthreads();
  }
  if (t == 0)
    *out = tile[0];
}
TWINS(tree_reduction, bool wrong, true, false) {
  RUN(tree, 2, kThreads, 0, wrong);
  DONE(wrong || value(out) == 8128);
}

__global__ void pass_on(bool wrong, int *out) {
  __shared__ int tile[kThreads];
  int t = threadIdx.x;
  tile[t] = t + 1; // BUG: read_of_neighbour
  if (!wrong)
    __syncthreads();
  out[t] = tile[(t + 1) % kThreads];
}
TWINS(read_of_neighbour, bool wrong, true, false) {
  RUN(pass_on, 3, kThreads, 0, wrong);
  DONE(wrong || value(out + 5) == 7);
}

__global__ void reuse(bool wrong, int *out) {
  __shared__ int tile[kThreads];
  int t = threadIdx.x, sum = 0;
  for (int round = 0; round < 4; round++) {
    tile[t] = t + round;
    __syncthreads();
    sum += tile[kThreads - 1 - t]; // BUG: reused_tile
    if (!wrong)
      __syncthreads();
  }
  out[t] = sum;
}
TWINS(reused_tile, bool wrong, true, false) {
  RUN(reuse, 2, kThreads, 0, wrong);
  DONE(wrong || value(out) == 4 * 127 + 6);
}

// Atomic operations of its own warp follow the store, which those of the other warps do not wait for.
__global__ void set_by_warp(bool wrong, int *out) {
  __shared__ int counter;
  int t = threadIdx.x;
  if (t == 0)
    counter = 5;
  if (wrong)
    __syncwarp();
  else
    __syncthreads();
  atomicAdd(&counter, 1); // BUG: counter_set_by_a_warp
  __syncthreads();
  out[t] = counter;
}
TWINS(counter_set_by_a_warp, bool wrong, true, false) {
  RUN(set_by_warp, 2, kThreads, 0, wrong);
  DONE(wrong || value(out) == 5 + kThreads);
}

// The atomic operation before the store is of the thread itself, and those of the others are before that.
__global__ void reset_by_last(bool wrong, int *out) {
  __shared__ int counter;
  int t = threadIdx.x;
  if (t == 0)
    counter = 0;
  __syncthreads();
  atomicAdd(&counter, 1);
  if (!wrong)
    __syncthreads();
  if (t == kThreads - 1)
    counter = 5; // BUG: counter_reset_by_last
  __syncthreads();
  out[t] = counter;
}
TWINS(counter_reset_by_last, bool wrong, true, false) {
  RUN(reset_by_last, 2, kThreads, 0, wrong);
  DONE(wrong || value(out) == 5);
}

extern __shared__ int dynamic[];
__global__ void rotate(bool wrong, int *out) {
  int t = threadIdx.x;
  dynamic[t] = t + 1; // BUG: dynamic_memory
  if (!wrong)
    __syncthreads();
  out[t] = dynamic[(t + 64) % kThreads];
}
TWINS(dynamic_memory, bool wrong, true, false) {
  RUN(rotate, 2, kThreads, kThreads * sizeof(int), wrong);
  DONE(wrong || value(out) == 65);
}

__global__ void count_from(bool wrong, int *out) {
  __shared__ int bins[16];
  int t = threadIdx.x;
  if (t < 16)
    bins[t] = t + 1; // BUG: store_against_atomic
  if (!wrong)
    __syncthreads();
  atomicAdd(&bins[(t + 5) % 16], 1);
  __syncthreads();
  if (t < 16)
    out[t] = bins[t];
}
TWINS(store_against_atomic, bool wrong, true, false) {
  RUN(count_from, 2, kThreads, 0, wrong);
  DONE(wrong || value(out + 3) == 12);
}

__global__ void clear_after(bool wrong, int *out) {
  __shared__ int bins[16];
  int t = threadIdx.x;
  if (t < 16)
    bins[t] = 1;
  __syncthreads();
  out[t] = atomicAdd(&bins[(t + 5) % 16], 1);
  if (!wrong)
    __syncthreads();
  if (t < 16)
    bins[t] = -1; // BUG: atomic_against_store
}
TWINS(atomic_against_store, bool wrong, true, false) {
  RUN(clear_after, 1, kThreads, 0, wrong);
  DONE(true);
}

__global__ void elect(bool wrong, int *out) {
  __shared__ int leader;
  if (wrong || threadIdx.x == 7)
    leader = threadIdx.x; // BUG: two_writers
  __syncthreads();
  out[threadIdx.x] = leader;
}
TWINS(two_writers, bool wrong, true, false) {
  RUN(elect, 1, kThreads, 0, wrong);
  DONE(wrong || value(out) == 7);
}

__global__ void in_warp(bool wrong, int *out) {
  __shared__ int lanes[64];
  int t = threadIdx.x;
  lanes[t] = t;
  lanes[t + 32] = 0;
  __syncwarp();
  for (int s = 16; s > 0; s /= 2) {
    int sum = lanes[t] + lanes[t + s];
    if (!wrong)
      __syncwarp();
    lanes[t] = sum; // BUG: lanes_of_a_warp
    __syncwarp();
  }
  out[t] = lanes[0];
}
TWINS(lanes_of_a_warp, bool wrong, true, false) {
  RUN(in_warp, 2, 32, 0, wrong);
  DONE(wrong || value(out) == 496);
}

// With a shuffle, the CPU device runs the lanes of a warp in lock step.
__global__ void with_shuffle(bool wrong, int *out) {
  __shared__ int lanes[32];
  int t = threadIdx.x;
  lanes[t] = __shfl_xor_sync(~0u, t, 1);
  if (!wrong)
    __syncwarp();
  out[t] = lanes[31 - t]; // BUG: shuffle_is_no_barrier
}
TWINS(shuffle_is_no_barrier, bool wrong, true, false) {
  RUN(with_shuffle, 2, 32, 0, wrong);
  DONE(wrong || value(out) == 30);
}

__global__ void letters(bool wrong, int *out) {
  __shared__ char text[kThreads];
  int t = threadIdx.x;
  text[t] = (char)('a' + t % 26); // BUG: bytes
  if (!wrong)
    __syncthreads();
  out[t] = text[t ^ 1];
}
TWINS(bytes, bool wrong, true, false) {
  RUN(letters, 1, kThreads, 0, wrong);
  DONE(wrong || value(out) == 'b');
}

static __device__ __attribute__((noinline)) void put(double *to, double v) {
  *to = v; // BUG: through_a_pointer
}
__global__ void indirect(bool wrong, int *out) {
  __shared__ double tile[kThreads];
  int t = threadIdx.x;
  put(tile + t, t + 0.5);
  if (!wrong)
    __syncthreads();
  out[t] = (int)(2 * tile[(t + 1) % kThreads]);
}
TWINS(through_a_pointer, bool wrong, true, false) {
  RUN(indirect, 1, kThreads, 0, wrong);
  DONE(wrong || value(out) == 3);
}

__global__ void wide(bool wrong, int *out) {
  __shared__ float4 tile[32];
  int t = threadIdx.x;
  tile[t] = make_float4(t, t + 1, t + 2, t + 3); // BUG: wide_store
  if (!wrong)
    __syncthreads();
  out[t] = (int)((float *)tile)[4 * ((t + 1) % 32) + 2];
}
TWINS(wide_store, bool wrong, true, false) {
  RUN(wide, 1, 32, 0, wrong);
  DONE(wrong || value(out) == 3);
}

__global__ void transpose(bool wrong, int *out) {
  __shared__ int tile[16][17];
  tile[threadIdx.y][threadIdx.x] = threadIdx.y * 16 + threadIdx.x; // BUG: transposed_tile
  if (!wrong)
    __syncthreads();
  out[threadIdx.y * 16 + threadIdx.x] = tile[threadIdx.x][threadIdx.y];
}
TWINS(transposed_tile, bool wrong, true, false) {
  int *out = buffer<int>(1024);
  transpose<<<2, dim3(16, 16)>>>(wrong, out);
  LAUNCHED();
  DONE(wrong || value(out + 1) == 16);
}

__global__ void scan(bool wrong, int *out) {
  __shared__ int sums[kThreads];
  int t = threadIdx.x;
  sums[t] = 1;
  __syncthreads();
  for (int d = 1; d < kThreads; d *= 2) {
    int before = t >= d ? sums[t - d] : 0; // BUG: scan_with_one_barrier
    if (!wrong)
      __syncthreads();
    sums[t] += before;
    __syncthreads();
  }
  out[t] = sums[t];
}
TWINS(scan_with_one_barrier, bool wrong, true, false) {
  RUN(scan, 1, kThreads, 0, wrong);
  DONE(wrong || value(out + 127) == 128);
}

struct Item {
  int key;
  double weight;
};
__global__ void items(bool wrong, int *out) {
  __shared__ Item table[64];
  int t = threadIdx.x;
  Item mine = {t, 0.25 * t};
  table[t] = mine; // BUG: structures
  if (!wrong)
    __syncthreads();
  Item other = table[63 - t];
  out[t] = other.key + (int)(4 * other.weight);
}
TWINS(structures, bool wrong, true, false) {
  RUN(items, 1, 64, 0, wrong);
  DONE(wrong || value(out) == 126);
}

__global__ void last_block(bool wrong, int *out) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  tile[t] = t; // BUG: only_in_one_block
  if (!wrong || blockIdx.x != 150)
    __syncthreads();
  if (blockIdx.x == 150)
    out[t] = tile[63 - t];
}
TWINS(only_in_one_block, bool wrong, true, false) {
  RUN(last_block, 200, 64, 0, wrong);
  DONE(wrong || value(out) == 63);
}

__global__ void publish(bool wrong, int *out) {
  __shared__ int data, flag;
  int t = threadIdx.x;
  if (t == 0)
    data = 0, flag = 0;
  __syncthreads();
  if (t == 0) {
    data = 42;
    if (!wrong)
      __threadfence_block();
    atomicExch(&flag, 1);
  }
  int seen = atomicAdd(&flag, 0);
  out[t] = seen ? data : 42; // BUG: flag_without_fence
}
TWINS(flag_without_fence, bool wrong, true, false) {
  RUN(publish, 1, 64, 0, wrong);
  DONE(wrong || value(out + 9) == 42);
}

// ---- without races ----

__global__ void same_value(bool, int *out) {
  __shared__ int found, other;
  if (threadIdx.x == 0)
    found = other = 0;
  __syncthreads();
  if (threadIdx.x % 3 == 0)
    found = 1;
  if (__shfl_sync(~0u, threadIdx.x, 1) == 1)
    other = 5;
  __syncthreads();
  out[threadIdx.x] = found + other;
}
CASE(one_value_by_many) {
  RUN(same_value, 2, 64, 0, false);
  DONE(value(out) == 6 || value(out) == 1);
}

__global__ void double_buffer(bool, int *out) {
  __shared__ int tile[2][kThreads];
  int t = threadIdx.x, sum = 0;
  tile[0][t] = t;
  __syncthreads();
  for (int round = 0; round < 5; round++) {
    tile[(round + 1) % 2][t] = t + round;
    sum += tile[round % 2][(t + 1) % kThreads];
    __syncthreads();
  }
  out[t] = sum;
}
CASE(two_buffers) {
  RUN(double_buffer, 2, kThreads, 0, false);
  DONE(value(out) == 11);
}

__global__ void neighbours_of_a_word(bool, int *out) {
  __shared__ unsigned char bytes[kThreads];
  __shared__ short halves[kThreads];
  int t = threadIdx.x;
  for (int i = 0; i < 3; i++) {
    bytes[t] = (unsigned char)(t + i);
    halves[t] = (short)(bytes[t] + i);
    bytes[t]++;
  }
  out[t] = bytes[t] + halves[t];
}
CASE(bytes_of_one_word) {
  RUN(neighbours_of_a_word, 2, kThreads, 0, false);
  DONE(value(out) == 7);
}

__global__ void old_warp(bool, int *out) {
  __shared__ volatile int lanes[64];
  int t = threadIdx.x;
  lanes[t] = t;
  lanes[t + 32] = 0;
  for (int s = 16; s > 0; s /= 2)
    lanes[t] = lanes[t] + lanes[t + s];
  out[t] = __shfl_sync(~0u, t, 3);
}
CASE(volatile_in_a_warp) {
  RUN(old_warp, 1, 32, 0, false);
  DONE(value(out) == 3);
}

__global__ void locked(bool, int *out) {
  __shared__ int lock, total;
  if (threadIdx.x == 0)
    lock = total = 0;
  __syncthreads();
  for (bool done = false; !done;)
    if (atomicCAS(&lock, 0, 1) == 0) {
      __threadfence_block();
      total += threadIdx.x;
      __threadfence_block();
      atomicExch(&lock, 0);
      done = true;
    }
  __syncthreads();
  out[threadIdx.x] = total;
}
CASE(lock_in_shared_memory) {
  RUN(locked, 2, 64, 0, false);
  DONE(value(out) == 2016);
}

__global__ void ballot(bool, int *out) {
  __shared__ int lanes[32];
  int t = threadIdx.x;
  lanes[t] = 0;
  __syncwarp();
  unsigned mask = __ballot_sync(~0u, t % 4 == 1);
  if (t % 4 == 1) {
    lanes[t] = t;
    __syncwarp(mask);
    out[t] = lanes[(t + 4) % 32];
    __syncwarp(mask);
    lanes[t] = -t;
  }
  __syncwarp();
  out[t + 32] = lanes[(t + 1) % 32];
}
CASE(partial_mask) {
  RUN(ballot, 1, 32, 0, false);
  DONE(value(out + 1) == 5 && value(out + 32) == -1);
}

namespace cg = cooperative_groups;
__global__ void tiles(bool, int *out) {
  __shared__ int tile[kThreads];
  int t = threadIdx.x;
  cg::thread_block_tile<16> group = cg::tiled_partition<16>(cg::this_thread_block());
  tile[t] = t;
  group.sync();
  int other = tile[t ^ 1];
  group.sync();
  tile[t] = other;
  cg::this_thread_block().sync();
  out[t] = tile[(t + 64) % kThreads];
}
CASE(tiles_of_a_group) {
  RUN(tiles, 1, kThreads, 0, false);
  DONE(value(out) == 65);
}

__global__ void tile_sums(bool wrong, int *out) {
  __shared__ int values[64];
  int t = threadIdx.x, lane = t % 16, *mine = values + t / 16 * 16;
  cg::thread_block_tile<16> group = cg::tiled_partition<16>(cg::this_thread_block());
  values[t] = t;
  group.sync();
  for (int s = 8; s > 0; s /= 2) {
    if (lane < s)
      mine[lane] += mine[lane + s]; // BUG: sum_of_a_tile
    if (!wrong)
      group.sync();
  }
  if (lane == 0)
    out[t / 16] = mine[0];
}
TWINS(sum_of_a_tile, bool wrong, true, false) {
  RUN(tile_sums, 1, 64, 0, wrong);
  DONE(wrong || (value(out) == 120 && value(out + 3) == 888));
}

__global__ void rotate_in_mask(bool wrong, int *out) {
  __shared__ int lanes[32];
  int t = threadIdx.x, value = t;
  unsigned mask = __ballot_sync(~0u, t % 4 == 1);
  if (t % 4 != 1)
    return;
  for (int round = 0; round < 3; round++) {
    lanes[t] = value + round; // BUG: lanes_of_a_mask
    __syncwarp(mask);
    value = lanes[(t + 4) % 32];
    if (!wrong)
      __syncwarp(mask);
  }
  out[t] = value;
}
TWINS(lanes_of_a_mask, bool wrong, true, false) {
  RUN(rotate_in_mask, 1, 32, 0, wrong);
  DONE(wrong || value(out + 1) == 16);
}

// Small tiles that have synchronised in different numbers, then larger ones, then the warp, and again a tile.
__global__ void tiles_in_tiles(bool, int *out) {
  __shared__ int values[64];
  int t = threadIdx.x, value = t;
  auto eight = cg::tiled_partition<8>(cg::this_thread_block());
  auto sixteen = cg::tiled_partition<16>(cg::this_thread_block());
  for (int i = 0; i <= t / 8; i++) {
    values[t] = value;
    eight.sync();
    value = values[t ^ 7];
    eight.sync();
  }
  values[t] = value;
  sixteen.sync();
  value = values[t ^ 15];
  sixteen.sync();
  values[t] = value;
  __syncwarp();
  value = values[t ^ 31];
  __syncwarp();
  values[t] = value;
  eight.sync();
  value = values[t ^ 1];
  __syncthreads();
  values[t] = value;
  sixteen.sync();
  out[t] = values[t ^ 8];
}
CASE(tiles_of_different_sizes) {
  RUN(tiles_in_tiles, 2, 64, 0, false);
  DONE(value(out) >= 0);
}

// An arrival waits for nothing.
__global__ void hand_over(bool wrong, int *out) {
  __shared__ int tile[32];
  int t = threadIdx.x;
  if (t < 32) {
    tile[t] = t + 1;
    asm volatile("bar.arrive 1, 64;" ::: "memory");
    return;
  }
  if (wrong)
    asm volatile("bar.arrive 1, 64;" ::: "memory");
  else
    asm volatile("bar.sync 1, 64;" ::: "memory");
  out[t] = tile[t - 32]; // BUG: arrives_without_waiting
}
TWINS(arrives_without_waiting, bool wrong, true, false) {
  RUN(hand_over, 2, 64, 0, wrong);
  DONE(wrong || value(out + 40) == 9);
}

union Both {
  int ints[kThreads];
  float floats[kThreads];
};
__global__ void one_memory(bool, int *out) {
  __shared__ Both both;
  int t = threadIdx.x;
  both.ints[t] = t;
  __syncthreads();
  int other = both.ints[kThreads - 1 - t];
  __syncthreads();
  both.floats[t] = other * 0.5f;
  __syncthreads();
  out[t] = (int)both.floats[kThreads - 1 - t];
}
CASE(union_after_barrier) {
  RUN(one_memory, 2, kThreads, 0, false);
  DONE(value(out + 100) == 50);
}

__global__ void leaves_early(bool, int *out) {
  __shared__ int tile[kThreads];
  int t = threadIdx.x;
  if (t >= 100)
    return;
  tile[t] = t;
  __syncthreads();
  out[t] = tile[99 - t];
}
CASE(early_return) {
  RUN(leaves_early, 2, kThreads, 0, false);
  DONE(value(out) == 99);
}

__global__ void until_none(bool, int *out) {
  __shared__ int level[kThreads];
  int t = threadIdx.x;
  level[t] = t % 7;
  do {
    __syncthreads();
    int left = level[(t + 1) % kThreads];
    __syncthreads();
    level[t] = left > 0 ? left - 1 : 0;
  } while (__syncthreads_or(level[t]));
  out[t] = level[(t + 9) % kThreads];
}
CASE(loop_until_none) {
  RUN(until_none, 2, kThreads, 0, false);
  DONE(value(out) == 0);
}

// Only some threads read, so that nothing may be read ahead of the condition.
__global__ void guarded(bool, int *out) {
  __shared__ int tile[64];
  int t = threadIdx.x;
  tile[t] = t;
  int sum = 0;
  if (t % 2 == 0)
    sum = tile[t];
  if (t < 32)
    sum += tile[t] * 2;
  out[t] = sum;
}
CASE(guarded_reads) {
  RUN(guarded, 1, 64, 0, false);
  DONE(value(out + 2) == 6);
}

__global__ void histogram(bool, int *out) {
  __shared__ int bins[32];
  int t = threadIdx.x;
  if (t < 32)
    bins[t] = 0;
  __syncthreads();
  for (int i = 0; i < 8; i++)
    atomicAdd(&bins[(t * 5 + i) % 32], 1);
  __syncthreads();
  if (t < 32)
    out[t] = bins[t];
}
CASE(atomics_between_barriers) {
  RUN(histogram, 3, kThreads, 0, false);
  DONE(value(out) == 32);
}
