// frames.cu: local arrays accessed outside their bounds, with several frames on the thread's stack.
#include "case.h"

__noinline__ __device__ int callee_write(int i, int j, int v) {
  int a[8];
  for (int k = 0; k < 8; k++)
    a[k] = v + k;
  a[i] = 42; // BUG: adjacent_write far_write
  return a[j];
}

// The callee's overflow would overwrite mine.
__global__ void cross_write(int *out, int i, int j, int v) {
  int mine[32];
  for (int k = 0; k < 32; k++)
    mine[k] = v;
  mine[j] = 1;
  out[0] = callee_write(i, j, v) + mine[j + 1];
}

TWINS(adjacent_write, int i, 8, 7) {
  int *out = buffer<int>(1);
  cross_write<<<1, 1>>>(out, i, 3, 5);
  LAUNCHED();
  EXPECT(value(out) == 13);
  release(out);
}

TWINS(far_write, int i, 24, 2) {
  int *out = buffer<int>(1);
  cross_write<<<1, 1>>>(out, i, 3, 5);
  LAUNCHED();
  EXPECT(value(out) == 13);
  release(out);
}

__noinline__ __device__ int callee_read(int i, int j, int v) {
  int a[8];
  for (int k = 0; k < 8; k++)
    a[k] = v;
  a[j] = 0;
  return a[i]; // BUG: adjacent_read far_read
}

__global__ void cross_read(int *out, int i, int j, int v) {
  int mine[32];
  for (int k = 0; k < 32; k++)
    mine[k] = v;
  mine[j] = 1;
  out[0] = callee_read(i, j, v) + mine[j + 1];
}

TWINS(adjacent_read, int i, 8, 7) {
  int *out = buffer<int>(1);
  cross_read<<<1, 1>>>(out, i, 3, 5);
  LAUNCHED();
  EXPECT(value(out) == 10);
  release(out);
}

TWINS(far_read, int i, 24, 2) {
  int *out = buffer<int>(1);
  cross_read<<<1, 1>>>(out, i, 3, 5);
  LAUNCHED();
  EXPECT(value(out) == 10);
  release(out);
}

// The callee accesses the caller's array through a pointer.
__noinline__ __device__ void touch(int *a, int i, int v) {
  a[i] = v; // BUG: callers_array callers_array_inside
}

__global__ void lend(int *out, int start, int i, int j) {
  int a[10];
  for (int k = 0; k < 10; k++)
    a[k] = k;
  touch(a + start, i, 42);
  out[0] = a[j];
}

TWINS(callers_array, int i, 10, 9) {
  int *out = buffer<int>(1);
  lend<<<1, 1>>>(out, 0, i, 3);
  LAUNCHED();
  EXPECT(value(out) == 3);
  release(out);
}

TWINS(callers_array_inside, int i, -6, -5) {
  int *out = buffer<int>(1);
  lend<<<1, 1>>>(out, 5, i, 3);
  LAUNCHED();
  EXPECT(value(out) == 3);
  release(out);
}

__forceinline__ __device__ int pick(const int *a, int i) {
  return a[i]; // BUG: inlined_callee
}

__global__ void inlined(int *out, int i, int v) {
  int a[10];
  for (int k = 0; k < 10; k++)
    a[k] = v;
  a[v] = 0;
  out[0] = pick(a, i);
}

TWINS(inlined_callee, int i, 10, 9) {
  int *out = buffer<int>(1);
  inlined<<<1, 1>>>(out, i, 3);
  LAUNCHED();
  EXPECT(value(out) == 3);
  release(out);
}

// Each level has an array; the deepest one overflows its own, or the outermost one's.
__noinline__ __device__ int down(int depth, int *top, int i, int i_top, int v) {
  int a[4];
  for (int k = 0; k < 4; k++)
    a[k] = v;
  a[v & 3] += depth;
  if (depth > 0)
    return down(depth - 1, top ? top : a, i, i_top, v + 1) + a[depth & 3];
  a[i] = 1;       // BUG: recursion_own
  top[i_top] = 1; // BUG: recursion_outer
  return a[v & 3];
}

__global__ void recurse(int *out, int depth, int i, int i_top) {
  out[0] = down(depth, nullptr, i, i_top, 1);
}

TWINS(recursion_own, int i, 4, 3) {
  int *out = buffer<int>(1);
  recurse<<<1, 1>>>(out, 6, i, 0);
  LAUNCHED();
  EXPECT(value(out) > 0);
  release(out);
}

TWINS(recursion_outer, int i, 4, 3) {
  int *out = buffer<int>(1);
  recurse<<<1, 1>>>(out, 6, 0, i);
  LAUNCHED();
  EXPECT(value(out) > 0);
  release(out);
}

// Structures passed and returned by value.
struct Samples {
  int values[6];
  int used;
};

__device__ __noinline__ int last_of(Samples samples, int at) {
  const int *from = samples.values;
  return from[at]; // BUG: passed_by_value
}

__device__ __noinline__ Samples doubled(const int *in, int count) {
  Samples result;
  int *to = result.values;
  for (int i = 0; i < count; i++)
    to[i] = 2 * in[i]; // BUG: returned_by_value
  result.used = 6;
  return result;
}

__global__ void sample(const int *in, int count, int at, int *out) {
  Samples samples = doubled(in, count);
  out[0] = last_of(samples, at) + samples.used;
}

static void take_samples(int count, int at) {
  int *in = buffer<int>(8), *out = buffer<int>(1);
  CU(cudaMemset(in, 1, 8 * sizeof(int)));
  sample<<<1, 1>>>(in, count, at, out);
  LAUNCHED();
  EXPECT(value(out) == 2 * 0x01010101 + 6);
  release(in), release(out);
}
TWINS(passed_by_value, int at, 7, 5) {
  take_samples(6, at);
}
TWINS(returned_by_value, int count, 8, 6) {
  take_samples(count, 5);
}
