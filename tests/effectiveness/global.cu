// global.cu: cudaMalloc's memory accessed outside its bounds.
#include "case.h"

__global__ void put(int *a, long i, int v) {
  a[i] = v; // BUG: past_end_write far_write before_start
}

__global__ void get(const int *a, long i, int *out) {
  out[0] = a[i]; // BUG: past_end_read far_read interior_pointer
}

TWINS(past_end_write, long i, 64, 63) {
  int *a = buffer<int>(64);
  put<<<1, 1>>>(a, i, 7);
  LAUNCHED();
  EXPECT(value(a + 63) == 7);
  release(a);
}

// 200 bytes: the next element is still in the alignment padding.
TWINS(past_end_read, long i, 50, 49) {
  int *a = buffer<int>(50), *out = buffer<int>(1);
  put<<<1, 1>>>(a, 49, 5);
  get<<<1, 1>>>(a, i, out);
  LAUNCHED();
  EXPECT(value(out) == 5);
  release(a), release(out);
}

// The access hits another live buffer.
TWINS(far_write, bool other, true, false) {
  int *a = buffer<int>(64), *b = buffer<int>(64);
  put<<<1, 1>>>(a, other ? b - a : 63, 7);
  LAUNCHED();
  EXPECT(value(b) == 0);
  release(a), release(b);
}

TWINS(far_read, bool other, true, false) {
  int *a = buffer<int>(1000), *b = buffer<int>(1000), *out = buffer<int>(1);
  get<<<1, 1>>>(a, other ? b + 500 - a : 500, out);
  LAUNCHED();
  EXPECT(value(out) == 0);
  release(a), release(b), release(out);
}

TWINS(before_start, long i, -1, 0) {
  int *a = buffer<int>(64);
  put<<<1, 1>>>(a, i, 7);
  LAUNCHED();
  EXPECT(value(a) == 7);
  release(a);
}

// The kernel gets an interior pointer.
TWINS(interior_pointer, long i, -11, -10) {
  int *a = buffer<int>(64), *out = buffer<int>(1);
  get<<<1, 1>>>(a + 10, i, out);
  LAUNCHED();
  release(a), release(out);
}

__global__ void scale(float *a, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < count)
    a[i] *= 2; // BUG: missing_guard
}

TWINS(missing_guard, int count, 1024, 1000) {
  float *a = buffer<float>(1000);
  scale<<<4, 256>>>(a, count);
  LAUNCHED();
  EXPECT(value(a + 999) == 0);
  release(a);
}

__global__ void sum_up(const int *a, long n, int *out) {
  int sum = 0;
  for (long i = 0; i < n; i++)
    sum += a[i]; // BUG: loop_overshoot
  out[0] = sum;
}

TWINS(loop_overshoot, long n, 101, 100) {
  int *a = buffer<int>(100), *out = buffer<int>(1);
  sum_up<<<1, 1>>>(a, n, out);
  LAUNCHED();
  EXPECT(value(out) == 0);
  release(a), release(out);
}

__global__ void fill_down(int *a, long from, long to) {
  for (long i = from; i >= to; i--)
    a[i] = (int)i; // BUG: loop_below_start
}

TWINS(loop_below_start, long to, -1, 0) {
  int *a = buffer<int>(100);
  fill_down<<<1, 1>>>(a, 99, to);
  LAUNCHED();
  EXPECT(value(a + 42) == 42);
  release(a);
}

__noinline__ __device__ void store(int *p, long i, int v) {
  p[i] = v; // BUG: in_callee
}

__global__ void put_by_callee(int *a, long i) {
  store(a, i, 7);
}

TWINS(in_callee, long i, 16, 15) {
  int *a = buffer<int>(16);
  put_by_callee<<<1, 1>>>(a, i);
  LAUNCHED();
  EXPECT(value(a + 15) == 7);
  release(a);
}

__global__ void get_by_table(int *const *table, int which, long i, int *out) {
  out[0] = table[which][i]; // BUG: loaded_pointer
}

TWINS(loaded_pointer, long i, 8, 7) {
  int *a = buffer<int>(8), *out = buffer<int>(1), **table = buffer<int *>(2);
  CU(cudaMemcpy(table + 1, &a, sizeof a, cudaMemcpyHostToDevice));
  get_by_table<<<1, 1>>>(table, 1, i, out);
  LAUNCHED();
  EXPECT(value(out) == 0);
  release(a), release(out), release(table);
}

__global__ void move_away(int **box, int *a, long by) {
  box[0] = a + by;
}

__global__ void use_moved(int **box, long back, int *out) {
  out[0] = *(box[0] + back); // BUG: escaped_pointer
}

// The kernel stores an out-of-bounds pointer, and the next kernel loads it; the twin moves it back first.
TWINS(escaped_pointer, long back, 0, -100000) {
  int *a = buffer<int>(64), *out = buffer<int>(1), **box = buffer<int *>(1);
  move_away<<<1, 1>>>(box, a, 100000);
  use_moved<<<1, 1>>>(box, back, out);
  LAUNCHED();
  EXPECT(value(out) == 0);
  release(a), release(out), release(box);
}

__device__ int mixed(const int *a, int j, int sum) {
  return sum * 31 + a[j]; // BUG: moved_out_of_loop
}

// A loop-invariant load: the optimiser hoists it out of the loop and drops its line.
__global__ void mix_often(const int *a, int *out, int count, int j) {
  int sum = 0;
  for (int i = 0; i < count; i++)
    sum = mixed(a, j, sum);
  out[0] = sum;
}

TWINS(moved_out_of_loop, int j, 16, 15) {
  int *a = buffer<int>(16), *out = buffer<int>(1);
  mix_often<<<1, 1>>>(a, out, 100, j);
  LAUNCHED();
  EXPECT(value(out) == 0);
  release(a), release(out);
}

__device__ void spread(unsigned *state) {
  *state = 1664525u * *state + 1013904223u;
}

// The optimiser merges the two stores.
__global__ void seed_states(unsigned *states, int count) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  states[i] = 7u ^ (unsigned)i; // BUG: merged_stores
  if (i < count)
    spread(states + i);
}

TWINS(merged_stores, int threads, 32, 16) {
  unsigned *states = buffer<unsigned>(16);
  seed_states<<<1, threads>>>(states, 16);
  LAUNCHED();
  EXPECT(value(states) == 1664525u * 7u + 1013904223u);
  release(states);
}

__global__ void from_inside(const int *middle, unsigned before, int *out) {
  out[0] = middle[2 - before]; // BUG: unsigned_below_zero
}

// An unsigned index is never negative, even if memory before the pointer belongs to the buffer.
TWINS(unsigned_below_zero, unsigned before, 4, 1) {
  int *a = buffer<int>(32), *out = buffer<int>(1);
  from_inside<<<1, 1>>>(a + 16, before, out);
  LAUNCHED();
  EXPECT(value(out) == 0);
  release(a), release(out);
}

__global__ void doubling(const int *a, int *out, unsigned n, unsigned m) {
  int sum = 0;
  for (unsigned i = 1; i <= n; i *= 2) {
    if (i * i > m * m)
      break;
    sum += a[i]; // BUG: doubled_index
  }
  out[0] = sum;
}

// The loop's bound is the largest unsigned number; the break ends it.
TWINS(doubled_index, unsigned m, 100, 8) {
  int *a = buffer<int>(10), *out = buffer<int>(1);
  doubling<<<1, 1>>>(a, out, 0xffffffffu, m);
  LAUNCHED();
  EXPECT(value(out) == 0);
  release(a), release(out);
}
