// headers.cu: accesses inside functions of CUDA's headers: CuSafe reports the program's own line.
#include "case.h"
#include <cooperative_groups.h>
#include <cooperative_groups/memcpy_async.h>
#include <cub/thread/thread_load.cuh>
#include <cuda/atomic>
#include <cuda/std/span>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <cuda_pipeline.h>
#include <curand_kernel.h>
#include <thrust/execution_policy.h>
#include <thrust/reduce.h>

template <typename T> static T *ramp(int n) {
  T *p = buffer<T>(n);
  for (int i = 0; i < n; i++) {
    T number = (T)i;
    CU(cudaMemcpy(p + i, &number, sizeof number, cudaMemcpyHostToDevice));
  }
  return p;
}

// Tiles are prefetched in two stages.
struct Tiles {
  const int *in;
  int count;
};

__device__ inline void fetch(int *stage, const Tiles &tiles, int tile) {
  int t = threadIdx.x;
  __pipeline_memcpy_async(&stage[t], &tiles.in[tile * 8 + t], sizeof(int)); // BUG: pipeline_past_end
  __pipeline_commit();
}

__global__ void sum_tiles(Tiles tiles, int *out) {
  __shared__ int stages[16];
  int sum = 0;
  fetch(stages, tiles, 0);
  for (int tile = 0; tile < tiles.count; tile++) {
    if (tile + 1 < tiles.count)
      fetch(stages + (tile + 1) % 2 * 8, tiles, tile + 1);
    __pipeline_wait_prior(tile + 1 < tiles.count ? 1 : 0);
    __syncthreads();
    sum += stages[tile % 2 * 8 + threadIdx.x];
    __syncthreads();
  }
  out[threadIdx.x] = sum;
}

TWINS(pipeline_past_end, int count, 6, 5) {
  int *in = ramp<int>(40), *out = buffer<int>(8);
  sum_tiles<<<1, 8>>>(Tiles{in, count}, out);
  LAUNCHED();
  EXPECT(value(out) == 80 && value(out + 7) == 115);
  release(in), release(out);
}

__global__ void fetch_quads(const float4 *in, int first, float *out) {
  __shared__ float4 quads[16];
  int t = threadIdx.x;
  __pipeline_memcpy_async(quads + t, in + first + t, sizeof(float4)); // BUG: pipeline_quads
  __pipeline_commit();
  __pipeline_wait_prior(0);
  __syncthreads();
  out[t] = quads[15 - t].w;
}

TWINS(pipeline_quads, int first, 1, 0) {
  float *in = ramp<float>(64), *out = buffer<float>(16);
  fetch_quads<<<1, 16>>>((const float4 *)in, first, out);
  LAUNCHED();
  EXPECT(value(out) == 63 && value(out + 15) == 3);
  release(in), release(out);
}

// Counters updated through atomic references.
typedef unsigned long long Counter;

struct Totals {
  Counter *counters;
  int classes;
};

__device__ inline void add(const Totals &totals, int klass, Counter amount) {
  cuda::atomic_ref<Counter, cuda::thread_scope_device> counter(totals.counters[klass]);
  counter.fetch_add(amount, cuda::memory_order_relaxed); // BUG: reference_adds
}

__global__ void add_all(Totals totals) {
  add(totals, threadIdx.x % totals.classes, threadIdx.x);
}

TWINS(reference_adds, int classes, 5, 4) {
  Counter *counters = buffer<Counter>(4);
  add_all<<<1, 32>>>(Totals{counters, classes});
  LAUNCHED();
  EXPECT(value(counters) == 112 && value(counters + 3) == 136);
  release(counters);
}

__global__ void raise(Counter *peaks, int n) {
  int t = threadIdx.x;
  cuda::atomic_ref<Counter> peak(peaks[t % n]);
  Counter seen = peak.load(cuda::memory_order_relaxed); // BUG: reference_loads
  while (seen < (Counter)t && !peak.compare_exchange_weak(seen, (Counter)t))
    ;
}

TWINS(reference_loads, int n, 9, 8) {
  Counter *peaks = buffer<Counter>(8);
  raise<<<1, 32>>>(peaks, n);
  LAUNCHED();
  EXPECT(value(peaks) == 24 && value(peaks + 7) == 31);
  release(peaks);
}

__global__ void vote(int *votes, int n) {
  cuda::atomic_ref<int, cuda::thread_scope_device> count(votes[threadIdx.x % n]);
  count.fetch_add(1); // BUG: reference_votes
}

TWINS(reference_votes, int n, 7, 6) {
  int *votes = buffer<int>(6);
  vote<<<1, 30>>>(votes, n);
  LAUNCHED();
  EXPECT(value(votes) == 5 && value(votes + 5) == 5);
  release(votes);
}

// libcu++ implements atomics on bytes by accesses to the word around them, which may end past the buffer.
__global__ void mark(unsigned char *flags, int first) {
  cuda::atomic_ref<unsigned char, cuda::thread_scope_device> flag(flags[first + threadIdx.x]);
  flag.fetch_or(2); // BUG: reference_bytes
}

TWINS(reference_bytes, int first, 1, 0) {
  unsigned char *flags = buffer<unsigned char>(5);
  mark<<<1, 5>>>(flags, first);
  LAUNCHED();
  EXPECT(value(flags) == 2 && value(flags + 4) == 2);
  release(flags);
}

__global__ void use_bytes(unsigned char *bytes, short *shorts) {
  int t = threadIdx.x;
  cuda::atomic_ref<unsigned char> byte(bytes[t]);
  unsigned char seen = byte.load();
  while (!byte.compare_exchange_weak(seen, seen + 3))
    ;
  cuda::atomic_ref<short, cuda::thread_scope_block> number(shorts[t]);
  number.fetch_add(number.load(cuda::memory_order_relaxed) + 400);
  if (byte.exchange(9) == 3)
    byte.store(number.load() == 400 ? 4 : 5);
}

CASE(reference_to_last_bytes) {
  unsigned char *bytes = buffer<unsigned char>(7);
  short *shorts = buffer<short>(7);
  use_bytes<<<1, 7>>>(bytes, shorts);
  LAUNCHED();
  EXPECT(value(bytes) == 4 && value(bytes + 6) == 4 && value(shorts + 6) == 400);
  release(bytes), release(shorts);
}

// A structure with an atomic member counts events.
struct Event {
  cuda::atomic<Counter, cuda::thread_scope_device> seen;
  int kind;
};

__global__ void count_events(Event *events, const int *order, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    ++events[order[i]].seen; // BUG: atomic_member
}

TWINS(atomic_member, int last, 12, 11) {
  int host[24], *order = buffer<int>(24);
  Event *events = buffer<Event>(12);
  for (int i = 0; i < 24; i++)
    host[i] = i % 12;
  host[23] = last;
  CU(cudaMemcpy(order, host, sizeof host, cudaMemcpyHostToDevice));
  count_events<<<1, 8>>>(events, order, 24);
  LAUNCHED();
  EXPECT(value((Counter *)events) == 2 && value((Counter *)(events + 11)) == 2);
  release(order), release(events);
}

// Pairs of half-precision numbers.
__global__ void add_pairs(__half2 *sums, const __half2 *in, int n) {
  int t = threadIdx.x;
  atomicAdd(&sums[t % n], in[t]); // BUG: half_pair_atomic
}

TWINS(half_pair_atomic, int n, 9, 8) {
  __half2 host[32], *sums = buffer<__half2>(8), *in = buffer<__half2>(32);
  for (int i = 0; i < 32; i++)
    host[i] = __floats2half2_rn(1, i / 8);
  CU(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  add_pairs<<<1, 32>>>(sums, in, n);
  LAUNCHED();
  EXPECT(__low2float(value(sums)) == 4 && __high2float(value(sums + 7)) == 6);
  release(sums), release(in);
}

__device__ inline float at_half(const __half *in, int i) {
  return __half2float(__ldg(in + i)); // BUG: half_by_read_only
}

__global__ void widen(const __half *in, int first, float *out) {
  out[threadIdx.x] = at_half(in, first + threadIdx.x);
}

TWINS(half_by_read_only, int first, 1, 0) {
  __half host[20], *in = buffer<__half>(20);
  float *out = buffer<float>(20);
  for (int i = 0; i < 20; i++)
    host[i] = __float2half(i);
  CU(cudaMemcpy(in, host, sizeof host, cudaMemcpyHostToDevice));
  widen<<<1, 20>>>(in, first, out);
  LAUNCHED();
  EXPECT(value(out) == 0 && value(out + 19) == 19);
  release(in), release(out);
}

__global__ void narrow(const float *in, __nv_bfloat16 *out, int n) {
  for (int i = threadIdx.x; i < n; i += blockDim.x)
    __stcg(out + i, __float2bfloat16(in[i])); // BUG: bfloat_store
}

TWINS(bfloat_store, int n, 25, 24) {
  float *in = ramp<float>(32);
  __nv_bfloat16 *out = buffer<__nv_bfloat16>(24);
  narrow<<<1, 8>>>(in, out, n);
  LAUNCHED();
  EXPECT(__bfloat162float(value(out + 23)) == 23);
  release(in), release(out);
}

// Loads through the read-only cache.
struct Polygon {
  const float2 *corners;
  int count;
};

__device__ inline float edge(const Polygon &polygon, int i) {
  float2 a = __ldg(&polygon.corners[i]);
  float2 b = __ldg(&polygon.corners[i + 1]); // BUG: read_only_past_end
  return a.x * b.y - b.x * a.y;
}

__global__ void area(Polygon polygon, int closed, float *out) {
  float sum = 0;
  for (int i = 0; i + closed < polygon.count; i++)
    sum += edge(polygon, i);
  out[0] = sum / 2;
}

TWINS(read_only_past_end, int closed, 0, 1) {
  float2 host[5] = {{0, 0}, {4, 0}, {4, 2}, {0, 2}, {0, 0}}, *corners = buffer<float2>(5);
  float *out = buffer<float>(1);
  CU(cudaMemcpy(corners, host, sizeof host, cudaMemcpyHostToDevice));
  area<<<1, 1>>>(Polygon{corners, 5}, closed, out);
  LAUNCHED();
  EXPECT(value(out) == 8);
  release(corners), release(out);
}

// Spans know their size, but do not check indices.
__device__ inline int total(cuda::std::span<const int> numbers, int first) {
  int sum = 0;
  for (int i = first; i < first + 10; i++)
    sum += numbers[i]; // BUG: span_subscript
  return sum;
}

__global__ void total_of(const int *in, int n, int first, int *out) {
  out[0] = total(cuda::std::span<const int>(in, n), first);
}

TWINS(span_subscript, int first, 11, 10) {
  int *in = ramp<int>(20), *out = buffer<int>(1);
  total_of<<<1, 1>>>(in, 32, first, out);
  LAUNCHED();
  EXPECT(value(out) == 145);
  release(in), release(out);
}

__global__ void last_of(const int *in, int n, int *out) {
  cuda::std::span<const int> numbers(in, n);
  out[0] = numbers.back(); // BUG: span_back
}

TWINS(span_back, int n, 21, 20) {
  int *in = ramp<int>(20), *out = buffer<int>(1);
  last_of<<<1, 1>>>(in, n, out);
  LAUNCHED();
  EXPECT(value(out) == 19);
  release(in), release(out);
}

// The threads of a block copy a tile collectively.
__global__ void copy_tile(const int *in, int bytes, int *out) {
  __shared__ alignas(16) int tile[64];
  auto block = cooperative_groups::this_thread_block();
  cooperative_groups::memcpy_async(block, tile, in, bytes); // BUG: group_copy
  cooperative_groups::wait(block);
  out[block.thread_rank()] = tile[31 - block.thread_rank()];
}

TWINS(group_copy, int bytes, 208, 192) {
  int *in = ramp<int>(48), *out = buffer<int>(32);
  copy_tile<<<1, 32>>>(in, bytes, out);
  LAUNCHED();
  EXPECT(value(out) == 31 && value(out + 31) == 0);
  release(in), release(out);
}

// Every thread has a random number generator in a buffer.
__global__ void seed(curandStatePhilox4_32_10_t *states, int n) {
  int t = threadIdx.x;
  if (t < n)
    curand_init(42, t, 0, &states[t]); // BUG: generator_seeded
}

__global__ void draw(curandStatePhilox4_32_10_t *states, int first, unsigned *out) {
  int t = threadIdx.x;
  out[t] = curand(&states[first + t]); // BUG: generator_used
}

static void draw_numbers(int n, int first) {
  auto *states = buffer<curandStatePhilox4_32_10_t>(16);
  unsigned *out = buffer<unsigned>(32);
  seed<<<1, 32>>>(states, n);
  draw<<<1, 16>>>(states, first, out);
  draw<<<1, 16>>>(states, 0, out + 16);
  LAUNCHED();
  EXPECT(value(out) != value(out + 1) && value(out) != value(out + 16));
  release(states), release(out);
}
TWINS(generator_seeded, int n, 17, 16) {
  draw_numbers(n, 0);
}
TWINS(generator_used, int first, 1, 0) {
  draw_numbers(16, first);
}

// Sequential library algorithms, run by one thread.
__global__ void reduce_rows(const int *in, int width, int *out) {
  const int *row = in + threadIdx.x * width;
  out[threadIdx.x] = thrust::reduce(thrust::seq, row, row + width); // BUG: row_too_wide
}

TWINS(row_too_wide, int width, 9, 8) {
  int *in = ramp<int>(64), *out = buffer<int>(8);
  reduce_rows<<<1, 8>>>(in, width, out);
  LAUNCHED();
  EXPECT(value(out) == 28 && value(out + 7) == 476);
  release(in), release(out);
}

__global__ void load_around_caches(const int *in, int first, int *out) {
  int t = threadIdx.x;
  out[t] = cub::ThreadLoad<cub::LOAD_CG>(in + first + t); // BUG: load_past_caches
}

TWINS(load_past_caches, int first, 1, 0) {
  int *in = ramp<int>(8), *out = buffer<int>(8);
  load_around_caches<<<1, 8>>>(in, first, out);
  LAUNCHED();
  EXPECT(value(out) == 0 && value(out + 7) == 7);
  release(in), release(out);
}
