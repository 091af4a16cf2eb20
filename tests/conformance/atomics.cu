// atomics.cu: atomic operations of every type, width and scope, on global and shared memory.
#include "conformance.h"
#include <cuda_bf16.h>
#include <cuda_fp16.h>

enum { THREADS = 128, BLOCKS = 4, ALL_THREADS = THREADS * BLOCKS };

static __host__ __device__ unsigned long long noise(unsigned t) {
  unsigned long long x = (t + 1) * 0x9e3779b97f4a7c15ull;
  return x ^ (x >> 29);
}

// Every thread applies `operation` with its value to one variable; the host folds the same values.
template <typename T, typename F> static void folded(T start, F operation, T (*fold)(T, T)) {
  T *word = buffer<T>(1);
  CU(cudaMemcpy(word, &start, sizeof start, cudaMemcpyHostToDevice));
  on_device(BLOCKS, THREADS, [=] __device__() { operation(word, (T)noise(blockIdx.x * THREADS + threadIdx.x)); });
  T expected = start;
  for (unsigned t = 0; t < ALL_THREADS; t++)
    expected = fold(expected, (T)noise(t));
  EXPECT(value(word) == expected);
  release(word);
}

#define ADD_OF(T) folded<T>((T)5, [] __device__(T * p, T v) { atomicAdd(p, v); }, [](T a, T b) { return (T)(a + b); })
CASE(add_integers) {
  ADD_OF(unsigned);
  ADD_OF(unsigned long long);
  folded<int>(
      5, [] __device__(int *p, int v) { atomicAdd(p, v); },
      [](int a, int b) { return (int)((unsigned)a + (unsigned)b); });
}

CASE(sub_integers) {
  folded<unsigned>(
      7, [] __device__(unsigned *p, unsigned v) { atomicSub(p, v); }, [](unsigned a, unsigned b) { return a - b; });
  folded<int>(
      -7, [] __device__(int *p, int v) { atomicSub(p, v); },
      [](int a, int b) { return (int)((unsigned)a - (unsigned)b); });
}

#define MIN_MAX_OF(T)                                                                                                  \
  folded<T>((T)noise(9999), [] __device__(T * p, T v) { atomicMin(p, v); }, [](T a, T b) { return a < b ? a : b; });   \
  folded<T>((T)noise(9999), [] __device__(T * p, T v) { atomicMax(p, v); }, [](T a, T b) { return a > b ? a : b; })
CASE(min_max_32) {
  MIN_MAX_OF(int);
  MIN_MAX_OF(unsigned);
}
CASE(min_max_64) {
  MIN_MAX_OF(long long);
  MIN_MAX_OF(unsigned long long);
}

#define BITS_OF(T)                                                                                                     \
  folded<T>((T) - 1, [] __device__(T * p, T v) { atomicAnd(p, v | 3); }, [](T a, T b) { return (T)(a & (b | 3)); });   \
  folded<T>(                                                                                                           \
      0, [] __device__(T * p, T v) { atomicOr(p, v & 0x1111); }, [](T a, T b) { return (T)(a | (b & 0x1111)); });      \
  folded<T>((T)77, [] __device__(T * p, T v) { atomicXor(p, v); }, [](T a, T b) { return (T)(a ^ b); })
CASE(bits_32) {
  BITS_OF(int);
  BITS_OF(unsigned);
}
CASE(bits_64) {
  BITS_OF(unsigned long long);
}

// Small integers as floats: the sum is exact in any order.
CASE(add_float_and_double) {
  float *f = buffer<float>(1);
  double *d = buffer<double>(1);
  on_device(BLOCKS, THREADS, [=] __device__() {
    atomicAdd(f, (float)(threadIdx.x % 17) - 3.5f);
    atomicAdd(d, (double)(threadIdx.x % 13) * 0.25 - 100);
  });
  float wf = 0;
  double wd = 0;
  for (int t = 0; t < ALL_THREADS; t++)
    wf += (float)(t % THREADS % 17) - 3.5f, wd += (t % THREADS % 13) * 0.25 - 100;
  EXPECT(value(f) == wf && value(d) == wd);
  release(f), release(d);
}

CASE(add_half_and_bfloat16) {
  __half *h = buffer<__half>(1);
  __nv_bfloat16 *b = buffer<__nv_bfloat16>(2); // the second shares a word with the first
  on_device(1, 96, [=] __device__() {
    atomicAdd(h, __float2half((float)(threadIdx.x % 3)));
    atomicAdd(b + 1, __float2bfloat16(threadIdx.x & 1 ? 2.f : 0.f));
  });
  EXPECT(__half2float(value(h)) == 96);
  EXPECT(__bfloat162float(value(b)) == 0 && __bfloat162float(value(b + 1)) == 96);
  release(h), release(b);
}

CASE(add_half2_and_bfloat162) {
  __half2 *h = buffer<__half2>(1);
  __nv_bfloat162 *b = buffer<__nv_bfloat162>(1);
  on_device(1, 64, [=] __device__() {
    atomicAdd(h, __floats2half2_rn(1.f, -2.f));
    atomicAdd(b, __floats2bfloat162_rn(0.5f, 4.f));
  });
  __half2 vh = value(h);
  __nv_bfloat162 vb = value(b);
  EXPECT(__low2float(vh) == 64 && __high2float(vh) == -128);
  EXPECT(__low2float(vb) == 32 && __high2float(vb) == 256);
  release(h), release(b);
}

CASE(increment_wraps) {
  unsigned *p = buffer<unsigned>(1), *seen = buffer<unsigned>(8);
  on_device(1, 100, [=] __device__() { atomicAdd(&seen[atomicInc(p, 6)], 1u); }); // 0 to 6, then 0 again
  EXPECT(value(p) == 100 % 7);
  for (int i = 0; i < 8; i++)
    EXPECT(value(seen + i) == (i == 7 ? 0u : i < 2 ? 15u : 14u));
  unsigned above = 50;
  CU(cudaMemcpy(p, &above, sizeof above, cudaMemcpyHostToDevice));
  on_device(1, 1, [=] __device__() { atomicInc(p, 6); }); // above the limit: 0
  EXPECT(value(p) == 0);
  release(p), release(seen);
}

CASE(decrement_wraps) {
  unsigned *p = buffer<unsigned>(2), above = 50;
  CU(cudaMemcpy(p + 1, &above, sizeof above, cudaMemcpyHostToDevice));
  on_device(1, 100, [=] __device__() { atomicDec(p, 6); });   // 0 becomes 6
  on_device(1, 1, [=] __device__() { atomicDec(p + 1, 6); }); // above the limit: the limit
  EXPECT(value(p) == (7 - 100 % 7) % 7 && value(p + 1) == 6);
  release(p);
}

CASE(exchange) {
  // The returned old values and the final one together are all values.
  unsigned long long *p = buffer<unsigned long long>(1);
  auto old = each<unsigned long long>(128, [=] __device__(int t) { return atomicExch(p, (unsigned long long)t + 1); });
  unsigned long long sum = value(p);
  for (auto v : old)
    sum += v;
  EXPECT(sum == 128 * 129 / 2);
  float *f = buffer<float>(1);
  auto was = each<float>(1, [=] __device__(int) { return atomicExch(f, -1.5f); });
  EXPECT(was[0] == 0 && value(f) == -1.5f);
  int *i = buffer<int>(1);
  on_device(1, 1, [=] __device__() { atomicExch(i, -9); });
  EXPECT(value(i) == -9);
  release(p), release(f), release(i);
}

CASE(compare_and_swap_32_64) {
  unsigned *p = buffer<unsigned>(1);
  unsigned long long *q = buffer<unsigned long long>(1);
  auto won = each<int>(64, [=] __device__(int t) {
    int a = atomicCAS(p, 0u, (unsigned)t + 1) == 0, b = atomicCAS(q, 0ull, (t + 1ull) << 40) == 0;
    return a + 1000 * b;
  });
  int sum = 0;
  for (int t = 0; t < 64; t++) {
    sum += won[t];
    EXPECT((won[t] % 1000 == 1) == (value(p) == (unsigned)t + 1));
    EXPECT((won[t] / 1000 == 1) == (value(q) == (t + 1ull) << 40));
  }
  EXPECT(sum == 1001);
  release(p), release(q);
}

CASE(compare_and_swap_16) {
  unsigned short *p = buffer<unsigned short>(4);
  on_device(1, 64, [=] __device__() {
    unsigned short *q = p + threadIdx.x % 4, old = *q, seen;
    while ((seen = atomicCAS(q, old, (unsigned short)(old + 3))) != old)
      old = seen;
  });
  for (int i = 0; i < 4; i++)
    EXPECT(value(p + i) == 48);
  release(p);
}

CASE(float_maximum_by_compare_and_swap) {
  float *p = buffer<float>(1);
  on_device(BLOCKS, THREADS, [=] __device__() {
    float v = (float)(noise(blockIdx.x * THREADS + threadIdx.x) >> 44);
    int *word = (int *)p, old = *word, seen;
    while (v > __int_as_float(old) && (seen = atomicCAS(word, old, __float_as_int(v))) != old)
      old = seen;
  });
  float expected = 0;
  for (unsigned t = 0; t < ALL_THREADS; t++)
    expected = std::max(expected, (float)(noise(t) >> 44));
  EXPECT(value(p) == expected);
  release(p);
}

CASE(results_are_the_old_values) {
  unsigned *p = buffer<unsigned>(1);
  auto old = each<unsigned>(256, [=] __device__(int) { return atomicAdd(p, 1u); });
  std::vector<int> seen(256);
  for (unsigned v : old)
    EXPECT(v < 256 && !seen[v]++);
  release(p);
}

CASE(shared_memory) {
  auto got = each<double>(128, [] __device__(int t) {
    __shared__ int i;
    __shared__ unsigned long long u;
    __shared__ float f;
    __shared__ unsigned small;
    if (t == 0)
      i = -5, u = 1, f = 0.5f, small = 0xffffffffu;
    __syncthreads();
    atomicAdd(&i, t);
    atomicMax(&u, noise(t) >> 20);
    atomicAdd(&f, 1.f);
    atomicMin(&small, (unsigned)t + 9);
    __syncthreads();
    return i + (double)f * 65536 + small * 1e9 + (double)(u & 0xff) * 1e12;
  });
  unsigned long long most = 1;
  for (unsigned t = 0; t < 128; t++)
    most = std::max(most, noise(t) >> 20);
  for (int t = 0; t < 128; t++)
    EXPECT(got[t] == 128 * 127 / 2 - 5 + 128.5 * 65536 + 9e9 + (double)(most & 0xff) * 1e12);
}

CASE(scopes) {
  int *p = buffer<int>(8);
  double *d = buffer<double>(2);
  on_device(1, 64, [=] __device__() {
    int t = (int)threadIdx.x;
    atomicAdd_block(p, 2), atomicAdd_system(p, 1);
    atomicMax_block(p + 1, t), atomicMin_system(p + 2, -t);
    atomicOr_block(p + 3, 1 << t % 31), atomicXor_system(p + 4, t);
    atomicExch_system(p + 5, 11), atomicCAS_block(p + 6, 0, 12);
    atomicSub_block(p + 7, 1);
    atomicAdd_block(d, 0.5), atomicAdd_system(d + 1, 0.25);
  });
  static const int expected[] = {192, 63, -63, 0x7fffffff, 0, 11, 12, -64};
  for (int i = 0; i < 8; i++)
    EXPECT(value(p + i) == expected[i]);
  EXPECT(value(d) == 32 && value(d + 1) == 16);
  release(p), release(d);
}

CASE(managed_and_pinned_memory) {
  int *managed, *pinned, *there;
  CU(cudaMallocManaged(&managed, sizeof(int)));
  CU(cudaHostAlloc(&pinned, sizeof(int), cudaHostAllocMapped));
  CU(cudaHostGetDevicePointer(&there, pinned, 0));
  *managed = *pinned = 1;
  on_device(2, 64, [=] __device__() { atomicAdd_system(managed, 1), atomicAdd_system(there, 2); });
  EXPECT(*managed == 129 && *pinned == 257);
  CU(cudaFree(managed));
  CU(cudaFreeHost(pinned));
}

CASE(spin_lock_between_blocks) {
  int *lock = buffer<int>(1), *count = buffer<int>(1);
  on_device(8, 32, [=] __device__() {
    if (threadIdx.x)
      return;
    for (int i = 0; i < 10; i++) {
      while (atomicCAS(lock, 0, 1) != 0)
        ;
      __threadfence();
      *(volatile int *)count = *(volatile int *)count + 1;
      __threadfence();
      atomicExch(lock, 0);
    }
  });
  EXPECT(value(count) == 80);
  release(lock), release(count);
}

CASE(last_block_sums) {
  unsigned *done = buffer<unsigned>(1);
  int *parts = buffer<int>(16), *total = buffer<int>(1);
  on_device(16, 32, [=] __device__() {
    if (threadIdx.x)
      return;
    parts[blockIdx.x] = (int)(blockIdx.x * blockIdx.x);
    __threadfence();
    if (atomicAdd(done, 1u) == gridDim.x - 1) {
      int sum = 0;
      for (unsigned i = 0; i < gridDim.x; i++)
        sum += ((volatile int *)parts)[i];
      *total = sum;
    }
  });
  EXPECT(value(total) == 1240);
  release(done), release(parts), release(total);
}

CASE(histogram) {
  int *bins = buffer<int>(64);
  on_device(BLOCKS, THREADS, [=] __device__() {
    __shared__ int mine[64];
    if (threadIdx.x < 64)
      mine[threadIdx.x] = 0;
    __syncthreads();
    atomicAdd(&mine[noise(blockIdx.x * THREADS + threadIdx.x) >> 58], 1);
    __syncthreads();
    if (threadIdx.x < 64)
      atomicAdd(&bins[threadIdx.x], mine[threadIdx.x]);
  });
  int expected[64] = {};
  for (unsigned t = 0; t < ALL_THREADS; t++)
    expected[noise(t) >> 58]++;
  for (int i = 0; i < 64; i++)
    EXPECT(value(bins + i) == expected[i]);
  release(bins);
}
