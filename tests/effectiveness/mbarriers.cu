// mbarriers.cu: operations on mbarriers that their memory is not ready for, and code that uses them well
// (--detect=sync).
#include "case.h"
#include <cooperative_groups.h>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_awbarrier_primitives.h>
#include <cuda_pipeline_primitives.h>

enum { kThreads = 64 };
using Barrier = cuda::barrier<cuda::thread_scope_block>;

#define RUN(kernel, ...)                                                                                               \
  int *out = buffer<int>(1024);                                                                                        \
  kernel<<<3, kThreads>>>(__VA_ARGS__, out);                                                                           \
  LAUNCHED();                                                                                                          \
  release(out)

static __device__ unsigned shared(const void *p) {
  return (unsigned)__cvta_generic_to_shared(p);
}
#define INIT(at, count) asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at), "r"(count) : "memory")
#define INVAL(at) asm volatile("mbarrier.inval.shared.b64 [%0];" ::"r"(at) : "memory")
#define ARRIVE(at) asm volatile("{ .reg .b64 s; mbarrier.arrive.shared.b64 s, [%0]; }" ::"r"(at) : "memory")
#define ARRIVE_FOR_SOME(at, count)                                                                                     \
  asm volatile("{ .reg .b64 s; mbarrier.arrive.noComplete.shared.b64 s, [%0], %1; }" ::"r"(at), "r"(count) : "memory")
#define TEST_WAIT(done, at)                                                                                            \
  asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], 0; selp.u32 %0, 1, 0, p; }"              \
               : "=r"(done)                                                                                            \
               : "r"(at)                                                                                               \
               : "memory")
#define COPIES_ARRIVE(at) asm volatile("cp.async.mbarrier.arrive.shared.b64 [%0];" ::"r"(at) : "memory")

// ---- no barrier after the initialisation ----

__global__ void all_meet(bool wrong, int *out) {
  __shared__ Barrier bar;
  if (threadIdx.x == 0)
    init(&bar, blockDim.x);
  if (!wrong)
    __syncthreads();
  bar.arrive_and_wait(); // BUG: nothing_after_init
  out[blockIdx.x * kThreads + threadIdx.x] = 1;
}
TWINS(nothing_after_init, bool wrong, true, false) {
  RUN(all_meet, wrong);
}

// The warp that initialises synchronises itself only.
__global__ void warps_with_roles(bool wrong, int *out) {
  __shared__ unsigned long long full[2];
  unsigned at = shared(&full[0]);
  if (threadIdx.x < 32) {
    if (threadIdx.x < 2)
      INIT(at + 8 * threadIdx.x, 32);
    __syncwarp();
  }
  if (!wrong)
    __syncthreads();
  if (threadIdx.x < 32) {
    out[blockIdx.x * kThreads + threadIdx.x] = 1;
    ARRIVE(at + 8);
  } else {
    unsigned done = 0;
    while (!done)
      TEST_WAIT(done, at + 8); // BUG: barrier_of_the_warp_only
  }
}
TWINS(barrier_of_the_warp_only, bool wrong, true, false) {
  RUN(warps_with_roles, wrong);
}

__global__ void primitives(bool wrong, int *out) {
  __shared__ __mbarrier_t bar;
  if (threadIdx.x == 63)
    __mbarrier_init(&bar, blockDim.x);
  if (!wrong)
    __syncthreads();
  else if (threadIdx.x >= 32)
    __syncwarp();
  __mbarrier_token_t token = __mbarrier_arrive(&bar); // BUG: arrives_before_init
  out[blockIdx.x * kThreads + threadIdx.x] = 1;
  while (!wrong && !__mbarrier_test_wait(&bar, token))
    ;
}
TWINS(arrives_before_init, bool wrong, true, false) {
  RUN(primitives, wrong);
}

// ---- none is there ----

__global__ void stages(int count, int *out) {
  __shared__ Barrier ready[4];
  if (threadIdx.x == 0)
    for (int i = 0; i < count; i++)
      init(&ready[i], blockDim.x);
  __syncthreads();
  for (int i = 0; i < 4; i++)
    (void)ready[i].arrive(); // BUG: last_stage
  out[blockIdx.x * kThreads + threadIdx.x] = 1;
}
TWINS(last_stage, int count, 3, 4) {
  RUN(stages, count);
}

__global__ void by_a_thread_that_is_not_there(int thread, int *out) {
  __shared__ Barrier bar;
  if ((int)threadIdx.x == thread)
    init(&bar, blockDim.x);
  __syncthreads();
  (void)bar.arrive(); // BUG: nobody_initialises
  out[blockIdx.x * kThreads + threadIdx.x] = 1;
}
TWINS(nobody_initialises, int thread, 64, 63) {
  RUN(by_a_thread_that_is_not_there, thread);
}

__global__ void invalidated(bool wrong, int *out) {
  __shared__ unsigned long long bar;
  unsigned at = shared(&bar);
  if (threadIdx.x == 0)
    INIT(at, 64);
  __syncthreads();
  if (wrong && threadIdx.x == 0)
    INVAL(at);
  __syncthreads();
  ARRIVE(at); // BUG: after_inval
  __syncthreads();
  if (!wrong && threadIdx.x == 0)
    INVAL(at);
  out[blockIdx.x * kThreads + threadIdx.x] = 1;
}
TWINS(after_inval, bool wrong, true, false) {
  RUN(invalidated, wrong);
}

__global__ void copies(bool wrong, int *out) {
  __shared__ alignas(16) int tile[4];
  __shared__ Barrier bar;
  if (threadIdx.x == 0 && !wrong)
    init(&bar, blockDim.x);
  __syncthreads();
  if (threadIdx.x < 4)
    __pipeline_memcpy_async(&tile[threadIdx.x], &out[threadIdx.x], 4);
  COPIES_ARRIVE(shared(&bar)); // BUG: copy_announced_nowhere
  out[blockIdx.x * kThreads + threadIdx.x] = 1;
}
TWINS(copy_announced_nowhere, bool wrong, true, false) {
  RUN(copies, wrong);
}

// ---- overwritten ----

// The barriers follow the tiles in dynamic shared memory.
__global__ void carved(int tile, int *out) {
  extern __shared__ int memory[];
  Barrier *bar = (Barrier *)(memory + 64);
  if (threadIdx.x == 0)
    init(bar, blockDim.x);
  __syncthreads();
  for (int i = threadIdx.x; i < tile; i += blockDim.x)
    memory[i] = i;
  __syncthreads();
  (void)bar->arrive(); // BUG: tile_over_barrier
  out[blockIdx.x * kThreads + threadIdx.x] = memory[0];
}
TWINS(tile_over_barrier, int tile, 66, 64) {
  int *out = buffer<int>(1024);
  carved<<<3, kThreads, 272>>>(tile, out);
  LAUNCHED();
  release(out);
}

__global__ void cleared(bool wrong, int *out) {
  __shared__ union {
    unsigned long long words[2];
    char bytes[16];
  } u;
  unsigned at = shared(&u.words[0]);
  if (wrong && threadIdx.x == 0)
    INIT(at, 64);
  __syncthreads();
  if (threadIdx.x < 16)
    u.bytes[threadIdx.x] = 0;
  __syncthreads();
  if (!wrong && threadIdx.x == 0)
    INIT(at, 64);
  __syncthreads();
  ARRIVE(at); // BUG: cleared_after_init
  out[blockIdx.x * kThreads + threadIdx.x] = 1;
}
TWINS(cleared_after_init, bool wrong, true, false) {
  RUN(cleared, wrong);
}

// ---- counts ----

__global__ void arrive_for_all(int count, int *out) {
  __shared__ Barrier bar;
  if (threadIdx.x == 0)
    init(&bar, 4);
  __syncthreads();
  if (threadIdx.x == 0)
    (void)bar.arrive(count); // BUG: more_than_expected
  out[blockIdx.x * kThreads + threadIdx.x] = 1;
}
TWINS(more_than_expected, int count, 5, 4) {
  RUN(arrive_for_all, count);
}

__global__ void some_have_come(unsigned count, int *out) {
  __shared__ unsigned long long bar;
  unsigned at = shared(&bar);
  if (threadIdx.x == 0)
    INIT(at, 8);
  __syncthreads();
  if (threadIdx.x < 6)
    ARRIVE(at);
  __syncthreads();
  if (threadIdx.x == 0)
    ARRIVE_FOR_SOME(at, count); // BUG: more_than_are_left
  out[blockIdx.x * kThreads + threadIdx.x] = 1;
}
TWINS(more_than_are_left, unsigned count, 2, 1) {
  RUN(some_have_come, count);
}

__global__ void consumers(int producers, int *out) {
  __shared__ Barrier bar;
  if (threadIdx.x == 0)
    init(&bar, blockDim.x - producers); // BUG: count_of_zero
  out[blockIdx.x * kThreads + threadIdx.x] = 1;
}
TWINS(count_of_zero, int producers, 64, 32) {
  RUN(consumers, producers);
}

// ---- correct ----

// Other synchronisation than __syncthreads() after the initialisation.
__global__ void other_order(int how, int *out) {
  __shared__ Barrier bar;
  __shared__ int flag;
  if (threadIdx.x == 0)
    flag = 0;
  __syncthreads();
  if (threadIdx.x == 0) {
    init(&bar, blockDim.x);
    __threadfence_block();
    atomicExch(&flag, 1);
  }
  if (how == 0)
    asm volatile("barrier.sync 1, 64;" ::: "memory");
  else if (how == 1)
    while (atomicAdd(&flag, 0) == 0)
      ;
  else if (how == 2)
    while (*(volatile int *)&flag == 0)
      ;
  else
    cooperative_groups::this_thread_block().sync();
  bar.arrive_and_wait();
  out[blockIdx.x * kThreads + threadIdx.x] = 1;
}
CASE(ordered_otherwise) {
  int *out = buffer<int>(1024);
  for (int how = 0; how < 4; how++)
    other_order<<<3, kThreads>>>(how, out);
  LAUNCHED();
  release(out);
}

__global__ void one_warp(int *out) {
  __shared__ Barrier bar[2];
  Barrier &own = bar[threadIdx.x / 32];
  if (threadIdx.x % 32 == 0)
    init(&own, 32);
  __syncwarp();
  for (int i = 0; i < 3; i++)
    own.arrive_and_wait();
  out[blockIdx.x * kThreads + threadIdx.x] = 1;
}
CASE(barrier_of_each_warp) {
  int *out = buffer<int>(1024);
  one_warp<<<3, kThreads>>>(out);
  LAUNCHED();
  release(out);
}

// Memory of an mbarrier that another use precedes and follows; initialised again with and without mbarrier.inval.
__global__ void reused(bool invalidates, int *out) {
  __shared__ unsigned long long words[8];
  unsigned at = shared(&words[2]);
  for (int round = 0; round < 3; round++) {
    if (threadIdx.x < 8)
      words[threadIdx.x] = threadIdx.x + round;
    __syncthreads();
    out[blockIdx.x * kThreads + threadIdx.x] = (int)words[threadIdx.x % 8];
    __syncthreads();
    if (threadIdx.x == 0)
      INIT(at, 64);
    __syncthreads();
    ARRIVE(at);
    __syncthreads();
    if (invalidates && threadIdx.x == 0)
      INVAL(at);
    __syncthreads();
  }
}
CASE(memory_used_again) {
  int *out = buffer<int>(1024);
  reused<<<3, kThreads>>>(true, out);
  reused<<<3, kThreads>>>(false, out);
  LAUNCHED();
  release(out);
}

// More than the detector has room for.
__global__ void very_many(int *out) {
  __shared__ Barrier bar[100];
  for (int i = threadIdx.x; i < 100; i += blockDim.x)
    init(&bar[i], blockDim.x);
  __syncthreads();
  for (int i = 0; i < 100; i++)
    bar[i].arrive_and_wait();
  out[blockIdx.x * kThreads + threadIdx.x] = 1;
}
CASE(a_hundred) {
  int *out = buffer<int>(1024);
  very_many<<<3, kThreads>>>(out);
  LAUNCHED();
  release(out);
}

// Threads leave, one arrives for several, and the last phase is not awaited.
__global__ void phases(int *out) {
  __shared__ Barrier bar;
  if (threadIdx.x == 0)
    init(&bar, blockDim.x + 3);
  __syncthreads();
  if (threadIdx.x >= 48) {
    bar.arrive_and_drop();
    return;
  }
  for (int i = 0; i < 4; i++) {
    auto token = bar.arrive(threadIdx.x == 0 ? 4 : 1);
    out[blockIdx.x * kThreads + threadIdx.x] = i;
    bar.wait(std::move(token));
  }
  (void)bar.arrive();
}
CASE(phases_and_counts) {
  int *out = buffer<int>(1024);
  phases<<<3, kThreads>>>(out);
  LAUNCHED();
  release(out);
}

__global__ void two_stages(const int *in, int *out) {
  __shared__ cuda::pipeline_shared_state<cuda::thread_scope_block, 2> state;
  __shared__ int tile[2][kThreads];
  auto group = cooperative_groups::this_thread_block();
  auto pipe = cuda::make_pipeline(group, &state);
  int sum = 0;
  for (int i = 0; i < 5; i++) {
    if (i < 4) {
      pipe.producer_acquire();
      cuda::memcpy_async(group, tile[i % 2], in + i * kThreads, sizeof tile[0], pipe);
      pipe.producer_commit();
    }
    if (i > 0) {
      pipe.consumer_wait();
      sum += tile[(i - 1) % 2][(threadIdx.x + 1) % kThreads];
      pipe.consumer_release();
    }
  }
  out[blockIdx.x * kThreads + threadIdx.x] = sum;
}
CASE(pipeline_of_two_stages) {
  int *in = buffer<int>(1024), *out = buffer<int>(1024);
  two_stages<<<3, kThreads>>>(in, out);
  two_stages<<<3, kThreads>>>(in, out);
  LAUNCHED();
  release(in);
  release(out);
}
