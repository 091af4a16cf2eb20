// arrays.cu: indices outside whole variables, in guarded code, where the compiler may know the index and remove the access.
#include "case.h"

static __device__ int written[8], read_too[8];
static __constant__ int coefficients[8] = {1, 1, 1, 1, 1, 1, 1, 1};
static __device__ constexpr int primes[4] = {2, 3, 5, 7};

template <typename Kernel> static void launch(Kernel kernel, int expected, int k = 9) {
  int *out = buffer<int>(32);
  kernel<<<1, 32>>>(out, k);
  LAUNCHED();
  EXPECT(value(out) == expected);
  release(out);
}
#define CHOSEN(i, bad, kernel, good, expected)                                                                         \
  (i) == (bad) ? launch(kernel<bad>, expected) : launch(kernel<good>, expected)

// Nothing reads the stored value. Not templates: the optimiser removes only variables that no other file can define.
__global__ void shared_at(int *out, int k) {
  __shared__ int x[8], y[8];
  x[threadIdx.x & 7] = 1, y[threadIdx.x & 7] = 2;
  __syncthreads();
  if (k == 9)
    x[9] = 3; // BUG: shared_constant
  __syncthreads();
  out[threadIdx.x] = y[threadIdx.x & 7];
}
TWINS(shared_constant, int k, 9, 7) {
  launch(shared_at, 2, k);
}

__global__ void shared_by(int *out, int k) {
  __shared__ int x[8], y[8];
  x[threadIdx.x & 7] = 1, y[threadIdx.x & 7] = 2;
  __syncthreads();
  if (k == 9 || k == 7)
    x[k] = 3; // BUG: shared_variable
  __syncthreads();
  out[threadIdx.x] = y[threadIdx.x & 7];
}
TWINS(shared_variable, int k, 9, 7) {
  launch(shared_by, 2, k);
}

__global__ void shared_row(int *out, int k) {
  __shared__ int x[4][8];
  x[threadIdx.x / 8][threadIdx.x & 7] = 1;
  __syncthreads();
  if (k == 9)
    x[5][threadIdx.x & 7] = 3; // BUG: shared_rows
  __syncthreads();
  out[threadIdx.x] = 4;
}
TWINS(shared_rows, int k, 9, 7) {
  launch(shared_row, 4, k);
}

template <int AT> __global__ void local_at(int *out, int k) {
  int l[8], sum = 0;
  for (int i = 0; i < 8; i++)
    l[i] = out[i] + 1;
  if (k == 9)
    l[AT] = 1; // BUG: local_constant
  for (int i = 0; i < 8; i++)
    sum += l[i];
  if (threadIdx.x == 0)
    out[0] = sum;
}
TWINS(local_constant, int i, 9, 7) {
  CHOSEN(i, 9, local_at, 7, 8);
}

template <int LESS> __global__ void local_by(int *out, int k) {
  int l[8], sum = 0;
  for (int i = 0; i < 8; i++)
    l[i] = out[i] + 1;
  if (k == 9)
    l[k - LESS] = 1; // BUG: local_variable
  for (int i = 0; i < 8; i++)
    sum += l[i];
  if (threadIdx.x == 0)
    out[0] = sum;
}
TWINS(local_variable, int i, 0, 3) {
  CHOSEN(i, 0, local_by, 3, 8);
}

template <int LESS> __global__ void local_below(int *out, int k) {
  int l[8], sum = 0;
  for (int i = 0; i < 8; i++)
    l[i] = out[i] + 1;
  if (k == 9)
    l[k - LESS] += 1; // BUG: local_before_start
  for (int i = 0; i < 8; i++)
    sum += l[i] > 0;
  if (threadIdx.x == 0)
    out[0] = sum;
}
TWINS(local_before_start, int i, 12, 3) {
  CHOSEN(i, 12, local_below, 3, 8);
}

template <int AT> __global__ void device_at(int *out, int k) {
  if (k == 9)
    written[AT] = 3; // BUG: device_constant
  out[threadIdx.x] = 5;
}
TWINS(device_constant, int i, 9, 7) {
  CHOSEN(i, 9, device_at, 7, 5);
}

template <int LESS> __global__ void device_by(int *out, int k) {
  if (k == 9)
    read_too[k - LESS] = 0; // BUG: device_variable
  out[threadIdx.x] = read_too[threadIdx.x & 7];
}
TWINS(device_variable, int i, 0, 3) {
  CHOSEN(i, 0, device_by, 3, 0);
}

template <int AT> __global__ void constant_at(int *out, int k) {
  int v = 0;
  if (k == 9)
    v = coefficients[AT] & 1; // BUG: constant_constant
  out[threadIdx.x] = (v | 1) + coefficients[threadIdx.x & 7];
}
TWINS(constant_constant, int i, 9, 7) {
  CHOSEN(i, 9, constant_at, 7, 2);
}

template <int LESS> __global__ void constant_by(int *out, int k) {
  int v = 0;
  if (k == 9)
    v = coefficients[k - LESS] & 1; // BUG: constant_variable
  out[threadIdx.x] = (v | 1) + coefficients[threadIdx.x & 7];
}
TWINS(constant_variable, int i, 0, 3) {
  CHOSEN(i, 0, constant_by, 3, 2);
}

template <int LESS> __global__ void known_by(int *out, int k) {
  int v = 0;
  if (k == 9)
    v = primes[k - LESS]; // BUG: known_values
  out[threadIdx.x] = (v & 1) | 1;
}
TWINS(known_values, int i, 5, 6) {
  CHOSEN(i, 5, known_by, 6, 1);
}
