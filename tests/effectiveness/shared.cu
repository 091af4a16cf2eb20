// shared.cu: __shared__ variables accessed outside their bounds.
#include "case.h"

__global__ void three_write(int *out, int i, int v) {
  __shared__ int a[16], b[16], c[16];
  int t = threadIdx.x;
  a[t] = v, b[t] = v + 1, c[t] = v + 2;
  __syncthreads();
  if (t == 0)
    a[i] = v; // BUG: adjacent_write far_write before_start
  __syncthreads();
  out[t] = a[t] + b[t] + c[t];
}

static void write_three(int i) {
  int *out = buffer<int>(16);
  three_write<<<1, 16>>>(out, i, 5);
  LAUNCHED();
  EXPECT(value(out + 15) == 18);
  release(out);
}
TWINS(adjacent_write, int i, 16, 15) {
  write_three(i);
}
TWINS(far_write, int i, 40, 4) {
  write_three(i);
}
TWINS(before_start, int i, -1, 0) {
  write_three(i);
}

// The invalid access is in a critical section that the threads of a warp enter one after the other.
template <int AT> __global__ void locked(int *lock, int *out) {
  __shared__ int a[8];
  while (atomicCAS(lock, 0, 1) != 0) {
  }
  a[AT] = 1; // BUG: in_lock
  out[0] += a[AT];
  __threadfence();
  atomicExch(lock, 0);
}

TWINS(in_lock, int i, 9, 7) {
  int *lock = buffer<int>(1), *out = buffer<int>(1);
  if (i == 9)
    locked<9><<<1, 64>>>(lock, out);
  else
    locked<7><<<1, 64>>>(lock, out);
  LAUNCHED();
  EXPECT(value(out) == 64);
  release(lock), release(out);
}

// Each thread reads its right neighbour's element: the last thread has no neighbour.
__global__ void neighbours(int *out, int reach, int v) {
  __shared__ int a[32], b[32];
  int t = threadIdx.x;
  a[t] = v + t, b[t] = v - t;
  __syncthreads();
  out[t] = b[31 - t] + (t < reach ? a[t + 1] : 0); // BUG: adjacent_read
}

TWINS(adjacent_read, int reach, 32, 31) {
  int *out = buffer<int>(32);
  neighbours<<<1, 32>>>(out, reach, 100);
  LAUNCHED();
  EXPECT(value(out) == 69 + 101);
  release(out);
}

__global__ void rows(int *out, int row, int v) {
  __shared__ int tile[8][8], other[64];
  int t = threadIdx.x;
  tile[t / 8][t % 8] = v, other[t] = t;
  __syncthreads();
  if (t < 8)
    tile[row][t] = 1; // BUG: row_past_end
  __syncthreads();
  out[t] = tile[t / 8][t % 8] + other[63 - t];
}

TWINS(row_past_end, int row, 8, 7) {
  int *out = buffer<int>(64);
  rows<<<1, 64>>>(out, row, 5);
  LAUNCHED();
  EXPECT(value(out) == 68);
  release(out);
}

__noinline__ __device__ int look(const int *p, int i) {
  return p[i]; // BUG: in_callee
}

__global__ void by_callee(int *out, int i, int v) {
  __shared__ int a[20], b[20];
  int t = threadIdx.x;
  a[t] = v, b[t] = t;
  __syncthreads();
  out[t] = look(a, i) + b[19 - t];
}

TWINS(in_callee, int i, 20, 19) {
  int *out = buffer<int>(20);
  by_callee<<<1, 20>>>(out, i, 5);
  LAUNCHED();
  EXPECT(value(out) == 24);
  release(out);
}

__global__ void bins(int *out, int i) {
  __shared__ int count[10], total;
  int t = threadIdx.x;
  if (t == 0)
    total = 0;
  if (t < 10)
    count[t] = 0;
  __syncthreads();
  atomicAdd(&count[t < 60 ? t % 10 : i], 1); // BUG: atomic_past_end
  atomicAdd(&total, 1);
  __syncthreads();
  if (t < 10)
    out[t] = count[t] + total;
}

TWINS(atomic_past_end, int i, 10, 9) {
  int *out = buffer<int>(10);
  bins<<<1, 64>>>(out, i);
  LAUNCHED();
  EXPECT(value(out) == 70);
  release(out);
}

// 15 bytes: the next byte is padding before the next variable.
__global__ void letters(char *out, int i, char v) {
  __shared__ char text[15];
  __shared__ double number[2];
  int t = threadIdx.x;
  text[t] = v;
  number[t & 1] = v;
  __syncthreads();
  if (t == 0)
    text[i] = v; // BUG: in_padding
  __syncthreads();
  out[t] = text[t] + (char)(number[t & 1] - v);
}

TWINS(in_padding, int i, 15, 14) {
  char *out = buffer<char>(15);
  letters<<<1, 15>>>(out, i, 'v');
  LAUNCHED();
  EXPECT(value(out) == 'v');
  release(out);
}
