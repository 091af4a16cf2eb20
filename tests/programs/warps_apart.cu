// Warp operations in kernels whose threads wait for each other, so that the lanes of a warp do not run in lock step: at barriers in shared
// memory, and at a barrier of the grid. Lanes reach an operation at different times, from different calls, or have returned.
#include "../check.h"
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>

namespace cg = cooperative_groups;
const unsigned ALL = 0xffffffffu;
const int THREADS = 100, RESULTS = 26; // the last warp has four lanes

struct Barrier {
  unsigned long long word;
  __device__ unsigned at() { return (unsigned)__cvta_generic_to_shared(&word); }
  __device__ void start(int count) {
    asm volatile("mbarrier.init.shared.b64 [%0], %1;" ::"r"(at()), "r"(count) : "memory");
  }
  __device__ void arrive() {
    unsigned long long state;
    asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at()) : "memory");
  }
  __device__ void wait(int parity) {
    for (int done = 0; !done;)
      asm volatile("{ .reg .pred p; mbarrier.test_wait.parity.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                   : "=r"(done)
                   : "r"(at()), "r"(parity)
                   : "memory");
  }
};

static __host__ __device__ int value_of(int i) {
  return i * 7 % 13 - 4;
}

// Every operation, after waits that part the lanes: those of one warp that are odd wait for the even ones of all warps.
__global__ void operations(int *out) {
  __shared__ Barrier even, all;
  int t = threadIdx.x + threadIdx.y * blockDim.x + threadIdx.z * blockDim.x * blockDim.y, lane = t % 32,
      v = value_of(t);
  int last = THREADS - t / 32 * 32, here = last < 32 ? (1 << last) - 1 : -1, at = 0;
  auto give = [&](int result) { out[at++ * THREADS + t] = result; };
  if (t == 0) {
    even.start(THREADS / 2);
    all.start(THREADS);
  }
  __syncthreads();
  if (t % 2 == 0)
    even.arrive();
  else
    even.wait(0);
  all.arrive();
  if (t % 3)
    all.wait(0);
  give(__shfl_up_sync(here, v, 1));
  give(__shfl_down_sync(here, v, 2, 8));
  give(__shfl_xor_sync(here, v, 1));
  give(__shfl_sync(here, v, lane / 2, 16));
  give((int)(__shfl_xor_sync(here, (long long)v << 33, 2) >> 33));
  give((int)__shfl_down_sync(here, v * 0.5, 1));
  give(__ballot_sync(here, v > 0));
  give(__all_sync(here, v > -5) * 2 + __all_sync(here, v > 0));
  give(__any_sync(here, v > 7) * 2 + __any_sync(here, v > 8));
  give(__uni_sync(here, v > -5) * 2 + __uni_sync(here, v > 0));
  give(__match_any_sync(here, v));
  int same;
  give(__match_all_sync(here, t / 32, &same) + same);
  give(__match_all_sync(here, (long long)v, &same) + same);
  give(__reduce_add_sync(here, v));
  give(__reduce_min_sync(here, v));
  give((int)__reduce_max_sync(here, (unsigned)v));
  give((int)__reduce_xor_sync(here, (unsigned)v));

  // One branch waits for the other, which meets on its own first; both branches have the same operation.
  int mine = lane % 2 ? here & 0xaaaaaaaa : here & 0x55555555, sum = v;
  if (lane % 2) {
    all.arrive();
    sum = __reduce_add_sync(mine, v);
    all.wait(1);
  } else {
    sum += __shfl_xor_sync(mine, v, 2) + __popc(__ballot_sync(mine, 1));
    all.arrive();
    all.wait(1);
  }
  give(sum);
  int met;
  if (t % 3)
    met = __shfl_xor_sync(here, v, 1);
  else
    met = __shfl_xor_sync(here, v + 1, 1);
  give(met);
  cg::coalesced_group active = cg::coalesced_threads();
  give(active.shfl(v, 0) + (active.size() <= 32));
  auto tile = cg::tiled_partition<4>(cg::this_thread_block());
  give(cg::reduce(tile, v, cg::plus<int>()));

  // Shared memory between the lanes of a warp.
  __shared__ int words[THREADS];
  words[t] = v;
  __syncwarp(here);
  int next = words[t / 32 * 32 + (lane + 1) % (last < 32 ? last : 32)];
  __syncwarp(here);
  words[t] = next;
  __syncwarp(here);
  give(words[t / 32 * 32]);

  // Lanes that return take no part, though masks name them.
  if (lane >= 20)
    return;
  give(__shfl_down_sync(ALL, v, 1));
  give(__popc(__ballot_sync(ALL, 1)));
  __syncwarp();
  __shared__ int left;
  if (t == 0)
    atomicExch(&left, 0);
  __syncthreads();
  atomicAdd(&left, 1);
  __syncthreads();
  give(left);
  unsigned mask = __activemask();
  give((mask >> lane & 1) + (mask >> 20));
}

static void check_operations(int *out) {
  int at = 0, t = 0;
  auto v = [](int i) { return value_of(i); };
  for (at = 0; at < RESULTS; at++)
    for (t = 0; t < THREADS; t++) {
      int base = t / 32 * 32, lane = t % 32, count = THREADS - base < 32 ? THREADS - base : 32, result = 0, k = lane;
      int got = out[at * THREADS + t], positive = 0, least = 99, sum = 0, bits = 0, odd = 0, tile = 0, lanes = 0;
      unsigned most = 0, equal = 0;
      for (int i = 0; i < count; i++) {
        positive |= (v(base + i) > 0) << i;
        sum += v(base + i);
        least = v(base + i) < least ? v(base + i) : least;
        most = (unsigned)v(base + i) > most ? (unsigned)v(base + i) : most;
        bits ^= v(base + i);
        equal |= (unsigned)(v(base + i) == v(t)) << i;
        odd += i % 2 ? v(base + i) : 0;
        lanes += i % 2 == 0;
        tile += i / 4 == lane / 4 ? v(base + i) : 0;
      }
      int high = 0, above = 0;
      for (int i = 0; i < count; i++) {
        high |= v(base + i) > 7;
        above |= v(base + i) > 8;
      }
      int everyone = count < 32 ? (1 << count) - 1 : -1;
      switch (at) {
      case 0:
        k = lane ? lane - 1 : lane;
        result = v(base + k);
        break;
      case 1:
        k = lane % 8 + 2 < 8 ? lane + 2 : lane;
        result = k < count ? v(base + k) : got;
        break;
      case 2:
        result = v(base + (lane ^ 1));
        break;
      case 3:
        k = (lane & 16) + lane / 2 % 16;
        result = v(base + k);
        break;
      case 4:
        result = v(base + (lane ^ 2));
        break;
      case 5:
        k = lane < 31 ? lane + 1 : lane;
        result = k < count ? (int)(v(base + k) * 0.5) : got;
        break;
      case 6:
        result = positive;
        break;
      case 7:
        result = 2 + (positive == everyone);
        break;
      case 8:
        result = high * 2 + above;
        break;
      case 9:
        result = 2 + (positive == everyone || positive == 0);
        break;
      case 10:
        result = (int)equal;
        break;
      case 11:
        result = everyone + 1;
        break;
      case 12:
        result = 0;
        break;
      case 13:
        result = sum;
        break;
      case 14:
        result = least;
        break;
      case 15:
        result = (int)most;
        break;
      case 16:
        result = bits;
        break;
      case 17:
        result = lane % 2 ? odd : v(t) + v(base + (lane ^ 2)) + lanes;
        break;
      case 18:
        k = lane ^ 1;
        result = v(base + k) + ((base + k) % 3 == 0);
        break;
      case 19:
        result = got;
        break; // the lowest of the lanes that are together, which are not specified
      case 20:
        result = tile;
        break;
      case 21:
        result = v(base + 1);
        break;
      case 22:
        k = lane + 1;
        result = k < 20 && k < count ? v(base + k) : got;
        break;
      case 23:
        result = count < 20 ? count : 20;
        break;
      case 24:
        result = 64;
        break;
      case 25:
        result = 1;
        break;
      }
      if (lane < 20 || at < 22)
        EXPECT(got == result);
      if (got != result && (lane < 20 || at < 22) && failures < 10)
        printf("result %d of thread %d: %d, expected %d\n", at, t, got, result);
    }
}

// A matrix product, once per warp, with the factors from shared memory that other threads fill.
__global__ void product(float *out) {
  __shared__ Barrier full;
  __shared__ alignas(16) unsigned short a[16 * 8], b[8 * 8];
  int t = threadIdx.x, lane = t % 32;
  if (t == 0)
    full.start(blockDim.x);
  __syncthreads();
  for (int i = t; i < 16 * 8; i += blockDim.x)
    a[i] = i % 3 == 0 ? 0 : i % 3 == 1 ? 0x3c00 : 0x4000; // 0, 1 and 2
  for (int i = t; i < 8 * 8; i += blockDim.x)
    b[i] = i / 8 == i % 8 ? 0x3c00 : 0; // one on the diagonal
  full.arrive();
  full.wait(0);
  unsigned r0, r1, r2;
  float d[4] = {0, 0, 0, 0};
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];"
               : "=r"(r0), "=r"(r1)
               : "r"((unsigned)__cvta_generic_to_shared(a + lane % 16 * 8)));
  asm volatile("ldmatrix.sync.aligned.m8n8.x1.trans.shared.b16 {%0}, [%1];"
               : "=r"(r2)
               : "r"((unsigned)__cvta_generic_to_shared(b + lane % 8 * 8)));
  asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%0, %1, %2, %3};"
               : "+f"(d[0]), "+f"(d[1]), "+f"(d[2]), "+f"(d[3])
               : "r"(r0), "r"(r1), "r"(r2));
  for (int i = 0; i < 4; i++)
    out[t / 32 * 128 + (lane / 4 + i / 2 * 8) * 8 + lane % 4 * 2 + i % 2] = d[i];
}

__device__ __noinline__ int fibonacci(int n) {
  return n < 2 ? n : fibonacci(n - 1) + fibonacci(n - 2);
}

// Reductions between barriers of the grid, of blocks and of warps.
__global__ void grid(int *sums, int *out) {
  cg::grid_group all = cg::this_grid();
  auto warp = cg::tiled_partition<32>(cg::this_thread_block());
  __shared__ int part[2];
  int t = threadIdx.x, total = 0;
  for (int i = 0; i < 3; i++) {
    int sum = cg::reduce(warp, value_of(t + blockIdx.x * blockDim.x) + i, cg::plus<int>());
    if (warp.thread_rank() == 0)
      part[t / 32] = sum;
    __syncthreads();
    if (t == 0)
      sums[blockIdx.x] = part[0] + part[1] + fibonacci(6);
    all.sync();
    int of_block = t < (int)gridDim.x ? sums[t] : 0;
    for (int offset = 16; offset > 0; offset /= 2)
      of_block += __shfl_xor_sync(ALL, of_block, offset);
    total += of_block;
    all.sync();
  }
  out[blockIdx.x * blockDim.x + t] = t < 32 ? total : -1;
}

static void check_grid() {
  const int blocks = 3, threads = 64;
  Array<int> sums(blocks), out(blocks * threads);
  void *args[] = {&sums.device, &out.device};
  CU(cudaMemset(out.device, 0, out.bytes()));
  CU(cudaLaunchCooperativeKernel((const void *)grid, dim3(blocks), dim3(threads), args, 0, 0));
  LAUNCHED();
  out.download();
  int sum = 0;
  for (int i = 0; i < blocks * threads; i++)
    sum += value_of(i);
  int total = 3 * sum + 3 * blocks * threads + 3 * blocks * 8;
  for (int i = 0; i < blocks * threads; i++)
    EXPECT(out[i] == (i % threads < 32 ? total : -1));
}

int main() {
  Array<int> out(RESULTS * THREADS);
  CU(cudaMemset(out.device, 0, out.bytes()));
  operations<<<1, dim3(5, 4, 5)>>>(out.device);
  LAUNCHED();
  out.download();
  check_operations(out.host);

  Array<float> d(2 * 128);
  product<<<1, 64>>>(d.device);
  LAUNCHED();
  d.download();
  for (int i = 0; i < 256; i++)
    EXPECT(d[i] == (float)(i % 128 % 3));
  check_grid();
  return verdict();
}
