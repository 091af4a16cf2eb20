// race_copies.cu: asynchronous copies into shared memory whose data is used too early, and code that waits
// (--detect=race).
#include "case.h"
#include <cooperative_groups.h>
#include <cuda_pipeline.h>

enum { kThreads = 64 };

#define RUN(kernel, threads, expected)                                                                                 \
  int *in = buffer<int>(1024), *out = buffer<int>(1024);                                                               \
  kernel<<<2, threads>>>(wrong, in, out);                                                                              \
  LAUNCHED();                                                                                                          \
  EXPECT(expected);                                                                                                    \
  release(in);                                                                                                         \
  release(out)

__global__ void own_element(bool wrong, const int *in, int *out) {
  __shared__ int tile[kThreads];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &in[t], sizeof(int));
  __pipeline_commit();
  if (!wrong)
    __pipeline_wait_prior(0);
  out[t] = tile[t]; // BUG: own_copy
}
TWINS(own_copy, bool wrong, true, false) {
  RUN(own_element, kThreads, true);
}

// A barrier of the block waits for no copy.
__global__ void after_barrier(bool wrong, const int *in, int *out) {
  __shared__ int tile[kThreads];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &in[t], sizeof(int));
  __pipeline_commit();
  if (!wrong)
    __pipeline_wait_prior(0);
  __syncthreads();
  out[t] = tile[kThreads - 1 - t]; // BUG: barrier_without_wait
}
TWINS(barrier_without_wait, bool wrong, true, false) {
  RUN(after_barrier, kThreads, true);
}

// A wait of one thread tells the others nothing.
__global__ void after_wait(bool wrong, const int *in, int *out) {
  __shared__ int tile[kThreads];
  int t = threadIdx.x;
  __pipeline_memcpy_async(&tile[t], &in[t], sizeof(int));
  __pipeline_commit();
  __syncthreads();
  __pipeline_wait_prior(0);
  if (!wrong)
    __syncthreads();
  out[t] = tile[kThreads - 1 - t]; // BUG: wait_without_barrier
}
TWINS(wait_without_barrier, bool wrong, true, false) {
  RUN(after_wait, kThreads, true);
}

__global__ void two_stages(bool wrong, const int *in, int *out) {
  __shared__ int tiles[2][kThreads];
  int t = threadIdx.x, sum = 0;
  __pipeline_memcpy_async(&tiles[0][t], &in[t], sizeof(int));
  __pipeline_commit();
  for (int i = 0; i < 6; i++) {
    if (i + 1 < 6)
      __pipeline_memcpy_async(&tiles[(i + 1) % 2][t], &in[t + 64 * (i + 1)], sizeof(int));
    __pipeline_commit();
    if (wrong)
      __pipeline_wait_prior(2);
    else
      __pipeline_wait_prior(1);
    __syncthreads();
    sum += tiles[i % 2][kThreads - 1 - t]; // BUG: one_group_too_many
    __syncthreads();
  }
  out[t] = sum;
}
TWINS(one_group_too_many, bool wrong, true, false) {
  RUN(two_stages, kThreads, true);
}

// The last copies are in no group that is waited for.
__global__ void no_commit(bool wrong, const int *in, int *out) {
  __shared__ alignas(16) int tile[4 * kThreads];
  int t = threadIdx.x;
  unsigned to = (unsigned)__cvta_generic_to_shared(&tile[4 * t]);
  asm volatile("cp.async.cg.shared.global [%0], [%1], 16;" ::"r"(to), "l"(&in[4 * t]) : "memory");
  if (!wrong)
    asm volatile("cp.async.commit_group;" ::: "memory");
  asm volatile("cp.async.wait_group 0;" ::: "memory");
  __syncthreads();
  out[t] = tile[4 * kThreads - 1 - t]; // BUG: no_group
}
TWINS(no_group, bool wrong, true, false) {
  RUN(no_commit, kThreads, true);
}

// The next copy overwrites what others still read.
__global__ void reused(bool wrong, const int *in, int *out) {
  __shared__ int tile[kThreads];
  int t = threadIdx.x, sum = 0;
  for (int i = 0; i < 3; i++) {
    __pipeline_memcpy_async(&tile[t], &in[t + 64 * i], sizeof(int));
    __pipeline_commit();
    __pipeline_wait_prior(0);
    __syncthreads();
    sum += tile[kThreads - 1 - t]; // BUG: copied_over
    if (!wrong)
      __syncthreads();
  }
  out[t] = sum;
}
TWINS(copied_over, bool wrong, true, false) {
  RUN(reused, kThreads, true);
}

// ---- right ----

#define RUN_CLEAN(kernel)                                                                                              \
  int *in = buffer<int>(1024), *out = buffer<int>(1024);                                                               \
  kernel<<<2, kThreads>>>(in, out);                                                                                    \
  LAUNCHED();                                                                                                          \
  EXPECT(value(out + 3) == 0);                                                                                         \
  release(in);                                                                                                         \
  release(out)

__global__ void all(const int *in, int *out) {
  __shared__ alignas(16) int tile[4 * kThreads];
  int t = threadIdx.x;
  unsigned to = (unsigned)__cvta_generic_to_shared(&tile[4 * t]);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to), "l"(&in[4 * t]) : "memory");
  asm volatile("cp.async.ca.shared.global [%0], [%1], 8;" ::"r"(to + 8), "l"(&in[4 * t + 2]) : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  __syncthreads();
  out[t] = tile[4 * kThreads - 1 - t];
}
CASE(waits_for_all) {
  RUN_CLEAN(all);
}

__global__ void ring(const int *in, int *out) {
  __shared__ int tiles[4][kThreads];
  int t = threadIdx.x, sum = 0;
  for (int i = 0; i < 3; i++) {
    __pipeline_memcpy_async(&tiles[i][t], &in[t + 64 * i], sizeof(int));
    __pipeline_commit();
  }
  for (int i = 0; i < 9; i++) {
    __pipeline_wait_prior(2);
    __syncthreads();
    sum += tiles[i % 4][kThreads - 1 - t];
    if (i + 3 < 9)
      __pipeline_memcpy_async(&tiles[(i + 3) % 4][t], &in[t + 64 * (i + 3)], sizeof(int));
    __pipeline_commit();
  }
  out[t] = sum;
}
CASE(four_stages) {
  RUN_CLEAN(ring);
}

__global__ void arrivals(const int *in, int *out) {
  __shared__ unsigned long long full;
  __shared__ int tile[kThreads];
  int t = threadIdx.x, passed = 0;
  unsigned object = (unsigned)__cvta_generic_to_shared(&full), to = (unsigned)__cvta_generic_to_shared(&tile[t]);
  if (t == 0)
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(object), "r"(2 * kThreads) : "memory");
  __syncthreads();
  asm volatile("cp.async.ca.shared.global [%0], [%1], 4;" ::"r"(to), "l"(&in[t]) : "memory");
  asm volatile("cp.async.mbarrier.arrive.noinc.shared.b64 [%0];" ::"r"(object) : "memory");
  asm volatile("{.reg .b64 state; mbarrier.arrive.shared.b64 state, [%0];}" ::"r"(object) : "memory");
  while (!passed)
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], 0; selp.b32 %0, 1, 0, p;}"
                 : "=r"(passed)
                 : "r"(object)
                 : "memory");
  out[t] = tile[kThreads - 1 - t];
}
CASE(copies_arrive) {
  RUN_CLEAN(arrivals);
}
