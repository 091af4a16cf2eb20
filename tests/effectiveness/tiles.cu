// tiles.cu: loops over tiles, whose pointers and indices move with a counter: conditions on the counter bound them, conditions on where it
// started do not.
#include "case.h"

enum { T = 8, N = 21, M = 13 };

__global__ void product(const int *a, const int *b, int *c, int n, int m) {
  __shared__ int left[T][T], right[T][T];
  int tx = threadIdx.x, ty = threadIdx.y, x = blockIdx.x * T + tx, y = blockIdx.y * T + ty, sum = 0;
  for (int k = 0; k < m; k += T) {
    left[ty][tx] = y < n && k + tx < m ? a[y * m + k + tx] : 0;    // BUG: left_short
    right[ty][tx] = x < n && k + ty < m ? b[(k + ty) * n + x] : 0; // BUG: right_short
    __syncthreads();
    for (int i = 0; i < T; i++)
      sum += left[ty][i] * right[i][tx];
    __syncthreads();
  }
  if (x < n && y < n)
    c[y * n + x] = sum;
}
static void multiply(int left, int right) {
  int *a = buffer<int>(left), *b = buffer<int>(right), *c = buffer<int>(N * N);
  product<<<dim3(3, 3), dim3(T, T)>>>(a, b, c, N, M);
  LAUNCHED();
  release(a);
  release(b);
  release(c);
}
TWINS(left_short, int missing, 1, 0) {
  multiply(N * M - missing, N * M);
}
TWINS(right_short, int missing, 1, 0) {
  multiply(N * M, N * M - missing);
}

// The condition holds in each iteration, for the column that the thread starts at.
__global__ void columns(const int *a, int *out, int first, int n, int m) {
  int t = threadIdx.x, x = blockIdx.x * T + t, sum = 0;
  const int *p = a + (first + x);
#pragma unroll 1
  for (int k = t; k < m; k += T, p += T)
    if (x < n)
      sum += *p; // BUG: bounded_start
  out[x] = sum;
}
TWINS(bounded_start, int m, 3 * T, T) {
  int *a = buffer<int>(2 + N), *out = buffer<int>(3 * T);
  columns<<<3, T>>>(a, out, 2, N - T + 1, m);
  LAUNCHED();
  release(a);
  release(out);
}
