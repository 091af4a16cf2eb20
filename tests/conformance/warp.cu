// warp.cu: warp operations: shuffles of every kind and width, votes, matches, reductions, and synchronisation of subsets of lanes.
#include "conformance.h"
#include <algorithm>
#include <cuda_bf16.h>
#include <cuda_fp16.h>

static const unsigned ALL = 0xffffffffu;

static __host__ __device__ unsigned scrambled(unsigned x) {
  x = (x ^ 61) ^ (x >> 16);
  x *= 9;
  x ^= x >> 4;
  x *= 0x27d4eb2d;
  return x ^ (x >> 15);
}

// The lane that a shuffle reads according to the documentation.
static int source(char kind, int lane, int by, int width) {
  int base = lane & ~(width - 1), from = lane;
  by = by & 31; // PTX uses the low five bits
  if (kind == 'i')
    return base + (by & (width - 1));
  if (kind == 'u')
    from = lane - by < base ? lane : lane - by;
  if (kind == 'd')
    from = lane + by >= base + width ? lane : lane + by;
  if (kind == 'x')
    from = (lane ^ by) >= base + width ? lane : lane ^ by;
  return from;
}

template <char KIND, typename T> __device__ T shuffled(T v, int by, int width) {
  if (KIND == 'i')
    return __shfl_sync(ALL, v, by, width);
  if (KIND == 'u')
    return __shfl_up_sync(ALL, v, (unsigned)by, width);
  if (KIND == 'd')
    return __shfl_down_sync(ALL, v, (unsigned)by, width);
  return __shfl_xor_sync(ALL, v, by, width);
}

// All widths and distances against source().
template <char KIND, typename T> static void shuffles(int first, int last) {
  const int count = last - first + 1;
  Array<T> out((size_t)5 * count * 64);
  T *to = out.device;
  on_device(1, 64, [=] __device__() {
    int t = (int)threadIdx.x;
#pragma unroll 1
    for (int w = 0; w < 5; w++)
#pragma unroll 1
      for (int by = first; by <= last; by++)
        to[(w * count + by - first) * 64 + t] = shuffled<KIND, T>((T)scrambled(t), by, 2 << w);
  });
  out.download();
  for (int w = 0; w < 5; w++)
    for (int by = first; by <= last; by++)
      for (int t = 0; t < 64; t++)
        EXPECT(out[(w * count + by - first) * 64 + t] == (T)scrambled(t / 32 * 32 + source(KIND, t % 32, by, 2 << w)));
}

CASE(shfl_every_width) {
  shuffles<'i', int>(-3, 40);
}
CASE(shfl_up_every_width) {
  shuffles<'u', int>(0, 33);
}
CASE(shfl_down_every_width) {
  shuffles<'d', int>(0, 33);
}
CASE(shfl_xor_every_width) {
  shuffles<'x', int>(0, 31);
}
CASE(shfl_64_bits) {
  shuffles<'i', unsigned long long>(0, 3);
  shuffles<'u', long long>(1, 3);
}
CASE(shfl_float_and_double) {
  shuffles<'d', float>(1, 3);
  shuffles<'x', double>(1, 9);
}
CASE(shfl_long_and_unsigned) {
  shuffles<'x', unsigned>(1, 2);
  shuffles<'i', long>(5, 6);
  shuffles<'d', unsigned long>(1, 2);
}

CASE(shfl_half_types) {
  auto got = each<float>(32, [] __device__(int t) {
    __half h = __shfl_down_sync(ALL, __float2half((float)t), 1);
    __half2 p = __shfl_xor_sync(ALL, __floats2half2_rn((float)t, (float)-t), 16);
    __nv_bfloat16 b = __shfl_up_sync(ALL, __float2bfloat16((float)t), 2);
    return __half2float(h) + 100 * __low2float(p) - 10000 * __high2float(p) + 1000000 * __bfloat162float(b);
  });
  for (int t = 0; t < 32; t++) {
    float down = (float)(t < 31 ? t + 1 : t), other = (float)(t ^ 16), up = (float)(t >= 2 ? t - 2 : t);
    EXPECT(got[t] == down + 100 * other + 10000 * other + 1000000 * up);
  }
}

CASE(shfl_some_lanes) {
  // Odd and even lanes shuffle among themselves, each in one side of a branch.
  auto got = each<int>(32, [] __device__(int t) {
    if (t & 1)
      return __shfl_sync(0xaaaaaaaau, t * 7, (t + 2) & 31);
    return 1000 + __shfl_sync(0x55555555u, t * 5, (t + 30) & 31);
  });
  for (int t = 0; t < 32; t++)
    EXPECT(got[t] == (t & 1 ? (t + 2) % 32 * 7 : 1000 + (t + 30) % 32 * 5));
}

CASE(shfl_first_half_only) {
  auto got = each<int>(32, [] __device__(int t) {
    int v = t;
    if (t < 16)
      for (int by = 8; by; by /= 2)
        v += __shfl_down_sync(0xffffu, v, by, 16);
    return v;
  });
  EXPECT(got[0] == 120);
  for (int t = 16; t < 32; t++)
    EXPECT(got[t] == t);
}

CASE(shfl_in_a_loop_that_lanes_leave) {
  // Groups of eight lanes leave together; the others continue with a smaller mask.
  auto got = each<int>(32, [] __device__(int t) {
    int group = t / 8, sum = 0;
    for (int i = 0; i <= group; i++) {
      unsigned mask = ALL << (8 * i);
      sum += __shfl_sync(mask, t, 31);
    }
    return sum;
  });
  for (int t = 0; t < 32; t++)
    EXPECT(got[t] == 31 * (t / 8 + 1));
}

CASE(shfl_last_warp_partial) {
  auto got = each<int>(40, [] __device__(int t) { return t < 32 ? -1 : __shfl_xor_sync(0xffu, t * 3, 5); });
  for (int t = 32; t < 40; t++)
    EXPECT(got[t] == (32 + ((t - 32) ^ 5)) * 3);
}

CASE(warps_are_linear_in_the_block) {
  Array<int> out(4 * 4 * 4);
  int *to = out.device;
  on_device(1, dim3(4, 4, 4), [=] __device__() {
    int t = (int)(threadIdx.x + 4 * (threadIdx.y + 4 * threadIdx.z));
    to[t] = __shfl_xor_sync(ALL, t, 31);
  });
  out.download();
  for (int t = 0; t < 64; t++)
    EXPECT(out[t] == (t ^ 31));
}

CASE(ballot) {
  auto got = each<unsigned>(96, [] __device__(int t) { return __ballot_sync(ALL, scrambled(t) & 1); });
  for (int t = 0; t < 96; t++) {
    unsigned expected = 0;
    for (int i = 0; i < 32; i++)
      expected |= (scrambled(t / 32 * 32 + i) & 1) << i;
    EXPECT(got[t] == expected);
  }
}

CASE(ballot_of_some_lanes) {
  auto got = each<unsigned>(32, [] __device__(int t) {
    if (t % 3 == 0)
      return __ballot_sync(0x49249249u, t > 10);
    return __ballot_sync(~0x49249249u, t < 20);
  });
  unsigned thirds = 0, others = 0;
  for (int t = 0; t < 32; t++)
    t % 3 ? others |= (t < 20 ? 1u : 0) << t : thirds |= (t > 10 ? 1u : 0) << t;
  for (int t = 0; t < 32; t++)
    EXPECT(got[t] == (t % 3 ? others : thirds));
}

CASE(any_and_all) {
  auto got = each<int>(128, [] __device__(int t) {
    int lane = t % 32, warp = t / 32;
    int p = warp == 0 ? 0 : warp == 1 ? 4 : warp == 2 ? lane == 31 : lane != 0;
    return (__any_sync(ALL, p) ? 1 : 0) | (__all_sync(ALL, p) ? 2 : 0);
  });
  static const int expected[] = {0, 3, 1, 1};
  for (int t = 0; t < 128; t++)
    EXPECT(got[t] == expected[t / 32]);
}

CASE(all_of_some_lanes) {
  auto got = each<int>(32, [] __device__(int t) {
    if (t < 5)
      return __all_sync(0x1fu, t < 5) ? 1 : 0;
    return __any_sync(~0x1fu, t < 5) ? 1 : 0;
  });
  for (int t = 0; t < 32; t++)
    EXPECT(got[t] == (t < 5));
}

CASE(uni_vote) {
  auto got = each<int>(64, [] __device__(int t) {
    int r;
    asm volatile("{ .reg .pred p, q; setp.ne.s32 p, %1, 0; vote.sync.uni.pred q, p, -1; selp.s32 %0, 1, 0, q; }"
                 : "=r"(r)
                 : "r"(t < 32 ? 1 : t & 1));
    return r;
  });
  for (int t = 0; t < 64; t++)
    EXPECT(got[t] == (t < 32));
}

CASE(match_any) {
  auto got = each<unsigned>(64, [] __device__(int t) { return __match_any_sync(ALL, (int)(scrambled(t) % 5)); });
  auto wide = each<unsigned>(64, [] __device__(int t) { return __match_any_sync(ALL, 0x100000000ull * (t % 3)); });
  for (int t = 0; t < 64; t++) {
    unsigned expected = 0, thirds = 0;
    for (int i = t / 32 * 32; i < t / 32 * 32 + 32; i++) {
      expected |= (scrambled(i) % 5 == scrambled(t) % 5 ? 1u : 0) << (i % 32);
      thirds |= (i % 3 == t % 3 ? 1u : 0) << (i % 32);
    }
    EXPECT(got[t] == expected);
    EXPECT(wide[t] == thirds);
  }
}

CASE(match_any_of_some_lanes) {
  auto got =
      each<unsigned>(32, [] __device__(int t) { return t < 20 ? __match_any_sync(0xfffffu, 1.5f * (t % 2)) : 0; });
  for (int t = 0; t < 20; t++)
    EXPECT(got[t] == (t % 2 ? 0xaaaaau : 0x55555u));
}

CASE(match_all) {
  auto got = each<unsigned>(64, [] __device__(int t) {
    int same = -1;
    unsigned mask = __match_all_sync(ALL, t < 32 ? 42ull << 40 : (unsigned long long)t, &same);
    return mask ^ (same ? 0xf0f0u : 0u);
  });
  for (int t = 0; t < 64; t++)
    EXPECT(got[t] == (t < 32 ? ALL ^ 0xf0f0u : 0));
}

// One lane of the mask is elected, and all of them name the same.
CASE(elect) {
  auto got = each<unsigned>(64, [] __device__(int t) {
    unsigned lane, here, mask = t < 32 ? ALL : 0xfffff000u;
    if (t >= 32 && t < 44)
      return ALL;
    asm volatile("{ .reg .pred p; elect.sync %0|p, %2; selp.u32 %1, 1, 0, p; }"
                 : "=r"(lane), "=r"(here)
                 : "r"(mask)
                 : "memory");
    return lane << 1 | here;
  });
  EXPECT(got[44] >> 1 >= 12);
  for (unsigned t = 0; t < 64; t++) {
    unsigned lane = got[t < 32 ? 0 : 44] >> 1;
    EXPECT(got[t] == (t >= 32 && t < 44 ? ALL : lane << 1 | (lane == t % 32)));
  }
}

template <typename F> static void reduction(F device, unsigned (*host)(unsigned, unsigned), unsigned start) {
  for (unsigned mask : {ALL, 0x1u, 0x80000001u, 0x0ff0u}) {
    auto got = each<unsigned>(32, [=] __device__(int t) { return mask >> t & 1 ? device(mask, scrambled(t)) : 0; });
    unsigned expected = start;
    for (int t = 0; t < 32; t++)
      if (mask >> t & 1)
        expected = host(expected, scrambled(t));
    for (int t = 0; t < 32; t++)
      EXPECT(!(mask >> t & 1) || got[t] == expected);
  }
}

CASE(reduce_add) {
  reduction([] __device__(unsigned m, unsigned v) { return __reduce_add_sync(m, v); },
            [](unsigned a, unsigned b) { return a + b; }, 0);
}
CASE(reduce_min_max_unsigned) {
  reduction([] __device__(unsigned m, unsigned v) { return __reduce_min_sync(m, v); },
            [](unsigned a, unsigned b) { return a < b ? a : b; }, ALL);
  reduction([] __device__(unsigned m, unsigned v) { return __reduce_max_sync(m, v); },
            [](unsigned a, unsigned b) { return a > b ? a : b; }, 0);
}
CASE(reduce_min_max_signed) {
  reduction([] __device__(unsigned m, unsigned v) { return (unsigned)__reduce_min_sync(m, (int)v); },
            [](unsigned a, unsigned b) { return (int)a < (int)b ? a : b; }, 0x7fffffffu);
  reduction([] __device__(unsigned m, unsigned v) { return (unsigned)__reduce_max_sync(m, (int)v); },
            [](unsigned a, unsigned b) { return (int)a > (int)b ? a : b; }, 0x80000000u);
}
CASE(reduce_bits) {
  reduction([] __device__(unsigned m, unsigned v) { return __reduce_and_sync(m, v); },
            [](unsigned a, unsigned b) { return a & b; }, ALL);
  reduction([] __device__(unsigned m, unsigned v) { return __reduce_or_sync(m, v); },
            [](unsigned a, unsigned b) { return a | b; }, 0);
  reduction([] __device__(unsigned m, unsigned v) { return __reduce_xor_sync(m, v); },
            [](unsigned a, unsigned b) { return a ^ b; }, 0);
}

CASE(activemask) {
  // The device decides which lanes converge, but a lane is in its own mask, and no lane of the other branch is.
  auto got = each<unsigned>(32, [] __device__(int t) { return t % 4 == 1 ? __activemask() : ~__activemask(); });
  for (int t = 0; t < 32; t++) {
    unsigned mask = t % 4 == 1 ? got[t] : ~got[t], branch = t % 4 == 1 ? 0x22222222u : ~0x22222222u;
    EXPECT((mask >> t & 1) && !(mask & ~branch));
  }
}

CASE(syncwarp_orders_shared_memory) {
  auto got = each<int>(64, [] __device__(int t) {
    __shared__ int a[64];
    int other = t ^ 1, sum = 0;
    for (int i = 0; i < 10; i++) {
      a[t] = t * i;
      __syncwarp();
      sum += a[other];
      __syncwarp();
    }
    return sum;
  });
  for (int t = 0; t < 64; t++)
    EXPECT(got[t] == (t ^ 1) * 45);
}

CASE(syncwarp_in_both_branches) {
  auto got = each<int>(32, [] __device__(int t) {
    __shared__ int a[32];
    a[t] = -1;
    __syncwarp();
    if (t < 12) {
      a[t] = t;
      __syncwarp(0xfffu);
      return a[11 - t];
    }
    a[t] = 2 * t;
    __syncwarp(~0xfffu);
    return a[43 - t];
  });
  for (int t = 0; t < 32; t++)
    EXPECT(got[t] == (t < 12 ? 11 - t : 2 * (43 - t)));
}

CASE(lane_registers) {
  auto got = each<unsigned>(70, [] __device__(int) {
    unsigned lane, lt, le, gt, ge, eq, warps;
    asm("mov.u32 %0, %%laneid;" : "=r"(lane));
    asm("mov.u32 %0, %%lanemask_lt;" : "=r"(lt));
    asm("mov.u32 %0, %%lanemask_le;" : "=r"(le));
    asm("mov.u32 %0, %%lanemask_gt;" : "=r"(gt));
    asm("mov.u32 %0, %%lanemask_ge;" : "=r"(ge));
    asm("mov.u32 %0, %%lanemask_eq;" : "=r"(eq));
    asm("mov.u32 %0, WARP_SZ;" : "=r"(warps));
    bool ok =
        eq == 1u << lane && lt == eq - 1 && le == (lt | eq) && gt == ~le && ge == ~lt && warps == 32 && warpSize == 32;
    return ok ? lane : ALL;
  });
  for (int t = 0; t < 70; t++)
    EXPECT(got[t] == (unsigned)t % 32);
}

CASE(warp_scan) {
  auto got = each<int>(128, [] __device__(int t) {
    int v = (int)(scrambled(t) % 1000), lane = t % 32;
    for (int by = 1; by < 32; by *= 2) {
      int other = __shfl_up_sync(ALL, v, by);
      v += lane >= by ? other : 0;
    }
    return v;
  });
  for (int t = 0, sum = 0; t < 128; t++) {
    sum = (t % 32 ? sum : 0) + (int)(scrambled(t) % 1000);
    EXPECT(got[t] == sum);
  }
}

CASE(warp_bitonic_sort) {
  auto got = each<unsigned>(32, [] __device__(int t) {
    unsigned v = scrambled(t);
    for (int k = 2; k <= 32; k *= 2)
      for (int j = k / 2; j; j /= 2) {
        unsigned other = __shfl_xor_sync(ALL, v, j);
        bool up = !(t & k), low = !(t & j);
        v = up == low ? min(v, other) : max(v, other);
      }
    return v;
  });
  unsigned long long sum = 0, expected = 0;
  for (int t = 0; t < 32; t++) {
    EXPECT(t == 0 || got[t - 1] <= got[t]);
    sum += got[t], expected += scrambled(t);
  }
  EXPECT(sum == expected);
}

CASE(warp_aggregated_counter) {
  int *counter = buffer<int>(1);
  auto got = each<int>(256, [=] __device__(int t) {
    if (scrambled(t) % 3)
      return -1;
    unsigned active = __activemask();
    int leader = __ffs((int)active) - 1, lane = t % 32, first = 0;
    if (lane == leader)
      first = atomicAdd(counter, __popc(active));
    return __shfl_sync(active, first, leader) + __popc(active & ((1u << lane) - 1));
  });
  std::vector<int> seen(256);
  int count = 0;
  for (int t = 0; t < 256; t++)
    if (scrambled(t) % 3 == 0) {
      EXPECT(got[t] >= 0 && got[t] < 256 && !seen[got[t]]++);
      count++;
    }
  EXPECT(value(counter) == count);
  release(counter);
}

CASE(lanes_that_have_returned) {
  Array<unsigned> out(32);
  unsigned *to = out.device;
  CU(cudaMemset(to, 0, out.bytes()));
  on_device(1, 32, [=] __device__() {
    int t = (int)threadIdx.x;
    if (t >= 24)
      return;
    to[t] = __ballot_sync(0xffffffu, t & 1);
  });
  out.download();
  for (int t = 0; t < 32; t++)
    EXPECT(out[t] == (t < 24 ? 0xaaaaaau : 0));
}

// Code from before __syncwarp: volatile shared memory, and the warp in lock step. CUDA does not guarantee it since Volta, but many
// programs still rely on it.
CASE(volatile_scan) {
  auto got = each<unsigned>(256, [] __device__(int t) {
    __shared__ unsigned memory[512];
    volatile unsigned *s = memory;
    int at = 2 * t - t % 32;
    s[at] = 0;
    at += 32;
    s[at] = scrambled(t) % 100;
    for (int d = 1; d < 32; d *= 2)
      s[at] += s[at - d];
    return s[at];
  });
  for (unsigned t = 0, sum = 0; t < 256; t++) {
    sum = (t % 32 ? sum : 0) + scrambled(t) % 100;
    EXPECT(got[t] == sum);
  }
}

// The result of the scan is an index: warps sort their keys bit by bit.
CASE(volatile_ranks) {
  auto got = each<unsigned>(64, [] __device__(int t) {
    __shared__ unsigned memory[128], keys[64];
    volatile unsigned *s = memory;
    int at = 2 * t - t % 32 + 32;
    unsigned key = scrambled(t) % 16;
    for (int bit = 0; bit < 4; bit++) {
      unsigned zero = !(key >> bit & 1);
      s[at - 32] = 0;
      s[at] = zero;
      for (int d = 1; d < 32; d *= 2)
        s[at] += s[at - d];
      unsigned before = s[at] - zero, zeros = s[at - t % 32 + 31];
      __syncthreads();
      keys[t / 32 * 32 + (zero ? before : zeros + t % 32 - before)] = key;
      __syncthreads();
      key = keys[t];
    }
    return key;
  });
  for (int warp = 0; warp < 2; warp++) {
    std::vector<unsigned> expected(32);
    for (int t = 0; t < 32; t++)
      expected[t] = scrambled(warp * 32 + t) % 16;
    std::sort(expected.begin(), expected.end());
    for (int t = 0; t < 32; t++)
      EXPECT(got[warp * 32 + t] == expected[t]);
  }
}

static __device__ void last_warp(volatile float *s, int t) {
  s[t] += s[t + 32];
  s[t] += s[t + 16];
  s[t] += s[t + 8];
  s[t] += s[t + 4];
  s[t] += s[t + 2];
  s[t] += s[t + 1];
}

CASE(volatile_sum) {
  auto got = each<float>(256, [] __device__(int t) {
    __shared__ float own[256];
    own[t] = (float)t;
    __syncthreads();
    for (int k = 128; k > 32; k /= 2) {
      if (t < k)
        own[t] += own[t + k];
      __syncthreads();
    }
    if (t < 32)
      last_warp(own, t);
    __syncthreads();
    return own[0];
  });
  for (int t = 0; t < 256; t++)
    EXPECT(got[t] == 255 * 128);
}

// The pointer to a variable is uniform across the warp: computing it must not split the warp.
__device__ int shared_by_all[4] = {5, 6, 7, 8};
CASE(vote_with_the_address_of_a_variable) {
  auto got = each<int>(64, [] __device__(int t) {
    int *volatile p = shared_by_all;
    dim3 thread = threadIdx;
    return __any_sync(ALL, p[t % 4] == 8 && thread.x == 35) * 100 + __popc(__ballot_sync(ALL, p[t % 4] > 6));
  });
  for (int t = 0; t < 64; t++)
    EXPECT(got[t] == (t >= 32) * 100 + 16);
}

// Only the leader sets the variable that all lanes pass to the shuffle; the other lanes' values are not read.
__global__ static void reserve_slots(int *slots, int *counter) {
  unsigned lane = threadIdx.x % 32, mask = __ballot_sync(ALL, threadIdx.x % 3 == 0);
  int first;
  if (lane == 0)
    first = atomicAdd(counter, __popc(mask));
  first = __shfl_sync(ALL, first, 0);
  if (mask >> lane & 1)
    slots[first + __popc(mask & ((1u << lane) - 1))] = 1 + (int)threadIdx.x;
}
CASE(uninitialised_in_all_but_the_leader) {
  Array<int> slots(44), counter(1);
  slots.upload(), counter.upload();
  reserve_slots<<<1, 128>>>(slots.device, counter.device);
  LAUNCHED();
  slots.download(), counter.download();
  EXPECT(counter.host[0] == 43 && slots.host[43] == 0);
  int sum = 0;
  for (int i = 0; i < 43; i++)
    sum += slots.host[i];
  EXPECT(sum == 43 + 3 * 42 * 43 / 2);
}

// A shuffle in a function, with uninitialised values in some lanes.
static __device__ int from_next(int x) {
  return __shfl_down_sync(ALL, x, 1);
}
__global__ static void differences(const int *in, int *out, int count) {
  int t = (int)threadIdx.x, x;
  if (t < count)
    x = in[t];
  int next = from_next(x);
  if (t + 1 < count)
    out[t] = next - x;
}
CASE(uninitialised_in_some_lanes) {
  Array<int> in(30), out(30);
  for (int i = 0; i < 30; i++)
    in[i] = i * i;
  in.upload();
  differences<<<1, 32>>>(in.device, out.device, 30);
  LAUNCHED();
  out.download();
  for (int i = 0; i < 29; i++)
    EXPECT(out[i] == 2 * i + 1);
}
