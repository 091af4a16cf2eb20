// variables.cu: __device__ and __constant__ variables accessed outside their bounds.
#include "case.h"

__device__ int first[16], second[16];
__device__ int counter;
__device__ const float weights[6] = {1, 2, 3, 4, 5, 6};
__device__ char name[11];
__device__ int grid[4][8];
__constant__ int table[10];
__constant__ float factors[8] = {1, 2, 3, 4, 5, 6, 7, 8};

__global__ void put(int *out, int i, int j, int v) {
  first[i] = v; // BUG: past_end_write far_write
  second[j] = v;
  out[0] = first[j] + second[j];
}

TWINS(past_end_write, int i, 16, 3) {
  int *out = buffer<int>(1);
  put<<<1, 1>>>(out, i, 3, 7);
  LAUNCHED();
  EXPECT(value(out) == 14);
  release(out);
}

TWINS(far_write, int i, 100, 3) {
  int *out = buffer<int>(1);
  put<<<1, 1>>>(out, i, 3, 7);
  LAUNCHED();
  EXPECT(value(out) == 14);
  release(out);
}

__global__ void get(float *out, int i, int j, int k) {
  int a = second[i];    // BUG: before_start
  float b = weights[j]; // BUG: initialised_past_end
  float c = factors[k]; // BUG: constant_past_end
  int d = table[j];
  out[0] = b + c + a * d;
}

TWINS(before_start, int i, -1, 0) {
  float *out = buffer<float>(1);
  get<<<1, 1>>>(out, i, 5, 7);
  LAUNCHED();
  EXPECT(value(out) == 14);
  release(out);
}

TWINS(initialised_past_end, int j, 6, 5) {
  float *out = buffer<float>(1);
  get<<<1, 1>>>(out, 0, j, 7);
  LAUNCHED();
  EXPECT(value(out) == 14);
  release(out);
}

TWINS(constant_past_end, int k, 8, 7) {
  float *out = buffer<float>(1);
  get<<<1, 1>>>(out, 0, 5, k);
  LAUNCHED();
  EXPECT(value(out) == 14);
  release(out);
}

__global__ void look_up(int *out, int i) {
  out[0] = table[i]; // BUG: constant_below
}

TWINS(constant_below, int i, -1, 0) {
  int *out = buffer<int>(1), host[10] = {3};
  CU(cudaMemcpyToSymbol(table, host, sizeof host));
  look_up<<<1, 1>>>(out, i);
  LAUNCHED();
  EXPECT(value(out) == 3);
  release(out);
}

__global__ void as_array(int *out, int i) {
  (&counter)[i] = 7; // BUG: scalar_as_array
  out[0] = counter;
}

TWINS(scalar_as_array, int i, 1, 0) {
  int *out = buffer<int>(1);
  as_array<<<1, 1>>>(out, i);
  LAUNCHED();
  EXPECT(value(out) == 7);
  release(out);
}

__noinline__ __device__ void write(char *p, int i, char v) {
  p[i] = v; // BUG: in_callee
}

__global__ void by_callee(char *out, int i, int j) {
  write(name, i, 'x');
  out[0] = name[j];
}

TWINS(in_callee, int i, 11, 10) {
  char *out = buffer<char>(1);
  by_callee<<<1, 1>>>(out, i, 10);
  LAUNCHED();
  EXPECT(value(out) == 'x');
  release(out);
}

__global__ void rows(int *out, int i, int j) {
  atomicAdd(&grid[i][j], 1); // BUG: row_past_end
  out[0] = grid[3][j];
}

TWINS(row_past_end, int i, 4, 3) {
  int *out = buffer<int>(1);
  rows<<<1, 1>>>(out, i, 2);
  LAUNCHED();
  EXPECT(value(out) == 1);
  release(out);
}
