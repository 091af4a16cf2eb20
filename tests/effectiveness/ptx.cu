// ptx.cu: loads, stores, atomics and copies in inline PTX, the user's own and that of clang's headers.
#include "case.h"
#include <cuda_pipeline.h>

__global__ void with_hints(const int *a, int i, int *out) {
  int v = 0;
  if (i < 100)
    v = __ldcg(a + i); // BUG: hint_cg
  else if (i < 200)
    v = __ldcs(a + i - 100); // BUG: hint_cs
  else if (i < 300)
    v = __ldcv(a + i - 200); // BUG: hint_cv
  else
    v = __ldca(a + i - 300); // BUG: hint_ca
  out[0] = v;
}

static void load_with_hint(int i) {
  int *a = buffer<int>(20), *out = buffer<int>(1);
  with_hints<<<1, 1>>>(a, i, out);
  LAUNCHED();
  EXPECT(value(out) == 0);
  release(a), release(out);
}
TWINS(hint_cg, int i, 20, 19) {
  load_with_hint(i);
}
TWINS(hint_cs, int i, 120, 119) {
  load_with_hint(i);
}
TWINS(hint_cv, int i, 220, 219) {
  load_with_hint(i);
}
TWINS(hint_ca, int i, 320, 319) {
  load_with_hint(i);
}

__global__ void wide_hint(const float4 *a, int i, float *out) {
  float4 v = __ldcg(a + i); // BUG: hint_vector
  out[0] = v.x + v.y + v.z + v.w;
}

TWINS(hint_vector, int i, 1, 0) {
  float *a = buffer<float>(6), *out = buffer<float>(1);
  wide_hint<<<1, 1>>>((float4 *)a, i, out);
  LAUNCHED();
  EXPECT(value(out) == 0);
  release(a), release(out);
}

__global__ void store_hints(int *a, int i) {
  if (i < 100)
    __stcg(a + i, 7); // BUG: hint_store
  else
    __stwt(a + i - 100, 7); // BUG: hint_through
}
TWINS(hint_store, int i, 20, 19) {
  int *a = buffer<int>(20);
  store_hints<<<1, 1>>>(a, i);
  LAUNCHED();
  EXPECT(value(a + 19) == 7);
  release(a);
}
TWINS(hint_through, int i, 120, 119) {
  int *a = buffer<int>(20);
  store_hints<<<1, 1>>>(a, i);
  LAUNCHED();
  EXPECT(value(a + 19) == 7);
  release(a);
}

__global__ void load(const float *a, int i, float *out) {
  float v;
  asm volatile("ld.global.f32 %0, [%1];" : "=f"(v) : "l"(a + i) : "memory"); // BUG: load after_free misaligned
  out[0] = v;
}

TWINS(load, int i, 10, 9) {
  float *a = buffer<float>(10), *out = buffer<float>(1);
  load<<<1, 1>>>(a, i, out);
  LAUNCHED();
  EXPECT(value(out) == 0);
  release(a), release(out);
}

TWINS(after_free, int freed, 1, 0) {
  float *a = buffer<float>(10), *out = buffer<float>(1);
  if (freed)
    release(a);
  load<<<1, 1>>>(a, 3, out);
  LAUNCHED();
  if (!freed)
    release(a);
  release(out);
}

TWINS(misaligned, int by, 2, 4) {
  float *a = buffer<float>(10), *out = buffer<float>(1);
  load<<<1, 1>>>((float *)((char *)a + by), 3, out);
  LAUNCHED();
  release(a), release(out);
}

// The PTX adds offsets to the address, and loads twice.
__global__ void pairs(const int *a, int i, int *out) {
  int v, w;
  asm volatile("ld.global.u32 %0, [%2+-4];\n\tld.global.u32 %1, [%2 + 8];" // BUG: offset offset_below
               : "=r"(v), "=r"(w)
               : "l"(a + i)
               : "memory");
  out[0] = v + w;
}

TWINS(offset, int i, 18, 17) {
  int *a = buffer<int>(20), *out = buffer<int>(1);
  pairs<<<1, 1>>>(a, i, out);
  LAUNCHED();
  release(a), release(out);
}
TWINS(offset_below, int i, 0, 1) { // the first load is before the buffer
  int *a = buffer<int>(20), *out = buffer<int>(1);
  pairs<<<1, 1>>>(a, i, out);
  LAUNCHED();
  release(a), release(out);
}

__global__ void store_vector(float *a, int i) {
  asm volatile("st.global.v4.f32 [%0], {%1, %1, %1, %1};" ::"l"(a + i), "f"(1.0f) : "memory"); // BUG: store_vector
}

TWINS(store_vector, int i, 8, 4) {
  float *a = buffer<float>(10);
  store_vector<<<1, 1>>>(a, i);
  LAUNCHED();
  EXPECT(value(a + 7) == 1);
  release(a);
}

__global__ void count(unsigned *a, int i, unsigned *out) {
  unsigned old;
  asm volatile("atom.global.add.u32 %0, [%1], %2;" : "=r"(old) : "l"(a + i), "r"(3u) : "memory"); // BUG: atomic
  asm volatile("red.global.add.u32 [%0], %1;" ::"l"(a + i), "r"(3u) : "memory");
  out[0] = old;
}

TWINS(atomic, int i, 10, 9) {
  unsigned *a = buffer<unsigned>(10), *out = buffer<unsigned>(1);
  count<<<1, 1>>>(a, i, out);
  LAUNCHED();
  EXPECT(value(a + 9) == 6);
  release(a), release(out);
}

// The address is an integer, as in code that computes addresses.
__global__ void by_integer(const int *a, long bytes, int *out) {
  int v;
  asm volatile("ld.global.u32 %0, [%1];" : "=r"(v) : "l"((unsigned long long)a + bytes) : "memory"); // BUG: integer
  out[0] = v;
}

TWINS(integer, long bytes, 40, 36) {
  int *a = buffer<int>(10), *out = buffer<int>(1);
  by_integer<<<1, 1>>>(a, bytes, out);
  LAUNCHED();
  release(a), release(out);
}

// A generic address of shared memory.
__global__ void shared_generic(int i, int *out) {
  __shared__ int a[32];
  a[threadIdx.x] = threadIdx.x;
  __syncthreads();
  int v;
  asm volatile("ld.u32 %0, [%1];" : "=r"(v) : "l"(a + i) : "memory"); // BUG: shared_generic
  out[threadIdx.x] = v;
}

TWINS(shared_generic, int i, 32, 31) {
  int *out = buffer<int>(32);
  shared_generic<<<1, 32>>>(i, out);
  LAUNCHED();
  EXPECT(value(out + 5) == 31);
  release(out);
}

// A 32-bit shared address: only optimised code shows which variable it points to.
__global__ void shared_number(int i, int *out) {
  __shared__ int a[32];
  a[threadIdx.x] = threadIdx.x;
  __syncthreads();
  int v;
  unsigned at = (unsigned)__cvta_generic_to_shared(a) + 4 * i;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"(at) : "memory"); // BUG: shared_number
  out[threadIdx.x] = v;
}

TWINS(shared_number, int i, 32, 31) {
  int *out = buffer<int>(32);
  shared_number<<<1, 32>>>(i, out);
  LAUNCHED();
  EXPECT(value(out + 5) == 31);
  release(out);
}

// The PTX converts the address itself.
__global__ void shared_converted(int i, int *out) {
  __shared__ int a[32];
  a[threadIdx.x] = threadIdx.x;
  __syncthreads();
  int v;
  asm volatile( // BUG: shared_converted
      "{ .reg .u64 t; .reg .u32 s; cvta.to.shared.u64 t, %1; cvt.u32.u64 s, t; ld.shared.u32 %0, [s]; }"
      : "=r"(v)
      : "l"(a + i)
      : "memory");
  out[threadIdx.x] = v;
}

TWINS(shared_converted, int i, 32, 31) {
  int *out = buffer<int>(32);
  shared_converted<<<1, 32>>>(i, out);
  LAUNCHED();
  EXPECT(value(out + 5) == 31);
  release(out);
}

// A predicated load, as libraries write it.
__global__ void guarded(const int *a, int i, int enabled, int *out) {
  int v;
  asm volatile( // BUG: guarded
      "{\n\t.reg .pred p;\n\tsetp.ne.b32 p, %2, 0;\n\tmov.b32 %0, 5;\n\t@p ld.global.u32 %0, [%1];\n}"
      : "=r"(v)
      : "l"(a + i), "r"(enabled)
      : "memory");
  out[0] = v;
}

TWINS(guarded, int enabled, 1, 0) {
  int *a = buffer<int>(10), *out = buffer<int>(1);
  guarded<<<1, 1>>>(a, 10, enabled, out);
  LAUNCHED();
  EXPECT(value(out) == 5);
  guarded<<<1, 1>>>(a, 9, 1, out);
  LAUNCHED();
  EXPECT(value(out) == 0);
  release(a), release(out);
}

__global__ void copy(const int *a, int i, int to, int *out) {
  __shared__ int s[32];
  __pipeline_memcpy_async(s + to, a + i, 4); // BUG: copy_from copy_to
  __pipeline_commit();
  __pipeline_wait_prior(0);
  out[0] = s[to & 31];
}

TWINS(copy_from, int i, 10, 9) {
  int *a = buffer<int>(10), *out = buffer<int>(1);
  copy<<<1, 1>>>(a, i, 0, out);
  LAUNCHED();
  release(a), release(out);
}
TWINS(copy_to, int to, 32, 31) {
  int *a = buffer<int>(10), *out = buffer<int>(1);
  copy<<<1, 1>>>(a, 9, to, out);
  LAUNCHED();
  release(a), release(out);
}

__global__ void copy_in_text(const int *a, int i, int *out) {
  __shared__ int s[32];
  unsigned to = (unsigned)__cvta_generic_to_shared(s);
  asm volatile("cp.async.ca.shared.global [%0], [%1], 16;" ::"r"(to), "l"(a + i) : "memory"); // BUG: copy_in_text
  asm volatile("cp.async.wait_all;" ::: "memory");
  out[0] = s[3];
}

TWINS(copy_in_text, int i, 8, 4) {
  int *a = buffer<int>(10), *out = buffer<int>(1);
  copy_in_text<<<1, 1>>>(a, i, out);
  LAUNCHED();
  release(a), release(out);
}

// The second of two barriers: the array has one for each stage.
__global__ void barrier_object(int stage, int *out) {
  __shared__ unsigned long long bars[2];
  if (threadIdx.x < 2)
    asm volatile("mbarrier.init.b64 [%0], 1;" ::"l"(bars + threadIdx.x) : "memory");
  __syncthreads();
  unsigned long long state;
  asm volatile("{ .reg .u64 a; cvta.to.shared.u64 a, %1; mbarrier.arrive.shared.b64 %0, [a]; }" // BUG: barrier_object
               : "=l"(state)
               : "l"(bars + stage)
               : "memory");
  out[0] = 1;
}

TWINS(barrier_object, int stage, 2, 1) {
  int *out = buffer<int>(1);
  barrier_object<<<1, 1>>>(stage, out);
  LAUNCHED();
  EXPECT(value(out) == 1);
  release(out);
}

__global__ void barrier_wait(int stage, int *out) {
  __shared__ unsigned long long bars[2];
  unsigned at = (unsigned)__cvta_generic_to_shared(bars), done = 0;
  asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at + threadIdx.x * 8) : "memory");
  __syncthreads();
  unsigned long long state;
  asm volatile("mbarrier.arrive.shared.b64 %0, [%1];" : "=l"(state) : "r"(at + threadIdx.x * 8) : "memory");
  asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }" // BUG: barrier_wait
               : "=r"(done)
               : "r"(at + stage * 8), "l"(state)
               : "memory");
  out[threadIdx.x] = (int)done;
}

TWINS(barrier_wait, int stage, 2, 1) {
  int *out = buffer<int>(2);
  barrier_wait<<<1, 2>>>(stage, out);
  LAUNCHED();
  release(out);
}

#define COPY_BULK "cp.async.bulk.shared::cluster.global.mbarrier::complete_tx::bytes [%0], [%1], %2, [%3];"

// A bulk copy of more bytes than its source, or its destination, has.
__global__ void bulk(const int *in, unsigned bytes, int *out) {
  __shared__ alignas(16) int tile[32];
  __shared__ unsigned long long bar;
  unsigned to = (unsigned)__cvta_generic_to_shared(tile), at = (unsigned)__cvta_generic_to_shared(&bar), done = 0;
  unsigned long long state;
  asm volatile("mbarrier.init.shared.b64 [%0], 1;" ::"r"(at) : "memory");
  asm volatile("mbarrier.arrive.expect_tx.shared.b64 %0, [%1], %2;" : "=l"(state) : "r"(at), "r"(bytes) : "memory");
  asm volatile(COPY_BULK ::"r"(to), "l"(in), "r"(bytes), "r"(at) : "memory"); // BUG: bulk_from bulk_to
  while (!done)
    asm volatile("{ .reg .pred p; mbarrier.test_wait.shared.b64 p, [%1], %2; selp.b32 %0, 1, 0, p; }"
                 : "=r"(done)
                 : "r"(at), "l"(state)
                 : "memory");
  out[0] = tile[3];
}

TWINS(bulk_from, unsigned bytes, 96, 80) {
  int *in = buffer<int>(20), *out = buffer<int>(1);
  bulk<<<1, 1>>>(in, bytes, out);
  LAUNCHED();
  release(in), release(out);
}
TWINS(bulk_to, unsigned bytes, 144, 128) {
  int *in = buffer<int>(64), *out = buffer<int>(1);
  bulk<<<1, 1>>>(in, bytes, out);
  LAUNCHED();
  release(in), release(out);
}

// Correct: out-of-bounds addresses that are not accessed, or only under a predicate that is false.
__global__ void not_accessed(const int *a, int i, int n, int *out) {
  int v = 0, w = 0;
  unsigned long long number;
  asm volatile("mov.u64 %0, %1;" : "=l"(number) : "l"(a + i));
  asm volatile("prefetch.global.L2 [%0];" ::"l"(a + i));
  asm volatile("{ .reg .pred p; setp.lt.s32 p, %2, %3; @p ld.global.u32 %0, [%1]; }"
               : "+r"(v)
               : "l"(a + i), "r"(i), "r"(n)
               : "memory");
  asm volatile("ld.global.u32 %0, [%1+-400];" : "=r"(w) : "l"(a + 100) : "memory");
  out[0] = v + w + (number == (unsigned long long)(a + i));
}

CASE(not_accessed) {
  int *a = buffer<int>(10), *out = buffer<int>(1);
  not_accessed<<<1, 1>>>(a, 1000, 10, out);
  LAUNCHED();
  EXPECT(value(out) == 1);
  release(a), release(out);
}

// Correct: local and shared variables accessed through tagged pointers.
__noinline__ __device__ int load_any(const int *p) {
  int v;
  asm volatile("ld.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}
__noinline__ __device__ int load_number(unsigned long long p) {
  int v;
  asm volatile("ld.u32 %0, [%1];" : "=r"(v) : "l"(p) : "memory");
  return v;
}

__global__ void any_memory(const int *a, int i, int *out) {
  __shared__ int s[8];
  int l[8];
  for (int k = 0; k < 8; k++)
    s[k] = 10 + k, l[k] = 20 + k;
  const int *volatile kept = l + i;
  out[0] = load_any(a + i) + load_any(s + i) + load_any(l + i) + load_any(kept);
  out[1] = load_number((unsigned long long)(a + i)) + load_number((unsigned long long)(s + i)) +
           load_number((unsigned long long)(l + i));
}

CASE(any_memory) {
  int *a = buffer<int>(10), *out = buffer<int>(2);
  any_memory<<<1, 1>>>(a, 3, out);
  LAUNCHED();
  EXPECT(value(out) == 13 + 23 + 23);
  EXPECT(value(out + 1) == 13 + 23);
  release(a), release(out);
}

__global__ void local_past_end(int i, int *out) {
  int l[8];
  for (int k = 0; k < 8; k++)
    l[k] = 20 + k;
  int v;
  asm volatile("ld.u32 %0, [%1];" : "=r"(v) : "l"(l + i) : "memory"); // BUG: local
  out[0] = v;
}

TWINS(local, int i, 8, 7) {
  int *out = buffer<int>(1);
  local_past_end<<<1, 1>>>(i, out);
  LAUNCHED();
  EXPECT(value(out) == 27);
  release(out);
}

// Correct: PTX that is hard to parse: comments with brackets, computed and reused registers, operands that are modified.
__global__ void unusual_syntax(int *a, const int *b, int i, int *out) {
  int v, w, x, y, z;
  unsigned long long p = (unsigned long long)a;
  asm volatile("{ // comment with [%1] \n\t"
               ".reg .u64 p; /* st.global.u32 [%3+4000], 1; */\n\t"
               "add.u64 p, %3, 4;\n\t"
               "ld.global.u32 %0, [p];\n\t"
               "mov.u64 p, %4;\n\t"
               "ld.global.u32 %1, [p];\n\t"
               "ld.global.nc.L1::no_allocate.u32 %2, [%3];\n\t"
               "}"
               : "=r"(v), "=r"(w), "=r"(x)
               : "l"(a + i), "l"(b)
               : "memory");
  asm volatile("{ add.u64 %0, %0, %2; ld.global.u32 %1, [%0]; }" : "+l"(p), "=r"(y) : "l"(4ll * i) : "memory");
  asm volatile("{ .reg .pred p; setp.eq.s32 p, %2, 0; @!p ld.global.u32 %0, [%1]; @p mov.u32 %0, 9; }"
               : "=r"(z)
               : "l"(a + 100 * i), "r"(0)
               : "memory");
  out[0] = v + 10 * w + 100 * x + 1000 * y + 10000 * z;
}

CASE(unusual_syntax) {
  int h[4] = {1, 2, 3, 4}, *a = buffer<int>(4), *b = buffer<int>(1), *out = buffer<int>(1);
  CU(cudaMemcpy(a, h, sizeof h, cudaMemcpyHostToDevice));
  CU(cudaMemcpy(b, h, sizeof *h, cudaMemcpyHostToDevice));
  unusual_syntax<<<1, 1>>>(a, b, 2, out);
  LAUNCHED();
  EXPECT(value(out) == 4 + 10 + 300 + 3000 + 90000);
  release(a), release(b), release(out);
}

// Correct: swizzled shared addresses, as matrix code computes them, and a selection between two arrays.
__global__ void swizzled(int *out) {
  __shared__ unsigned char raw[1024 + 512];
  __shared__ int other[64];
  unsigned base = ((unsigned)__cvta_generic_to_shared(raw) + 511) & ~511u, t = threadIdx.x, u = t ^ 1;
  unsigned second = (unsigned)__cvta_generic_to_shared(other) + 4 * t, at = (base + t * 16) ^ ((t >> 3 & 7) << 4);
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(at), "r"(t) : "memory");
  asm volatile("st.shared.u32 [%0], %1;" ::"r"(second), "r"(t + 100) : "memory");
  __syncthreads();
  int v, w;
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(v) : "r"((base + u * 16) ^ ((u >> 3 & 7) << 4)) : "memory");
  asm volatile("ld.shared.u32 %0, [%1];" : "=r"(w) : "r"(t & 1 ? at : second) : "memory");
  out[t] = v * 1000 + w;
}

CASE(swizzled) {
  int *out = buffer<int>(64);
  swizzled<<<1, 64>>>(out);
  LAUNCHED();
  EXPECT(value(out + 5) == 4005 && value(out + 46) == 47146);
  release(out);
}

// Correct: a predicate computed from a float's bits, which the parser does not model.
__global__ void float_guard(const float *a, int n, float *out) {
  int i = threadIdx.x;
  float got = 0, flag = i < n ? 1.0f : 0.0f;
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %2, 0; @p ld.global.f32 %0, [%1]; }"
               : "+f"(got)
               : "l"(a + i), "f"(flag));
  out[i] = got;
}

CASE(float_guard) {
  float *a = buffer<float>(16), *out = buffer<float>(32);
  float_guard<<<1, 32>>>(a, 16, out);
  LAUNCHED();
  EXPECT(value(out + 31) == 0);
  release(a), release(out);
}

// Correct: each thread waits for the thread before it, which may be in the same warp.
__global__ void chain(int *flags, int *sums) {
  int i = blockIdx.x * blockDim.x + threadIdx.x, set = i == 0;
  while (!set)
    asm volatile("ld.acquire.gpu.global.s32 %0, [%1];" : "=r"(set) : "l"(flags + i - 1) : "memory");
  sums[i] = i > 0 ? sums[i - 1] + i : 0;
  asm volatile("st.release.gpu.global.s32 [%0], %1;" ::"l"(flags + i), "r"(1) : "memory");
}

CASE(chain) {
  int *flags = buffer<int>(128), *sums = buffer<int>(128);
  chain<<<2, 64>>>(flags, sums);
  LAUNCHED();
  EXPECT(value(sums + 127) == 127 * 64);
  release(flags), release(sums);
}
