// dynamic_shared.cu: dynamic shared memory accessed outside the size that the launch specifies.
#include "case.h"

extern __shared__ int dynamic[];

__global__ void put(int *out, int i, int v) {
  int t = threadIdx.x;
  dynamic[t] = v + t;
  __syncthreads();
  if (t == 0)
    dynamic[i] = v; // BUG: past_end_write before_start
  __syncthreads();
  out[t] = dynamic[t];
}

TWINS(past_end_write, int i, 16, 0) {
  int *out = buffer<int>(16);
  put<<<1, 16, 16 * sizeof(int)>>>(out, i, 5);
  LAUNCHED();
  EXPECT(value(out + 15) == 20);
  release(out);
}

TWINS(before_start, int i, -1, 0) {
  int *out = buffer<int>(16);
  put<<<1, 16, 16 * sizeof(int)>>>(out, i, 5);
  LAUNCHED();
  EXPECT(value(out + 15) == 20);
  release(out);
}

__global__ void get(int *out, int i, int v) {
  int t = threadIdx.x;
  dynamic[t] = v;
  __syncthreads();
  out[t] = dynamic[i]; // BUG: past_end_read far_read
}

TWINS(past_end_read, int i, 10, 9) {
  int *out = buffer<int>(10);
  get<<<1, 10, 10 * sizeof(int)>>>(out, i, 5);
  LAUNCHED();
  EXPECT(value(out) == 5);
  release(out);
}

TWINS(far_read, int i, 1000, 9) {
  int *out = buffer<int>(10);
  get<<<1, 10, 10 * sizeof(int)>>>(out, i, 5);
  LAUNCHED();
  EXPECT(value(out) == 5);
  release(out);
}

__global__ void reverse(int *out) {
  int t = threadIdx.x;
  dynamic[blockDim.x - 1 - t] = t; // BUG: size_forgotten
  __syncthreads();
  out[t] = dynamic[t];
}

// The launch omits the size of the dynamic shared memory.
TWINS(size_forgotten, int bytes, 0, 32 * sizeof(int)) {
  int *out = buffer<int>(32);
  reverse<<<1, 32, bytes>>>(out);
  LAUNCHED();
  EXPECT(value(out) == 31);
  release(out);
}

__global__ void alongside(int *out, int i, int v) {
  __shared__ int fixed[16];
  int t = threadIdx.x;
  fixed[t] = v, dynamic[t] = t;
  __syncthreads();
  if (t == 0)
    fixed[i] = v; // BUG: static_into_dynamic
  __syncthreads();
  out[t] = fixed[t] + dynamic[15 - t];
}

TWINS(static_into_dynamic, int i, 16, 15) {
  int *out = buffer<int>(16);
  alongside<<<1, 16, 16 * sizeof(int)>>>(out, i, 5);
  LAUNCHED();
  EXPECT(value(out) == 20);
  release(out);
}

// Two arrays carved out of dynamic shared memory: the second ends where the dynamic shared memory ends.
__global__ void carved(float *out, int n, int i) {
  int *a = dynamic;
  float *b = (float *)&dynamic[n];
  int t = threadIdx.x;
  a[t] = t, b[t] = 2;
  __syncthreads();
  out[t] = a[t] * b[t == 0 ? i : t]; // BUG: carved_past_end
}

TWINS(carved_past_end, int i, 8, 7) {
  float *out = buffer<float>(8);
  carved<<<1, 8, 8 * (sizeof(int) + sizeof(float))>>>(out, 8, i);
  LAUNCHED();
  EXPECT(value(out + 7) == 14);
  release(out);
}

__noinline__ __device__ int look(const int *p, int i) {
  return p[i]; // BUG: in_callee
}

__global__ void by_callee(int *out, int i, int v) {
  int t = threadIdx.x;
  dynamic[t] = v;
  __syncthreads();
  out[t] = look(&dynamic[4], i);
}

TWINS(in_callee, int i, 6, 5) {
  int *out = buffer<int>(10);
  by_callee<<<1, 10, 10 * sizeof(int)>>>(out, i, 5);
  LAUNCHED();
  EXPECT(value(out) == 5);
  release(out);
}
