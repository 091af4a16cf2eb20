// fields_near.cu: accesses past the end of array members of local, shared and module objects.
#include "case.h"

struct Pair {
  int a[4];
  int b[4];
};

__device__ Pair pairs[2];

__noinline__ __device__ void fill(Pair *s, int v) {
  for (int k = 0; k < 4; k++)
    s->a[k] = v, s->b[k] = v + 1;
}

__global__ void local_put(int *out, int i, int j, int v) {
  Pair s;
  fill(&s, v);
  s.a[i] = 9; // BUG: local_write
  out[0] = s.a[j] + s.b[j];
}

TWINS(local_write, int i, 5, 3) {
  int *out = buffer<int>(1);
  local_put<<<1, 1>>>(out, i, 1, 5);
  LAUNCHED();
  EXPECT(value(out) == 11);
  release(out);
}

__global__ void local_get(int *out, int i, int v) {
  Pair s;
  fill(&s, v);
  out[0] = s.b[i]; // BUG: local_read
}

TWINS(local_read, int i, -2, 2) {
  int *out = buffer<int>(1);
  local_get<<<1, 1>>>(out, i, 5);
  LAUNCHED();
  EXPECT(value(out) == 6);
  release(out);
}

__global__ void local_matrix(int *out, int row, int i, int v) {
  int m[3][5];
  for (int k = 0; k < 15; k++)
    m[k / 5][k % 5] = v;
  m[row][i] = 9; // BUG: local_row
  out[0] = m[row + 1][v];
}

TWINS(local_row, int i, 5, 4) {
  int *out = buffer<int>(1);
  local_matrix<<<1, 1>>>(out, 0, i, 3);
  LAUNCHED();
  EXPECT(value(out) == 3);
  release(out);
}

__global__ void shared_put(int *out, int i, int v) {
  __shared__ Pair s;
  int t = threadIdx.x;
  s.a[t] = v, s.b[t] = v + 1;
  __syncthreads();
  if (t == 0)
    s.a[i] = v; // BUG: shared_write
  __syncthreads();
  out[t] = s.a[t] + s.b[t];
}

TWINS(shared_write, int i, 4, 3) {
  int *out = buffer<int>(4);
  shared_put<<<1, 4>>>(out, i, 5);
  LAUNCHED();
  EXPECT(value(out) == 11);
  release(out);
}

// A tile of a matrix, read one column too far.
__global__ void shared_tile(int *out, int reach, int v) {
  __shared__ int tile[4][8];
  int x = threadIdx.x % 8, y = threadIdx.x / 8;
  tile[y][x] = v + x;
  __syncthreads();
  out[threadIdx.x] = x < reach && y < 3 ? tile[y][x + 1] : 0; // BUG: shared_row
}

TWINS(shared_row, int reach, 8, 7) {
  int *out = buffer<int>(32);
  shared_tile<<<1, 32>>>(out, reach, 5);
  LAUNCHED();
  EXPECT(value(out + 7) == 0);
  release(out);
}

__global__ void variable_put(int *out, int k, int i, int j, int v) {
  pairs[k].a[i] = v; // BUG: variable_write
  out[0] = pairs[k].a[j] + pairs[k].b[j];
}

TWINS(variable_write, int i, 6, 2) {
  int *out = buffer<int>(1);
  variable_put<<<1, 1>>>(out, 0, i, 2, 5);
  LAUNCHED();
  EXPECT(value(out) == 5);
  release(out);
}
