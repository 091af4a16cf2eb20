// local.cu: local arrays accessed outside their bounds, in the function that declares them.
#include "case.h"

__global__ void in_frame_write(int *out, int i, int j, int v) {
  int a[8], b[8], c[16];
  for (int k = 0; k < 16; k++)
    a[k & 7] = b[k & 7] = v, c[k] = v;
  a[i] = 42; // BUG: adjacent_write far_write below_write
  out[0] = a[j] + b[j] + c[j];
}

TWINS(adjacent_write, int i, 8, 7) {
  int *out = buffer<int>(1);
  in_frame_write<<<1, 1>>>(out, i, 3, 5);
  LAUNCHED();
  EXPECT(value(out) == 15);
  release(out);
}

TWINS(far_write, int i, 20, 3) {
  int *out = buffer<int>(1);
  in_frame_write<<<1, 1>>>(out, i, 2, 5);
  LAUNCHED();
  EXPECT(value(out) == 15);
  release(out);
}

TWINS(below_write, int i, -1, 0) {
  int *out = buffer<int>(1);
  in_frame_write<<<1, 1>>>(out, i, 2, 5);
  LAUNCHED();
  EXPECT(value(out) == 15);
  release(out);
}

__global__ void in_frame_read(int *out, int i, int j, int v) {
  int a[8], b[8], c[16];
  for (int k = 0; k < 16; k++)
    a[k & 7] = b[k & 7] = v, c[k] = v;
  b[j] = c[j] = v + 1;
  int sum = b[j ^ 1] + c[j ^ 1];
  sum += a[i]; // BUG: adjacent_read far_read
  out[0] = sum;
}

TWINS(adjacent_read, int i, 8, 7) {
  int *out = buffer<int>(1);
  in_frame_read<<<1, 1>>>(out, i, 3, 5);
  LAUNCHED();
  EXPECT(value(out) == 15);
  release(out);
}

TWINS(far_read, int i, 20, 2) {
  int *out = buffer<int>(1);
  in_frame_read<<<1, 1>>>(out, i, 3, 5);
  LAUNCHED();
  EXPECT(value(out) == 15);
  release(out);
}

// 24 bytes: the next element is in the padding up to the next power of two.
__global__ void padded(int *out, int i, int j, int v) {
  int a[6];
  for (int k = 0; k < 6; k++)
    a[k] = v + k;
  a[i] = 42; // BUG: in_padding
  out[0] = a[j];
}

TWINS(in_padding, int i, 6, 5) {
  int *out = buffer<int>(1);
  padded<<<1, 1>>>(out, i, 3, 5);
  LAUNCHED();
  EXPECT(value(out) == 8);
  release(out);
}

__global__ void bytes(char *out, int i, int j, char v) {
  char a[13];
  for (int k = 0; k < 13; k++)
    a[k] = v;
  a[i] = 'x'; // BUG: byte_array
  out[0] = a[j];
}

TWINS(byte_array, int i, 13, 12) {
  char *out = buffer<char>(1);
  bytes<<<1, 1>>>(out, i, 3, 'v');
  LAUNCHED();
  EXPECT(value(out) == 'v');
  release(out);
}

__global__ void loop(int *out, int n, int j) {
  int a[8];
  for (int k = 0; k < 8; k++)
    a[k] = 1;
  for (int k = 0; k < n; k++)
    a[k] += k; // BUG: loop_overrun
  out[0] = a[j];
}

TWINS(loop_overrun, int n, 9, 8) {
  int *out = buffer<int>(1);
  loop<<<1, 1>>>(out, n, 3);
  LAUNCHED();
  EXPECT(value(out) == 4);
  release(out);
}

__global__ void straddle(float *out, int i, int j, float v) {
  alignas(16) float a[6];
  for (int k = 0; k < 6; k++)
    a[k] = v;
  a[j] = 2 * v;
  float4 q = *(const float4 *)&a[i]; // BUG: local_vector_straddles
  out[0] = q.x + q.y + q.z + q.w;
}

TWINS(local_vector_straddles, int i, 4, 0) {
  float *out = buffer<float>(1);
  straddle<<<1, 1>>>(out, i, 5, 1);
  LAUNCHED();
  EXPECT(value(out) == 4);
  release(out);
}

// 256 threads, each with its own array; one of them faults.
__global__ void one_of_many(int *out, int bad_thread, int i, int v) {
  int a[5], t = threadIdx.x;
  for (int k = 0; k < 5; k++)
    a[k] = v + t;
  a[t == bad_thread ? i : t % 5] = t; // BUG: one_thread
  out[t] = a[(t + 1) % 5];
}

TWINS(one_thread, int i, 5, 4) {
  int *out = buffer<int>(256);
  one_of_many<<<1, 256>>>(out, 77, i, 1000);
  LAUNCHED();
  EXPECT(value(out + 10) == 1010);
  release(out);
}

__device__ __noinline__ void fill_floats(float *p, int n) {
  for (int i = 0; i < n; i++)
    p[i] = (float)i; // BUG: overaligned_in_callee
}

__global__ void overaligned(float *out, int n) {
  alignas(32) float a[12];
  fill_floats(a, n);
  out[threadIdx.x] = a[3];
}

TWINS(overaligned_in_callee, int n, 13, 12) {
  float *out = buffer<float>(32);
  overaligned<<<1, 32>>>(out, n);
  LAUNCHED();
  EXPECT(value(out + 31) == 3);
  release(out);
}
