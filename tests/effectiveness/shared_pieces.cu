// shared_pieces.cu: pieces of dynamic shared memory that a kernel declares (cusafe/cusafe.h).
#include "case.h"
#include <cusafe/cusafe.h>

extern __shared__ __align__(16) char pool[];

enum { kA = 100, kB = 30 };
static size_t room() {
  return cusafe_shared_bytes(kA * sizeof(int)) + cusafe_shared_bytes(kB * sizeof(double));
}

struct Pieces {
  int *a;
  double *b;
};
static __device__ Pieces cut() {
  char *next = pool;
  int *a = (int *)cusafe_shared_next(&next, kA * sizeof(int));
  return {a, (double *)cusafe_shared_next(&next, kB * sizeof(double))};
}

__global__ void put_first(int i, int *out) {
  Pieces p = cut();
  int t = threadIdx.x;
  p.a[t] = t;
  if (t < kB)
    p.b[t] = t;
  __syncthreads();
  if (t == 0)
    p.a[i] = 7; // BUG: overflow far_overflow before_first
  __syncthreads();
  out[t] = p.a[t] + (t < kB ? (int)p.b[t] : 0);
}

static void run_first(int i) {
  int *out = buffer<int>(kA);
  put_first<<<2, kA, room()>>>(i, out);
  LAUNCHED();
  EXPECT(value(out + kA - 1) == (i == kA - 1 ? 7 : kA - 1) && value(out + 5) == 10);
  release(out);
}
TWINS(overflow, int i, kA, kA - 1) {
  run_first(i);
}
TWINS(far_overflow, int i, kA + 40, kA - 1) {
  run_first(i);
}
TWINS(before_first, int i, -1, kA - 1) {
  run_first(i);
}

__global__ void put_second(int i, int *out) {
  Pieces p = cut();
  p.a[threadIdx.x] = 1;
  __syncthreads();
  p.b[i] = 3; // BUG: underflow past_last
  __syncthreads();
  out[threadIdx.x] = p.a[threadIdx.x];
}
TWINS(underflow, int i, -1, 0) {
  int *out = buffer<int>(kA);
  put_second<<<1, kA, room()>>>(i, out);
  LAUNCHED();
  EXPECT(value(out) == 1);
  release(out);
}
TWINS(past_last, int i, kB, kB - 1) {
  int *out = buffer<int>(kA);
  put_second<<<1, kA, room()>>>(i, out);
  LAUNCHED();
  release(out);
}

static __device__ __attribute__((noinline)) int total(const int *a, int n) {
  int s = 0;
  for (int i = 0; i < n; i++)
    s += a[i]; // BUG: in_callee
  return s;
}
__global__ void add_up(int n, int *out) {
  Pieces p = cut();
  for (int i = 0; i < kA; i++)
    p.a[i] = 1;
  *out = total(p.a, n);
}
TWINS(in_callee, int n, kA + 1, kA) {
  int *out = buffer<int>(1);
  add_up<<<1, 1, room()>>>(n, out);
  LAUNCHED();
  EXPECT(value(out) == kA);
  release(out);
}

__global__ void add_atomically(int i, int *out) {
  Pieces p = cut();
  p.a[threadIdx.x] = 0;
  __syncthreads();
  atomicAdd(p.a + i, 1); // BUG: atomic
  __syncthreads();
  if (threadIdx.x == 0)
    *out = p.a[0];
}
TWINS(atomic, int i, kA, 0) {
  int *out = buffer<int>(1);
  add_atomically<<<1, 64, room()>>>(i, out);
  LAUNCHED();
  EXPECT(value(out) == 64);
  release(out);
}

// The pool's own pointer has the bounds of all dynamic shared memory; pieces keep their contents.
__global__ void through_pool(int *out) {
  Pieces p = cut();
  p.a[threadIdx.x] = threadIdx.x;
  __syncthreads();
  out[threadIdx.x] = ((int *)(pool + CUSAFE_SHARED_PREFIX))[threadIdx.x];
}
CASE(whole) {
  int *out = buffer<int>(kA);
  through_pool<<<3, kA, room()>>>(out);
  LAUNCHED();
  EXPECT(value(out + 42) == 42);
  release(out);
}

// The launch has less memory than the pieces need.
__global__ void put_all(int *out) {
  Pieces p = cut();
  if (threadIdx.x < kB)
    p.b[threadIdx.x] = 1; // BUG: little_memory
  __syncthreads();
  out[threadIdx.x] = 1;
}
TWINS(little_memory, size_t missing, 64, 0) {
  int *out = buffer<int>(kA);
  put_all<<<1, kA, room() - missing>>>(out);
  LAUNCHED();
  release(out);
}

// Pieces at any address: after a header of some bytes.
__global__ void after_header(int header, int *out) {
  char *next = pool + header;
  char *a = (char *)cusafe_shared_next(&next, 10), *b = (char *)cusafe_shared_next(&next, 20);
  if (threadIdx.x < 20) {
    a[threadIdx.x / 2] = 1;
    b[threadIdx.x] = 2;
  }
  __syncthreads();
  *out = a[9] + b[19];
}
CASE(unaligned) {
  int *out = buffer<int>(1);
  for (int header = 0; header < 16; header += header < 2 ? 1 : 2) {
    after_header<<<1, 32, 16 + cusafe_shared_bytes(10) + cusafe_shared_bytes(20)>>>(header, out);
    LAUNCHED();
    EXPECT(value(out) == 3);
  }
  release(out);
}
