// race_flags.cu: accesses that fences and flags order, or seem to (--detect=race): what is released, how far, through which
// flag, and when.
#include "case.h"

enum { kThreads = 64 };

// Runs a kernel with `wrong`, data, flags that are 0, and a result; the result of a race is not defined.
#define RUN(kernel, blocks, threads, wrong)                                                                            \
  int *data = buffer<int>(1024), *flags = buffer<int>(1024), *out = buffer<int>(1024);                                 \
  kernel<<<blocks, threads>>>(wrong, data, flags, out);                                                                \
  LAUNCHED()
#define DONE(expected)                                                                                                 \
  EXPECT(expected);                                                                                                    \
  release(data);                                                                                                       \
  release(flags);                                                                                                      \
  release(out)

__device__ void wait_for(int *flag, int value) {
  while (atomicAdd(flag, 0) != value) {
  }
}

__device__ void take(int *lock) {
  while (atomicCAS(lock, 0, 1) != 0) {
  }
}

// ---- between blocks ----

__global__ void unlock_early(bool wrong, int *data, int *lock, int *) {
  take(lock);
  __threadfence();
  *data += 3; // BUG: unlocked_without_fence
  if (!wrong)
    __threadfence();
  atomicExch(lock, 0);
}
TWINS(unlocked_without_fence, bool wrong, true, false) {
  RUN(unlock_early, 4, 1, wrong);
  DONE(wrong || value(data) == 12);
}

// A fence for the block does not reach the other one.
__global__ void narrow(bool wrong, int *data, int *flag, int *out) {
  if (blockIdx.x == 0) {
    *data = 42;
    if (wrong)
      __threadfence_block();
    else
      __threadfence();
    atomicExch(flag, 1);
  } else {
    wait_for(flag, 1);
    *out = *data; // BUG: fence_for_the_block
  }
}
TWINS(fence_for_the_block, bool wrong, true, false) {
  RUN(narrow, 2, 1, wrong);
  DONE(wrong || value(out) == 42);
}

// Block 0 has set its flag before block 1 writes. One function for both accesses: either may be first. Blocks wait for
// earlier ones only, since all of them need not run at once.
__device__ int touch(int *p, int add) {
  return *p += add; // BUG: flag_of_another_block stored_after_the_flag
}
__global__ void two_flags(bool wrong, int *data, int *flags, int *out) {
  int *first = flags, *second = flags + 64;
  if (blockIdx.x == 0) {
    __threadfence();
    atomicExch(first, 1);
  } else if (blockIdx.x == 1) {
    wait_for(first, 1);
    touch(data, 42);
    __threadfence();
    atomicExch(second, 1);
  } else {
    wait_for(wrong ? first : second, 1);
    *out = touch(data, 1);
  }
}
TWINS(flag_of_another_block, bool wrong, true, false) {
  RUN(two_flags, 3, 1, wrong);
  DONE(wrong || value(out) == 43);
}

__global__ void store_again(bool wrong, int *data, int *flag, int *out) {
  if (blockIdx.x == 0) {
    touch(data, 42);
    __threadfence();
    atomicExch(flag, 1);
    if (wrong)
      touch(data, 1);
  } else {
    wait_for(flag, 1);
    *out = touch(data, 3);
  }
}
TWINS(stored_after_the_flag, bool wrong, true, false) {
  RUN(store_again, 2, 1, wrong);
  DONE(wrong || value(out) == 45);
}

// The flag itself is the race: an atomic operation for the block is none for others.
__global__ void narrow_flag(bool wrong, int *, int *flag, int *) {
  // clang-format off
  if (wrong ? atomicAdd_block(flag, 1) : atomicAdd(flag, 1)) __threadfence(); // BUG: flag_for_the_block
  // clang-format on
}
TWINS(flag_for_the_block, bool wrong, true, false) {
  RUN(narrow_flag, 4, 1, wrong);
  DONE(wrong || value(flags) == 4);
}

// ---- in one block ----

__global__ void unlocked(bool wrong, int *data, int *lock, int *) {
  if (threadIdx.x % 32)
    return;
  if (threadIdx.x == 0 || !wrong) {
    take(lock);
    __threadfence_block();
  }
  *data += 3; // BUG: warp_without_the_lock
  if (threadIdx.x == 0 || !wrong) {
    __threadfence_block();
    atomicExch_block(lock, 0);
  }
}
TWINS(warp_without_the_lock, bool wrong, true, false) {
  RUN(unlocked, 1, kThreads, wrong);
  DONE(wrong || value(data) == 6);
}

__global__ void unlock_warp_early(bool wrong, int *data, int *lock, int *) {
  if (threadIdx.x % 32)
    return;
  take(lock);
  __threadfence_block();
  *data += 3; // BUG: warp_unlocks_without_fence
  if (!wrong)
    __threadfence_block();
  atomicExch(lock, 0);
}
TWINS(warp_unlocks_without_fence, bool wrong, true, false) {
  RUN(unlock_warp_early, 1, kThreads, wrong);
  DONE(wrong || value(data) == 6);
}

// The fences are another warp's business.
__global__ void fence_elsewhere(bool wrong, int *, int *flags, int *out) {
  __shared__ int word, flag;
  int t = threadIdx.x;
  if (t == 0)
    word = flag = 0;
  __syncthreads();
  if (t == 0) {
    word = 7;
    __threadfence_block();
    atomicExch(&flag, 1);
  }
  if (t == 32) {
    if (wrong)
      atomicAdd(flags, 1);
    else
      wait_for(&flag, 1);
    *out = word; // BUG: shared_flag_not_read
  }
}
TWINS(shared_flag_not_read, bool wrong, true, false) {
  RUN(fence_elsewhere, 1, kThreads, wrong);
  DONE(wrong || value(out) == 7);
}

// ---- strict: a lock taken without a fence ----

__global__ void take_without_fence(bool wrong, volatile int *data, int *lock) {
  take(lock);
  if (!wrong || blockIdx.x)
    __threadfence();
  *data = blockIdx.x + 1; // BUG: lock_taken_without_fence
  __threadfence();
  atomicExch(lock, 0);
}
TWINS(lock_taken_without_fence, bool wrong, true, false) {
  int *data = buffer<int>(1), *lock = buffer<int>(1);
  take_without_fence<<<2, 1>>>(wrong, data, lock);
  LAUNCHED();
  EXPECT(value(data) > 0);
  release(data);
  release(lock);
}
CASE(lock_taken_without_fence_quiet) {
  int *data = buffer<int>(1), *lock = buffer<int>(1);
  take_without_fence<<<2, 1>>>(true, data, lock);
  LAUNCHED();
  EXPECT(value(data) > 0);
  release(data);
  release(lock);
}

__global__ void take_in_block(bool wrong, volatile int *data, int *lock) {
  if (threadIdx.x % 32)
    return;
  while (atomicCAS_block(lock, 0, 1) != 0) {
  }
  if (!wrong || threadIdx.x)
    __threadfence_block();
  *data = threadIdx.x + 1; // BUG: block_lock_without_fence
  __threadfence_block();
  atomicExch_block(lock, 0);
}
TWINS(block_lock_without_fence, bool wrong, true, false) {
  int *data = buffer<int>(1), *lock = buffer<int>(1);
  take_in_block<<<1, kThreads>>>(wrong, data, lock);
  LAUNCHED();
  EXPECT(value(data) > 0);
  release(data);
  release(lock);
}

// ---- code without races ----

// The block's own warp learns of its other one through another block.
__global__ void there_and_back(bool, int *data, int *flags, int *out) {
  int t = threadIdx.x, seen = 0;
  if (blockIdx.x == 0 && t == 0) {
    *data = 5;
    __threadfence();
    atomicExch(flags, 1);
  } else if (blockIdx.x == 1 && t == 0) {
    wait_for(flags, 1);
    __threadfence();
    atomicExch(flags + 64, 1);
  } else if (blockIdx.x == 0 && t == 32) {
    for (int i = 0; i < 100000 && !seen; i++) // both blocks need not run at once
      seen = atomicAdd(flags + 64, 0);
    *out = seen ? *data : 5;
    if (seen)
      *data = 6;
  }
}
CASE(through_another_block) {
  RUN(there_and_back, 2, kThreads, false);
  DONE(value(out) == 5);
}

// Each thread tells the next one, at first in its block: a fence also passes on what the thread has seen.
__global__ void in_turn(bool, int *data, int *flag, int *) {
  int turn = blockIdx.x * 2 + threadIdx.x / 32;
  if (threadIdx.x % 32)
    return;
  wait_for(flag, turn);
  *data += 3;
  if (turn % 2)
    __threadfence();
  else
    __threadfence_block();
  atomicExch(flag, turn + 1);
}
CASE(passed_on_in_turn) {
  RUN(in_turn, 4, kThreads, false);
  DONE(value(data) == 24);
}

// The thread that counts has no fence of its own.
__global__ void count_after_barrier(bool, int *data, int *flags, int *out) {
  __shared__ bool is_last;
  int t = threadIdx.x;
  data[blockIdx.x * kThreads + t] = t;
  __threadfence();
  __syncthreads();
  if (t == 0)
    is_last = atomicAdd(flags, 1) == gridDim.x - 1;
  __syncthreads();
  if (is_last)
    atomicAdd(out, data[(t + 1) % (kThreads * gridDim.x)] + data[3 * kThreads + t]);
}
CASE(fence_then_barrier) {
  RUN(count_after_barrier, 4, kThreads, false);
  DONE(value(out) == kThreads * (kThreads - 1));
}

// Locks of many elements, taken often: hashes of flags coincide, and times pass.
__global__ void many_locks(bool, int *data, int *locks, int *) {
  if (threadIdx.x % 32)
    return;
  for (int i = 0; i < 200; i++) {
    int k = (i * 7 + threadIdx.x + blockIdx.x) % 100;
    take(locks + k);
    __threadfence();
    data[k] += 3;
    __threadfence();
    atomicExch(locks + k, 0);
  }
}
CASE(many_locks) {
  RUN(many_locks, 2, kThreads, false);
  DONE(value(data) > 0);
}

// A lock for the lanes of a warp, which take it in turn.
__global__ void lanes_lock(bool, int *data, int *, int *) {
  __shared__ int lock;
  if (threadIdx.x == 0)
    lock = 0;
  __syncthreads();
  for (bool done = false; !done;)
    if (atomicCAS_block(&lock, 0, 1) == 0) {
      __threadfence_block();
      *data += 1;
      __threadfence_block();
      atomicExch_block(&lock, 0);
      done = true;
    }
}
CASE(lock_of_lanes) {
  RUN(lanes_lock, 1, kThreads, false);
  DONE(value(data) == kThreads);
}

// A volatile counter tells how much has been written. The CPU device executes the writer first.
__global__ void stream_of_values(bool, int *data, int *flags, int *out) {
  volatile int *head = flags;
  int t = threadIdx.x;
  if (t == 0)
    for (int i = 0; i < 100; i++) {
      data[i] = i;
      __threadfence_block();
      *head = i + 1;
    }
  if (t == 32)
    for (int i = 0; i < 100; i++) {
      while (*head <= i) {
      }
      *out += data[i];
    }
}
CASE(volatile_counter) {
  RUN(stream_of_values, 1, kThreads, false);
  DONE(value(out) == 4950);
}

// The nodes of a list: each is written before it is published by a compare-and-swap.
struct Node {
  int value, next;
};
__global__ void push(bool, int *data, int *head, int *out) {
  Node *nodes = (Node *)data;
  int mine = blockIdx.x * blockDim.x + threadIdx.x + 1, next;
  nodes[mine].value = mine;
  do {
    next = atomicAdd(head, 0);
    nodes[mine].next = next;
    __threadfence();
  } while (atomicCAS(head, next, mine) != next);
  __threadfence();
  int sum = 0;
  for (int i = mine; i; i = nodes[i].next)
    sum += nodes[i].value;
  atomicMax(out, sum);
}
CASE(list_of_nodes) {
  RUN(push, 2, 33, false);
  DONE(value(out) == 66 * 67 / 2);
}
