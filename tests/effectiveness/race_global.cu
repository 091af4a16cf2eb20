// race_global.cu: data races in global memory, and code that has none (--detect=race). Blocks run at once, so that either
// access of a race may be the second one: both are on the marked line, unless the program decides which comes first.
#include "case.h"
#include <cooperative_groups.h>
#include <cuda/atomic>

enum { kBlocks = 4, kThreads = 64, kAll = kBlocks * kThreads };

// Runs a kernel with `wrong`, data, and a result for each thread; the result of a race is not defined.
#define RUN(kernel, blocks, threads, wrong)                                                                            \
  int *data = buffer<int>(1024), *out = buffer<int>(1024);                                                             \
  kernel<<<blocks, threads>>>(wrong, data, out);                                                                       \
  LAUNCHED()
#define DONE(expected)                                                                                                 \
  EXPECT(expected);                                                                                                    \
  release(data);                                                                                                       \
  release(out)

__device__ int index() {
  return blockIdx.x * blockDim.x + threadIdx.x;
}

__global__ void count(bool wrong, int *data, int *) {
  if (wrong)
    *data = *data + 1; // BUG: plain_counter
  else
    atomicAdd(data, 1);
}
TWINS(plain_counter, bool wrong, true, false) {
  RUN(count, kBlocks, 1, wrong);
  DONE(wrong || value(data) == kBlocks);
}

// Its own block adds to the counter after the store, which another block finds first.
__global__ void start_counter(bool wrong, int *data, int *) {
  int *counter = data + (wrong ? 0 : blockIdx.x);
  bool sets = threadIdx.x == 0 && (!wrong || blockIdx.x == 0);
  (sets ? (void)(*counter = 5) : (void)0), __syncthreads(), atomicAdd(counter, 1); // BUG: counter_set_by_a_block
}
TWINS(counter_set_by_a_block, bool wrong, true, false) {
  RUN(start_counter, kBlocks, kThreads, wrong);
  DONE(wrong || value(data) == 5 + kThreads);
}

__global__ void count_warps(bool wrong, int *data, int *) {
  int *counter = wrong ? data : data + threadIdx.x;
  if (threadIdx.x % 32 == 0)
    ++*counter; // BUG: between_warps
}
TWINS(between_warps, bool wrong, true, false) {
  RUN(count_warps, 1, kThreads, wrong);
  DONE(wrong || value(data + 32) == 1);
}

__global__ void lanes(bool wrong, int *data, int *) {
  int t = threadIdx.x;
  data[t] = t + 1;
  __syncwarp();
  int sum = data[t] + data[(t + 1) % 32];
  if (!wrong)
    __syncwarp();
  data[t] = sum; // BUG: lanes_of_a_warp
}
TWINS(lanes_of_a_warp, bool wrong, true, false) {
  RUN(lanes, 1, 32, wrong);
  DONE(wrong || value(data) == 3);
}

__global__ void stencil(bool wrong, int *data, int *out) {
  int i = index();
  int *to = wrong ? data : out;
  if (i > 0)
    to[i] = data[i - 1] + 1; // BUG: stencil_in_place
}
TWINS(stencil_in_place, bool wrong, true, false) {
  RUN(stencil, kBlocks, kThreads, wrong);
  DONE(wrong || value(out + 9) == 1);
}

__global__ void histogram(bool wrong, int *data, int *out) {
  int *bin = out + (data[index()] + threadIdx.x) % 7;
  if (wrong)
    ++*bin; // BUG: histogram
  else
    atomicAdd(bin, 1);
}
TWINS(histogram, bool wrong, true, false) {
  RUN(histogram, kBlocks, kThreads, wrong);
  DONE(wrong || value(out) == 40);
}

__global__ void count_in_block(bool wrong, int *data, int *) {
  int *counter = wrong ? data : data + blockIdx.x;
  atomicAdd_block(counter, 1); // BUG: narrow_scope
}
TWINS(narrow_scope, bool wrong, true, false) {
  RUN(count_in_block, kBlocks, kThreads, wrong);
  DONE(wrong || value(data) == kThreads);
}

__global__ void write_results(bool wrong, int *, int *out) {
  out[wrong ? threadIdx.x : index()] = index(); // BUG: two_blocks_write
}
TWINS(two_blocks_write, bool wrong, true, false) {
  RUN(write_results, kBlocks, kThreads, wrong);
  DONE(wrong || value(out + 100) == 100);
}

__global__ void sum_floats(bool wrong, int *data, int *out) {
  float *sum = (float *)out;
  if (wrong)
    *sum += data[index()] + 1; // BUG: float_sum
  else
    atomicAdd(sum, data[index()] + 1.0f);
}
TWINS(float_sum, bool wrong, true, false) {
  RUN(sum_floats, kBlocks, kThreads, wrong);
  DONE(wrong || value((float *)out) == kAll);
}

__device__ int maximum;
__global__ void find_maximum(bool wrong, int *, int *) {
  int mine = index();
  if (!wrong)
    atomicMax(&maximum, mine);
  else
    maximum = maximum < mine ? mine : maximum; // BUG: device_variable
}
TWINS(device_variable, bool wrong, true, false) {
  RUN(find_maximum, kBlocks, kThreads, wrong);
  DONE(true);
}

__global__ void bytes(bool wrong, int *data, int *) {
  unsigned char *byte = (unsigned char *)data + (wrong ? index() / 2 : index());
  *byte = *byte + 1 + threadIdx.x; // BUG: bytes
}
TWINS(bytes, bool wrong, true, false) {
  RUN(bytes, kBlocks, 1, wrong);
  DONE(wrong || value(data) == 0x01010101);
}

__global__ void wide(bool wrong, int *data, int *out) {
  int4 v = {index(), 1, 2, 3};
  ((int4 *)out)[index() / (wrong ? 2 : 1)] = v; // BUG: wide_store
  data[index()] = v.x;
}
TWINS(wide_store, bool wrong, true, false) {
  RUN(wide, kBlocks, kThreads - 1, wrong);
  DONE(wrong || value(out + 8) == 2);
}

__global__ void scratch(bool wrong, int *data, int *out) {
  int t = threadIdx.x, *mine = data + blockIdx.x * kThreads;
  mine[t] = t + 1; // BUG: scratch_of_a_block
  if (!wrong)
    __syncthreads();
  out[index()] = mine[kThreads - 1 - t];
}
TWINS(scratch_of_a_block, bool wrong, true, false) {
  RUN(scratch, kBlocks, kThreads, wrong);
  DONE(wrong || value(out + kThreads) == kThreads);
}

__global__ void reset(bool wrong, int *data, int *) {
  if (wrong && blockIdx.x)
    *data = 100; // BUG: store_against_atomic
  atomicAdd(data, 1);
}
TWINS(store_against_atomic, bool wrong, true, false) {
  RUN(reset, 2, 1, wrong);
  DONE(wrong || value(data) == 2);
}

// The last block adds up what the others have written.
__global__ void last_block(bool wrong, int *data, int *out) {
  __shared__ bool is_last;
  if (threadIdx.x == 0) {
    data[1 + blockIdx.x] = blockIdx.x + 1;
    if (!wrong)
      __threadfence();
    is_last = atomicInc((unsigned *)data, gridDim.x - 1) == gridDim.x - 1;
  }
  __syncthreads();
  if (is_last && threadIdx.x == 1)
    for (int i = 0; i < kBlocks; i++)
      *out += data[1 + i]; // BUG: last_block_without_fence
}
TWINS(last_block_without_fence, bool wrong, true, false) {
  RUN(last_block, kBlocks, kThreads, wrong);
  DONE(wrong || value(out) == 10);
}

// Each block waits for the result of the block before.
__global__ void chain(bool wrong, int *data, int *out) {
  volatile int *ready = out;
  if (threadIdx.x)
    return;
  int b = blockIdx.x, before = 0;
  if (b > 0) {
    while (!ready[b - 1]) {
    }
    before = data[b - 1]; // BUG: chain_without_fence
  }
  data[b] = before + b;
  if (!wrong)
    __threadfence();
  ready[b] = 1;
}
TWINS(chain_without_fence, bool wrong, true, false) {
  RUN(chain, kBlocks, kThreads, wrong);
  DONE(wrong || value(data + 3) == 6);
}

__global__ void locked(bool wrong, int *data, int *out) {
  if (threadIdx.x)
    return;
  while (atomicCAS(data, 0, 1) != 0) {
  }
  if (!wrong)
    __threadfence();
  *out += 3; // BUG: lock_without_fence
  if (!wrong)
    __threadfence();
  atomicExch(data, 0);
}
TWINS(lock_without_fence, bool wrong, true, false) {
  RUN(locked, kBlocks, kThreads, wrong);
  DONE(wrong || value(out) == 12);
}

// One function for both accesses: a grid that does not synchronise may meet either first.
__device__ int touch(int *p, int add) {
  return *p += add; // BUG: phases
}
__global__ void in_phases(bool wrong, int *data, int *out) {
  touch(data + index(), index());
  if (!wrong)
    cooperative_groups::this_grid().sync();
  out[index()] = touch(data + kAll - 1 - index(), 5);
  if (!wrong)
    cooperative_groups::this_grid().sync();
  data[index()] = 1;
}
TWINS(phases, bool wrong, true, false) {
  int *data = buffer<int>(1024), *out = buffer<int>(1024);
  void *arguments[] = {&wrong, &data, &out};
  CU(cudaLaunchCooperativeKernel((void *)in_phases, dim3(kBlocks), dim3(kThreads), arguments, 0, 0));
  LAUNCHED();
  DONE(wrong || value(out) == kAll + 4);
}

// The release has an order only in the good twin.
__global__ void publish(bool wrong, int *data, int *out) {
  cuda::atomic_ref<int, cuda::thread_scope_device> flag(out[1]);
  if (blockIdx.x == 0) {
    *data = 42;
    flag.store(1, wrong ? cuda::memory_order_relaxed : cuda::memory_order_release);
  } else {
    while (!flag.load(cuda::memory_order_acquire)) {
    }
    *out = *data; // BUG: relaxed_flag
  }
}
TWINS(relaxed_flag, bool wrong, true, false) {
  RUN(publish, 2, 1, wrong);
  DONE(wrong || value(out) == 42);
}

// The pointer comes from memory.
struct Table {
  int *cells;
};
__global__ void through(bool wrong, Table *table) {
  table->cells[wrong ? 0 : index()] += index(); // BUG: through_a_structure
}
TWINS(through_a_structure, bool wrong, true, false) {
  Table table = {buffer<int>(1024)}, *device = buffer<Table>(1);
  CU(cudaMemcpy(device, &table, sizeof table, cudaMemcpyHostToDevice));
  through<<<kBlocks, kThreads>>>(wrong, device);
  LAUNCHED();
  EXPECT(wrong || value(table.cells + 9) == 9);
  release(table.cells);
  release(device);
}

// ---- code without races ----

__global__ void set_flag(bool, int *data, int *out) {
  *out = 1;
  ((unsigned char *)data)[1] = 7;
}
CASE(one_value_by_many) {
  RUN(set_flag, kBlocks * 8, kThreads, false);
  DONE(value(out) == 1 && value(data) == 0x700);
}

__global__ void shift(const int *from, int *to) {
  to[index()] = from[(index() + 1) % kAll] + 1;
}
CASE(two_buffers_over_launches) {
  int *a = buffer<int>(kAll), *b = buffer<int>(kAll);
  for (int i = 0; i < 6; i++)
    shift<<<kBlocks, kThreads>>>(i % 2 ? b : a, i % 2 ? a : b);
  LAUNCHED();
  EXPECT(value(a) == 6);
  release(a);
  release(b);
}

// Thread 0 waits for the other block, and a barrier passes on what it has seen; the writers' barrier is before the fence.
__global__ void by_barrier(bool, int *data, int *out) {
  volatile int *ready = out;
  int t = threadIdx.x;
  if (blockIdx.x == 0) {
    data[t] = t + 1;
    __syncthreads();
    if (t == 0) {
      __threadfence();
      *ready = 1;
    }
  } else {
    if (t == 0)
      while (!*ready) {
      }
    __syncthreads();
    out[1 + t] = data[kThreads - 1 - t];
  }
}
CASE(flag_and_barriers) {
  RUN(by_barrier, 2, kThreads, false);
  DONE(value(out + 1) == kThreads);
}

// A lane releases what its warp has written.
__global__ void by_lane(bool, int *data, int *out) {
  volatile int *ready = out;
  int t = threadIdx.x, lane = t % 32;
  if (t < 32) {
    data[t] = t + 1;
    __syncwarp();
    if (lane == 0) {
      __threadfence_block();
      *ready = 1;
    }
  } else if (*ready) { // seldom 0: the first warp is ahead
    out[1 + lane] = data[31 - lane];
  }
}
CASE(released_by_a_lane) {
  RUN(by_lane, 1, kThreads, false);
  DONE(true);
}

__global__ void allocate(bool, int *, int *out) {
  for (int i = 0; i < 4; i++) {
    int *mine = (int *)malloc(64);
    if (!mine)
      return;
    mine[0] = index();
    atomicAdd(out, mine[0] - index());
    free(mine);
  }
}
CASE(memory_of_kernels) {
  RUN(allocate, kBlocks, kThreads, false);
  DONE(value(out) == 0);
}

// Decoupled look-back: value and state are in one word.
__global__ void look_back(bool, int *data, int *out) {
  volatile unsigned long long *states = (unsigned long long *)data;
  if (threadIdx.x)
    return;
  unsigned b = blockIdx.x, sum = b + 1;
  states[b] = 1ull << 32 | sum;
  for (int i = (int)b - 1; i >= 0; i--) {
    unsigned long long state;
    do
      state = states[i];
    while (state == 0);
    sum += (unsigned)state;
    if (state >> 32 == 2)
      break;
  }
  states[b] = 2ull << 32 | sum;
  out[b] = sum;
}
CASE(look_back) {
  RUN(look_back, kBlocks, kThreads, false);
  DONE(value(out + 3) == 10);
}

__global__ void own_elements(bool, int *data, int *out) {
  for (int i = index(); i < 1024; i += kAll) {
    data[i] = i;
    out[i] = data[i] + 1;
    data[i] = 0;
  }
}
CASE(own_elements) {
  RUN(own_elements, kBlocks, kThreads, false);
  DONE(value(out + 1000) == 1001);
}
