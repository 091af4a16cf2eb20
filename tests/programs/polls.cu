// Threads that wait in a loop for a value which a later thread of their block stores.
#include "../check.h"
#include <cuda/atomic>

const int THREADS = 96;
using Atomic = cuda::atomic_ref<int, cuda::thread_scope_block>;

// The first thread waits for the last warp, in global memory.
__global__ void volatile_flag(volatile int *flag, int *out) {
  if (threadIdx.x == 0) {
    while (*flag == 0)
      ;
    *out = *flag + 1;
  } else if (threadIdx.x == THREADS - 1) {
    *flag = 41;
  }
}

// Two warps hand a value to and fro through shared memory; the kernel has warp operations, and barriers around.
__global__ void ping_pong(int *out) {
  __shared__ volatile int turn;
  __shared__ volatile int value;
  int warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  if (threadIdx.x == 0) {
    turn = 1;
    value = 0;
  }
  __syncthreads();
  for (int round = 0; round < 5 && warp < 2; round++) {
    if (lane == 0) {
      while (turn != warp)
        ;
      value = value + 1 + warp;
      __threadfence_block();
      turn = 1 - warp;
    }
    __syncwarp();
  }
  __syncthreads();
  int sum = value;
  for (int mask = 16; mask; mask /= 2)
    sum += __shfl_xor_sync(~0u, sum, mask);
  out[threadIdx.x] = sum;
}

__device__ int loaded(int *flag) {
  return Atomic(*flag).load(cuda::memory_order_acquire);
}

// The loop loads through a function, and its value goes through a variable.
__global__ void atomic_flag(int *flag, int *out) {
  int seen;
  if (threadIdx.x == 3) {
    do {
      seen = loaded(flag);
      __nanosleep(20);
    } while (seen != 2);
    *out = seen;
  }
  if (threadIdx.x == 70)
    Atomic(*flag).store(2, cuda::memory_order_release);
}

// An atomic operation that leaves the value, and a wait of the library's.
__global__ void unchanged(int *flags, int *out) {
  if (threadIdx.x == 0) {
    while (atomicAdd(&flags[0], 0) == 0)
      __threadfence();
    Atomic(flags[1]).wait(0);
    *out = flags[1];
  }
  if (threadIdx.x == 40) {
    atomicExch(&flags[0], 1);
    Atomic(flags[1]).store(9);
    Atomic(flags[1]).notify_all();
  }
}

// Each thread waits for its neighbour above.
__global__ void chain(volatile int *values) {
  int i = threadIdx.x;
  if (i < THREADS - 1)
    while (values[i + 1] == 0)
      ;
  values[i] = i == THREADS - 1 ? 1 : values[i + 1] + 1;
}

int main() {
  Array<int> flags(6), out(4), sums(THREADS), values(THREADS);
  flags.upload();
  values.upload();
  volatile_flag<<<1, THREADS>>>(flags.device, out.device);
  LAUNCHED();
  ping_pong<<<1, THREADS>>>(sums.device);
  LAUNCHED();
  atomic_flag<<<1, THREADS>>>(flags.device + 1, out.device + 1);
  LAUNCHED();
  unchanged<<<1, THREADS>>>(flags.device + 2, out.device + 2);
  LAUNCHED();
  chain<<<1, THREADS>>>(values.device);
  LAUNCHED();
  CU(cudaMemcpy(out.host, out.device, 3 * sizeof(int), cudaMemcpyDeviceToHost));
  sums.download();
  values.download();
  EXPECT(out[0] == 42);
  EXPECT(out[1] == 2);
  EXPECT(out[2] == 9);
  for (int t = 0; t < THREADS; t++) {
    EXPECT(sums[t] == 32 * 15);
    EXPECT(values[t] == THREADS - t);
  }
  return verdict();
}
