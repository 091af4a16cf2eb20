// assumed.cu: promises about values that LLVM relies on and programs break; and paths that are not taken, of which nothing holds.
#include "case.h"

// A value of the path that is not taken must not bound the one that is.
__global__ void divide_on_one_path(float *a, int *flag, int n, size_t length, int offset) {
  size_t d = length >> 1;
  if (n >= 10) {
    flag[0] = 1;
    d = (unsigned)(n - 10);
  }
  a[threadIdx.x / (d + 1) + offset] = 1; // BUG: divisor_of_other_path
}
TWINS(divisor_of_other_path, int threads, 2, 1) {
  float *a = buffer<float>(256), *next = buffer<float>(256);
  int *flag = buffer<int>(1);
  divide_on_one_path<<<1, threads>>>(a, flag, 5, 0, 255);
  LAUNCHED();
  EXPECT(value(a + 255) == 1 && value(next) == 0 && value(flag) == 0);
  release(a), release(next), release(flag);
}

__global__ void area_on_one_path(float *a, int *log, int w, int h, size_t q, int offset) {
  size_t x = q >> 4, y = q >> 5;
  if (w >= 4) {
    log[0] = w;
    x = (unsigned)w / 4;
  }
  if (h >= 4) {
    log[1] = h;
    y = (unsigned)h / 4;
  }
  a[x * y + offset + threadIdx.x] = 1; // BUG: area_of_other_path
}
TWINS(area_of_other_path, int offset, -1, 0) {
  float *before = buffer<float>(256), *a = buffer<float>(256);
  int *log = buffer<int>(2);
  area_on_one_path<<<1, 32>>>(a, log, -20, -30, 0, offset);
  LAUNCHED();
  EXPECT(value(a) == 1 && value(before + 255) == 0 && value(log) == 0);
  release(a), release(before), release(log);
}

// The bytes of a mask are neither true nor false.
__device__ int two[2];

__global__ void look_up(const bool *mask, float *out, const float *table) {
  out[threadIdx.x] = table[mask[threadIdx.x]]; // BUG: mask_of_255
}
TWINS(mask_of_255, int byte, 255, 1) {
  bool *mask = buffer<bool>(32);
  float *out = buffer<float>(32), *table = buffer<float>(2);
  CU(cudaMemset(mask, byte, 32));
  look_up<<<1, 32>>>(mask, out, table);
  LAUNCHED();
  EXPECT(value(out) == 0);
  release(mask), release(out), release(table);
}

__global__ void set_one_of_two(const bool *mask) {
  two[mask[threadIdx.x]] = 5; // BUG: mask_selects_variable
}
TWINS(mask_selects_variable, int byte, 255, 1) {
  bool *mask = buffer<bool>(32);
  CU(cudaMemset(mask, byte, 32));
  set_one_of_two<<<1, 32>>>(mask);
  LAUNCHED();
  int after[2];
  CU(cudaMemcpyFromSymbol(after, two, sizeof after));
  EXPECT(after[1] == 5);
  release(mask);
}

// The number of zeros below the lowest bit of 0.
#ifndef __clang__
#define __builtin_ctz(word) (__ffs(word) - 1)
#endif

__global__ void lowest_bit(const unsigned *words, int *slots) {
  slots[__builtin_ctz(words[threadIdx.x])] = 1; // BUG: bits_of_zero
}
TWINS(bits_of_zero, unsigned word, 0, 1u << 31) {
  unsigned *words = buffer<unsigned>(1);
  int *slots = buffer<int>(32);
  CU(cudaMemcpy(words, &word, sizeof word, cudaMemcpyHostToDevice));
  lowest_bit<<<1, 1>>>(words, slots);
  LAUNCHED();
  EXPECT(value(slots + 31) == 1);
  release(words), release(slots);
}

__global__ void assumed_index(const int *index, int *table) {
  int i = index[threadIdx.x];
  __builtin_assume(i >= 0 && i < 8);
  table[i] = 1; // BUG: wrong_assumption
}
TWINS(wrong_assumption, int i, 8, 7) {
  int *index = buffer<int>(1), *table = buffer<int>(8);
  CU(cudaMemcpy(index, &i, sizeof i, cudaMemcpyHostToDevice));
  assumed_index<<<1, 1>>>(index, table);
  LAUNCHED();
  EXPECT(value(table + 7) == 1);
  release(index), release(table);
}
