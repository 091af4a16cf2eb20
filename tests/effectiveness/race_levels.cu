// race_levels.cu: which races each level of the option race= reports. A _quiet case is the bad one, run at the level
// below; _ok cases are its correct twins at the same level.
#include "case.h"
#include <cuda/atomic>

enum { kBlocks = 4, kThreads = 64, kAll = kBlocks * kThreads };

#define RUN(kernel, blocks, threads, wrong)                                                                            \
  int *data = buffer<int>(1024), *out = buffer<int>(1024);                                                             \
  kernel<<<blocks, threads>>>(wrong, data, out);                                                                       \
  LAUNCHED();                                                                                                          \
  release(data);                                                                                                       \
  release(out)

__device__ int index() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

// ---- warn ----

// The test saves an atomic operation; the twin's is one, too. Either access may be the second one.
__global__ void minimum(bool wrong, int *data, int *) {
  int mine = -1 - index();
  // clang-format off
  if ((wrong ? *data : atomicAdd(data, 0)) > mine) atomicMin(data, mine); // BUG: guarded_minimum
  // clang-format on
}
TWINS(guarded_minimum, bool wrong, true, false) {
  RUN(minimum, kBlocks, kThreads, wrong);
}
CASE(guarded_minimum_quiet) {
  RUN(minimum, kBlocks, kThreads, true);
}

__global__ void shared_maximum(bool wrong, int *, int *out) {
  __shared__ int maximum;
  int t = threadIdx.x;
  if (t == 0)
    maximum = 0;
  __syncthreads();
  if (wrong ? t > maximum : t > 3)
    atomicMax(&maximum, t); // BUG: guarded_maximum_in_shared
  __syncthreads();
  out[t] = maximum;
}
TWINS(guarded_maximum_in_shared, bool wrong, true, false) {
  RUN(shared_maximum, 1, kThreads, wrong);
}
CASE(guarded_maximum_in_shared_quiet) {
  RUN(shared_maximum, 1, kThreads, true);
}

// The reader's load is the second access: the writer is in an earlier warp.
__global__ void counted(bool wrong, int *, int *out) {
  __shared__ int count;
  if (threadIdx.x == 0)
    count = 0;
  __syncthreads();
  if (threadIdx.x < 32)
    atomicAdd(&count, 1);
  if (!wrong)
    __syncthreads();
  if (threadIdx.x >= 32)
    out[threadIdx.x] = count; // BUG: read_of_a_counter
}
TWINS(read_of_a_counter, bool wrong, true, false) {
  RUN(counted, 1, kThreads, wrong);
}
CASE(read_of_a_counter_quiet) {
  RUN(counted, 1, kThreads, true);
}

__global__ void volatile_results(bool wrong, int *data, int *) {
  volatile int *slot = data + (wrong ? 0 : index());
  *slot = index() + 1; // BUG: volatile_writes
}
TWINS(volatile_writes, bool wrong, true, false) {
  RUN(volatile_results, kBlocks, kThreads, wrong);
}
CASE(volatile_writes_quiet) {
  RUN(volatile_results, kBlocks, kThreads, true);
}

__global__ void plain_reader(bool wrong, int *, int *out) {
  __shared__ volatile int flag;
  if (threadIdx.x == 0)
    flag = 5;
  if (!wrong)
    __syncthreads();
  if (threadIdx.x == 40)
    out[0] = *(int *)&flag; // BUG: plain_read_of_a_flag
}
TWINS(plain_read_of_a_flag, bool wrong, true, false) {
  RUN(plain_reader, 1, kThreads, wrong);
}
CASE(plain_read_of_a_flag_quiet) {
  RUN(plain_reader, 1, kThreads, true);
}

// Lanes of a warp were in lock step before Volta.
__global__ void old_warp(bool wrong, int *, int *out) {
  __shared__ volatile int lanes[64];
  int t = threadIdx.x;
  lanes[t] = t;
  lanes[t + 32] = 0;
  __syncwarp();
  for (int s = 16; s > 0; s /= 2) {
    int sum = lanes[t] + lanes[t + s];
    if (!wrong)
      __syncwarp();
    lanes[t] = sum; // BUG: volatile_in_a_warp
    if (!wrong)
      __syncwarp();
  }
  out[t] = lanes[t];
}
TWINS(volatile_in_a_warp, bool wrong, true, false) {
  RUN(old_warp, 1, 32, wrong);
}
CASE(volatile_in_a_warp_quiet) {
  RUN(old_warp, 1, 32, true);
}

// A thread's atomic operation does not hide its own plain read.
__global__ void both_reads(bool wrong, int *, int *out) {
  __shared__ int word, other;
  int t = threadIdx.x;
  if (t == 0)
    word = other = 0;
  __syncthreads();
  if (t == 0) {
    out[0] = wrong ? word : other;
    out[1] = *(volatile int *)&word;
  }
  if (t == 40)
    atomicAdd(&word, 1); // BUG: plain_read_then_volatile
}
TWINS(plain_read_then_volatile, bool wrong, true, false) {
  RUN(both_reads, 1, kThreads, wrong);
}
CASE(plain_read_then_volatile_quiet) {
  RUN(both_reads, 1, kThreads, true);
}

// ---- strict ----

__global__ void flag_of_all(bool wrong, int *data, int *) {
  if (wrong || index() == 9)
    *data = 1; // BUG: one_value_by_many
}
TWINS(one_value_by_many, bool wrong, true, false) {
  RUN(flag_of_all, kBlocks, kThreads, wrong);
}
CASE(one_value_by_many_quiet) {
  RUN(flag_of_all, kBlocks, kThreads, true);
}

__global__ void shared_flag_of_all(bool wrong, int *, int *out) {
  __shared__ int found;
  if (threadIdx.x == 0)
    found = 0;
  __syncthreads();
  if (wrong)
    found = 1; // BUG: one_value_in_shared
  else
    atomicExch(&found, 1);
  __syncthreads();
  out[threadIdx.x] = found;
}
TWINS(one_value_in_shared, bool wrong, true, false) {
  RUN(shared_flag_of_all, 1, kThreads, wrong);
}
CASE(one_value_in_shared_quiet) {
  RUN(shared_flag_of_all, 1, kThreads, true);
}

__global__ void polled(bool wrong, int *, int *out) {
  __shared__ int flag;
  if (threadIdx.x == 0)
    flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    if (wrong)
      *(volatile int *)&flag = 1;
    else
      atomicExch(&flag, 1);
  }
  if (threadIdx.x == 40)
    out[0] = wrong ? *(volatile int *)&flag : atomicAdd(&flag, 0); // BUG: volatile_flag
}
TWINS(volatile_flag, bool wrong, true, false) {
  RUN(polled, 1, kThreads, wrong);
}
CASE(volatile_flag_quiet) {
  RUN(polled, 1, kThreads, true);
}

__global__ void peeked(bool wrong, int *data, int *out) {
  int *word = wrong ? data : data + index();
  // clang-format off
  atomicAdd(data, 1); out[index()] = wrong ? *(volatile int *)word : atomicAdd(word, 0); // BUG: volatile_read_of_a_counter
  // clang-format on
}
TWINS(volatile_read_of_a_counter, bool wrong, true, false) {
  RUN(peeked, kBlocks, kThreads, wrong);
}
CASE(volatile_read_of_a_counter_quiet) {
  RUN(peeked, kBlocks, kThreads, true);
}

// ---- silent at every level ----

__global__ void counters(bool, int *data, int *) {
  atomicAdd(data, 1);
  atomicMax(data + 1, index());
  atomicCAS(data + 2, 0, index());
}
CASE(atomics_only) {
  RUN(counters, kBlocks, kThreads, false);
}

__global__ void by_references(bool, int *data, int *out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> count(data[0]);
  count.fetch_add(1, cuda::memory_order_relaxed);
  out[index()] = count.load(cuda::memory_order_relaxed);
  data[1 + index()] = out[index()];
}
CASE(atomic_references) {
  RUN(by_references, kBlocks, kThreads, false);
}

__global__ void reduction(bool, int *data, int *out) {
  __shared__ int sums[kThreads];
  int t = threadIdx.x;
  sums[t] = data[index()] + t;
  __syncthreads();
  for (int s = kThreads / 2; s > 0; s /= 2) {
    if (t < s)
      sums[t] += sums[t + s];
    __syncthreads();
  }
  if (t == 0)
    atomicAdd(out, sums[0]);
}
CASE(tree_and_atomic) {
  RUN(reduction, kBlocks, kThreads, false);
}

// One block's threads wait for the other's data, with a flag that is atomic on both sides.
__global__ void handed_over(bool, int *data, int *out) {
  if (threadIdx.x)
    return;
  if (blockIdx.x == 0) {
    data[0] = 42;
    __threadfence();
    atomicExch(out, 1);
  } else if (blockIdx.x == 1) {
    while (atomicAdd(out, 0) == 0) {
    }
    __threadfence();
    out[1] = data[0];
  }
}
CASE(atomic_flag) {
  RUN(handed_over, 2, kThreads, false);
}

__global__ void histogram_of_block(bool, int *data, int *out) {
  __shared__ int bins[32];
  int t = threadIdx.x;
  if (t < 32)
    bins[t] = 0;
  __syncthreads();
  atomicAdd(&bins[(data[index()] + t) % 32], 1);
  __syncthreads();
  if (t < 32)
    atomicAdd(out + t, bins[t]);
}
CASE(histogram) {
  RUN(histogram_of_block, kBlocks, kThreads, false);
}
