// deadlock.cu: blocks whose threads wait for what never happens, at mbarriers and at barriers with a count, and loops that
// end although nothing happens.
#include "case.h"
#include <cuda/barrier>

enum { kThreads = 64 };
using Object = unsigned long long;

__device__ static unsigned at(Object *object) {
  return (unsigned)__cvta_generic_to_shared(object);
}
__device__ static void init(Object *object, int arrivals) {
  asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at(object)), "r"(arrivals) : "memory");
}
__device__ static void arrive(Object *object) {
  asm volatile("{.reg .b64 state; mbarrier.arrive.shared.b64 state, [%0];}" ::"r"(at(object)) : "memory");
}
__device__ static void expect(Object *object, int bytes) {
  asm volatile("mbarrier.expect_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(at(object)), "r"(bytes) : "memory");
}
__device__ static void complete(Object *object, int bytes) {
  asm volatile("mbarrier.complete_tx.relaxed.cta.shared::cta.b64 [%0], %1;" ::"r"(at(object)), "r"(bytes) : "memory");
}
// Macros, so that the line of the wait is that of its use.
#define test(object, parity)                                                                                           \
  ({                                                                                                                   \
    int passed_;                                                                                                       \
    asm volatile("{.reg .pred p; mbarrier.try_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p;}"              \
                 : "=r"(passed_)                                                                                       \
                 : "r"(at(object)), "r"(parity)                                                                        \
                 : "memory");                                                                                          \
    passed_ != 0;                                                                                                      \
  })
#define named_sync(id, count) asm volatile("bar.sync %0, %1;" ::"r"(id), "r"(count) : "memory")
__device__ static void named_arrive(int id, int count) {
  asm volatile("bar.arrive %0, %1;" ::"r"(id), "r"(count) : "memory");
}

// The launch fails where the kernel was ended.
#define RUN(kernel, threads)                                                                                           \
  int *out = buffer<int>(1024);                                                                                        \
  kernel<<<2, threads>>>(wrong, out);                                                                                  \
  CU(cudaGetLastError());                                                                                              \
  EXPECT(cudaDeviceSynchronize() == (wrong ? cudaErrorLaunchTimeout : cudaSuccess));                                   \
  if (!wrong)                                                                                                          \
  release(out)
#define RUN_CLEAN(kernel, threads, expected)                                                                           \
  int *out = buffer<int>(1024);                                                                                        \
  kernel<<<2, threads>>>(out);                                                                                         \
  LAUNCHED();                                                                                                          \
  EXPECT(expected);                                                                                                    \
  release(out)

__global__ void count_of_arrivals(bool wrong, int *out) {
  __shared__ Object full;
  int t = threadIdx.x;
  if (t == 0)
    init(&full, wrong ? kThreads + 1 : kThreads);
  __syncthreads();
  arrive(&full);
  while (!test(&full, 0)) // BUG: more_arrivals_expected
    ;
  out[t] = 1;
}
TWINS(more_arrivals_expected, bool wrong, true, false) {
  RUN(count_of_arrivals, kThreads);
}

__global__ void bytes(bool wrong, int *out) {
  __shared__ Object full;
  int t = threadIdx.x;
  bool passed;
  if (t == 0) {
    init(&full, 1);
    expect(&full, 64);
    arrive(&full);
    complete(&full, wrong ? 48 : 64);
  }
  __syncthreads();
  do
    passed = test(&full, 0); // BUG: bytes_that_never_arrive
  while (!passed);
  out[t] = 1;
}
TWINS(bytes_that_never_arrive, bool wrong, true, false) {
  RUN(bytes, kThreads);
}

// Each phase flips the parity: the second wait is for the phase after that which has completed.
__global__ void phases(bool wrong, int *out) {
  __shared__ Object full;
  int t = threadIdx.x;
  if (t == 0)
    init(&full, kThreads);
  __syncthreads();
  for (int i = 0; i < 3; i++) {
    arrive(&full);
    while (!test(&full, wrong && i == 2 ? 1 : i % 2)) // BUG: phase_not_begun
      ;
    out[t] += i;
  }
}
TWINS(phase_not_begun, bool wrong, true, false) {
  RUN(phases, kThreads);
}

__global__ void rings(bool wrong, int *out) {
  __shared__ Object full[2], empty[2];
  __shared__ int buffer[2][32];
  int t = threadIdx.x % 32, stages = 5;
  if (threadIdx.x == 0)
    for (int i = 0; i < 2; i++)
      init(&full[i], 32), init(&empty[i], 32);
  __syncthreads();
  for (int i = 0; i < stages; i++) {
    if (threadIdx.x < 32) {
      while (i >= 2 && !test(&empty[i % 2], (i / 2 + 1) % 2)) // BUG: buffer_never_released
        ;
      buffer[i % 2][t] = i;
      arrive(&full[i % 2]);
    } else {
      while (!test(&full[i % 2], i / 2 % 2))
        ;
      out[t] += buffer[i % 2][31 - t];
      if (!wrong)
        arrive(&empty[i % 2]);
    }
  }
}
TWINS(buffer_never_released, bool wrong, true, false) {
  RUN(rings, kThreads);
}

// Half of the block waits for arrivals of the other half, which are after its barrier.
__global__ void barrier_before(bool wrong, int *out) {
  __shared__ Object full;
  int t = threadIdx.x;
  if (t == 0)
    init(&full, 32);
  __syncthreads();
  if (t >= 32 && !wrong)
    arrive(&full);
  if (t < 32)
    while (!test(&full, 0)) // BUG: arrival_after_barrier
      ;
  __syncthreads();
  if (t >= 32 && wrong)
    arrive(&full);
  out[t] = 1;
}
TWINS(arrival_after_barrier, bool wrong, true, false) {
  RUN(barrier_before, kThreads);
}

__global__ void returned(bool wrong, int *out) {
  __shared__ Object full;
  int t = threadIdx.x;
  if (t == 0)
    init(&full, kThreads);
  __syncthreads();
  if (!wrong || t < 60)
    arrive(&full);
  if (t >= 60)
    return;
  while (!test(&full, 0)) // BUG: returned_without_arrival
    ;
  out[t] = 1;
}
TWINS(returned_without_arrival, bool wrong, true, false) {
  RUN(returned, kThreads);
}

// CUDA's own class: at -O0 its loop also reads a clock from memory.
using Barrier = cuda::barrier<cuda::thread_scope_block>;
__global__ void of_library(bool wrong, int *out) {
  __shared__ alignas(Barrier) char bytes[sizeof(Barrier)];
  Barrier &barrier = *reinterpret_cast<Barrier *>(bytes);
  if (threadIdx.x == 0)
    init(&barrier, wrong ? 96 : kThreads);
  __syncthreads();
  barrier.arrive_and_wait(); // BUG: barrier_of_library
  out[threadIdx.x] = 1;
}
TWINS(barrier_of_library, bool wrong, true, false) {
  RUN(of_library, kThreads);
}

__global__ void count_of_threads(bool wrong, int *out) {
  int t = threadIdx.x;
  if (t < 64)
    named_sync(1, wrong ? 96 : 64); // BUG: count_of_other_warps
  __syncthreads();
  out[t] = 1;
}
TWINS(count_of_other_warps, bool wrong, true, false) {
  RUN(count_of_threads, 96);
}

__global__ void steps(bool wrong, int *out) {
  __shared__ int tile[32];
  int t = threadIdx.x % 32;
  for (int i = 0; i < 4; i++)
    if (threadIdx.x < 32) {
      named_sync(2, 64); // BUG: arrival_left_out
      out[t] += tile[31 - t];
      named_sync(3, 64);
    } else {
      tile[t] = i;
      if (!wrong || i != 2)
        named_arrive(2, 64);
      named_sync(3, 64);
    }
}
TWINS(arrival_left_out, bool wrong, true, false) {
  RUN(steps, kThreads);
}

__global__ void crossed(bool wrong, int *out) {
  int t = threadIdx.x, first = wrong && t >= 32 ? 2 : 1;
  named_sync(first, 64); // BUG: crossed_order
  named_sync(3 - first, 64);
  out[t] = 1;
}
TWINS(crossed_order, bool wrong, true, false) {
  RUN(crossed, kThreads);
}

/* ---- loops that end ---- */

// All threads give up after some tries, and the last phase completes nevertheless.
__global__ void tries(int *out) {
  __shared__ Object full;
  int t = threadIdx.x, left = 300;
  if (t == 0)
    init(&full, kThreads);
  __syncthreads();
  while (left > 0 && !test(&full, 0))
    left--;
  arrive(&full);
  while (!test(&full, 0))
    ;
  out[t] = left;
}
CASE(number_of_tries) {
  RUN_CLEAN(tries, kThreads, value(out + 5) == 0);
}

__global__ void until_a_time(int *out) {
  __shared__ Object full;
  int t = threadIdx.x;
  if (t == 0)
    init(&full, kThreads);
  __syncthreads();
  long long start = clock64();
  while (!test(&full, 0))
    if (clock64() - start > 20000000)
      break;
  arrive(&full);
  while (!test(&full, 0))
    ;
  out[t] = 1;
}
CASE(time_limit) {
  RUN_CLEAN(until_a_time, kThreads, value(out + 5) == 1);
}

// A flag in shared memory ends the loop of the others.
__global__ void until_a_flag(int *out) {
  __shared__ Object full;
  __shared__ volatile int flag;
  int t = threadIdx.x, n = 200;
  if (t == 0) {
    init(&full, kThreads);
    flag = 0;
  }
  __syncthreads();
  while (!test(&full, 0)) {
    if (flag == 1)
      break;
    if (t == 0 && n-- == 0)
      flag = 1;
  }
  out[t] = flag;
}
CASE(flag_next_to_barrier) {
  RUN_CLEAN(until_a_flag, kThreads, value(out + 5) == 1);
}

// Two objects by turns, tested a number of times that depends on the thread.
__global__ void by_turns(int *out) {
  __shared__ Object of[2];
  int t = threadIdx.x, n = 0;
  if (t == 0)
    init(&of[0], 1), init(&of[1], 1);
  __syncthreads();
  bool done = false;
  for (int i = 0; !done; i++) {
    done = test(&of[i % 2], 0);
    if (i == 150 + t)
      n++;
    if (i == 400 && t == 7)
      arrive(&of[1]);
  }
  out[t] = n;
}
CASE(objects_by_turns) {
  RUN_CLEAN(by_turns, kThreads, value(out + 5) == 1);
}

// A warp waits long while others meet at barriers of their own.
__global__ void long_wait(int *out) {
  __shared__ Object full;
  int t = threadIdx.x;
  if (t == 0)
    init(&full, 32);
  __syncthreads();
  if (t < 32) {
    while (!test(&full, 0))
      ;
  } else {
    for (int i = 0; i < 300; i++)
      named_sync(1, 64);
    if (t < 64)
      arrive(&full);
  }
  out[t] = 1;
}
CASE(others_meet_often) {
  RUN_CLEAN(long_wait, 96, value(out + 5) == 1);
}
