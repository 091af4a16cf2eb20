// launches.cu: kernels whose checks the host can prove redundant before a launch, launched so that it can, and so that it just cannot.
#include "case.h"

enum { N = 1024, BLOCK = 256 };

template <typename T> __global__ void fill(T *p, int n) {
  for (int i = blockIdx.x * blockDim.x + threadIdx.x; i < n; i += gridDim.x * blockDim.x)
    p[i] = T(1); // BUG: one_more other_buffer freed_between freed_in_stream managed_one_more interior
}

TWINS(one_more, int n, N + 1, N) {
  int *p = buffer<int>(N);
  fill<<<3, BLOCK>>>(p, n);
  LAUNCHED();
  release(p);
}

// The same kernel has run before, with a buffer that was large enough.
TWINS(other_buffer, int bytes, N * 4 - 4, N * 4) {
  int *p = buffer<int>(N);
  char *q = buffer<char>(bytes);
  for (int i = 0; i < 3; i++)
    fill<<<4, BLOCK>>>(p, N);
  fill<<<4, BLOCK>>>((int *)q, N);
  LAUNCHED();
  release(p);
  release(q);
}

// The same launch again, after its buffer was freed and others were allocated.
TWINS(freed_between, bool frees, true, false) {
  int *p = buffer<int>(N), *others[3];
  for (int i = 0; i < 3; i++)
    fill<<<4, BLOCK>>>(p, N);
  LAUNCHED();
  if (frees)
    release(p);
  for (int *&other : others)
    other = buffer<int>(N);
  fill<<<4, BLOCK>>>(p, N);
  LAUNCHED();
  if (!frees)
    release(p);
  for (int *other : others)
    release(other);
}

TWINS(freed_in_stream, bool frees, true, false) {
  cudaStream_t one, two;
  int *p;
  CU(cudaStreamCreate(&one));
  CU(cudaStreamCreate(&two));
  CU(cudaMallocAsync(&p, N * 4, one));
  CU(cudaStreamSynchronize(one));
  fill<<<4, BLOCK, 0, two>>>(p, N);
  CU(cudaStreamSynchronize(two));
  if (frees)
    CU(cudaFreeAsync(p, one));
  CU(cudaStreamSynchronize(one));
  fill<<<4, BLOCK, 0, two>>>(p, N);
  CU(cudaStreamSynchronize(two));
  if (!frees)
    CU(cudaFreeAsync(p, one));
  LAUNCHED();
}

TWINS(managed_one_more, int n, N + 1, N) {
  int *p;
  CU(cudaMallocManaged(&p, N * 4));
  fill<<<4, BLOCK>>>(p, n);
  LAUNCHED();
  release(p);
}

TWINS(interior, int from, 25, 24) {
  int *p = buffer<int>(N);
  fill<<<4, BLOCK>>>(p + from, N - 24);
  LAUNCHED();
  release(p);
}

// One thread of the last block.
__global__ void all_but_some(int *p, int last) {
  if (blockIdx.x < gridDim.x - 1 || (int)threadIdx.x < last)
    p[blockIdx.x * blockDim.x + threadIdx.x] = 1; // BUG: last_block
}
TWINS(last_block, int last, 5, 4) {
  int *p = buffer<int>(N);
  all_but_some<<<5, 255>>>(p, last);
  LAUNCHED();
  release(p);
}

// i * stride wraps: far outside of the buffer as a number, and below its start as an address.
__global__ void strided(int *p, int stride, int from) {
  p[(int)(blockIdx.x * blockDim.x + threadIdx.x) * stride + from] = 1; // BUG: wraps below
}
TWINS(wraps, int stride, 0x7fffffff, 512) {
  int *p = buffer<int>(N);
  strided<<<1, 2>>>(p, stride, 0);
  LAUNCHED();
  release(p);
}
TWINS(below, int from, 991, 992) {
  int *p = buffer<int>(N);
  strided<<<1, 32>>>(p, -32, from);
  LAUNCHED();
  release(p);
}

// Counted down, and with unsigned numbers.
__global__ void reversed(int *p, unsigned n) {
  unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[n - 1 - i] = 1; // BUG: reversed_one_more
}
TWINS(reversed_one_more, unsigned n, N + 1, N) {
  int *p = buffer<int>(N);
  reversed<<<5, BLOCK>>>(p, n);
  LAUNCHED();
  release(p);
}

// The sizes are fields of a structure.
struct Matrix {
  float *data;
  int rows, columns;
};
__global__ void scale(Matrix m, float by) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < m.rows * m.columns)
    m.data[i] *= by; // BUG: in_structure
}
TWINS(in_structure, int columns, 33, 32) {
  float *p = buffer<float>(N);
  scale<<<5, BLOCK>>>(Matrix{p, 32, columns}, 2);
  LAUNCHED();
  release(p);
}

// What is compared is a part of the index.
__global__ void tiles(const float *a, float *out, int n) {
  int x = threadIdx.x, y = blockIdx.x;
  float sum = 0;
  for (int k = 0; k < n; k += 16)
    sum += y < n && k + x < n ? a[y * n + k + x] : 0; // BUG: tile_one_row
  if (x == 0 && y < n)
    out[y] = sum;
}
TWINS(tile_one_row, int rows, 29, 30) {
  float *a = buffer<float>(rows * 30), *out = buffer<float>(30);
  tiles<<<32, 16>>>(a, out, 30);
  LAUNCHED();
  release(a);
  release(out);
}

// The launch gives the size.
__global__ void exchange(float *out) {
  extern __shared__ float s[];
  s[threadIdx.x] = (float)threadIdx.x; // BUG: dynamic_bytes
  __syncthreads();
  out[threadIdx.x] = s[blockDim.x - 1 - threadIdx.x];
}
TWINS(dynamic_bytes, int bytes, 127 * 4, 128 * 4) {
  float *out = buffer<float>(128);
  exchange<<<1, 128, bytes>>>(out);
  LAUNCHED();
  release(out);
}

__global__ void vectors(float4 *p, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    p[i] = make_float4(1, 2, 3, 4); // BUG: misaligned_vectors
}
TWINS(misaligned_vectors, int from, 1, 4) {
  float *p = buffer<float>(N);
  vectors<<<1, 8>>>((float4 *)(p + from), 8);
  LAUNCHED();
  release(p);
}

// An index that is loaded, next to ones that are not.
__global__ void scatter(int *out, const int *where, int n) {
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  if (i < n)
    out[where[i]] = i; // BUG: loaded_index loaded_negative
}
static void scatter_with(int index) {
  int *out = buffer<int>(N), *where = buffer<int>(N);
  CU(cudaMemcpy(where + 7, &index, sizeof index, cudaMemcpyHostToDevice));
  scatter<<<4, BLOCK>>>(out, where, N);
  LAUNCHED();
  release(out);
  release(where);
}
TWINS(loaded_index, int index, N, N - 1) {
  scatter_with(index);
}
TWINS(loaded_negative, int index, -1, 0) {
  scatter_with(index);
}

// Negative indices from the middle of a buffer are valid.
CASE(loaded_from_the_middle) {
  int *out = buffer<int>(N), *where = buffer<int>(N), index = -512;
  CU(cudaMemcpy(where + 7, &index, sizeof index, cudaMemcpyHostToDevice));
  scatter<<<4, BLOCK>>>(out + 512, where, N);
  LAUNCHED();
  EXPECT(value(out) == 7);
  release(out);
  release(where);
}

// Pointers that the launch does not use may be anything.
__global__ void either(int *a, int *b, int which, int n) {
  int i = threadIdx.x;
  if (i < n) {
    if (which)
      a[i] = i;
    else
      b[i] = i;
  }
}
CASE(unused_null) {
  int *p = buffer<int>(N);
  either<<<1, N>>>(p, nullptr, 1, N);
  either<<<1, N>>>(nullptr, p, 0, N);
  either<<<1, N>>>(nullptr, nullptr, 1, 0);
  LAUNCHED();
  release(p);
}

// The loop starts at the thread's row. A compiler unrolls it with a loop over the remainder: where one ends depends on where the other has started.
enum { SIDE = 37 };
__global__ void triangle(const int *a, int *out, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y, sum = 0;
  if (i >= n || j >= n)
    return;
  for (int k = i + 1; k < n; k++)
    sum += a[k * n + j]; // BUG: triangle
  out[i * n + j] = sum;
}
TWINS(triangle, int missing, 1, 0) {
  int *a = buffer<int>(SIDE * SIDE - missing), *out = buffer<int>(SIDE * SIDE);
  triangle<<<dim3(5, 5), dim3(8, 8)>>>(a, out, SIDE);
  LAUNCHED();
  release(a);
  release(out);
}

// Unrolled by hand, with a remainder that is one too small.
template <int MISTAKE> __global__ void unrolled(const int *a, int *out, int n) {
  int j = blockIdx.x * blockDim.x + threadIdx.x, i = blockIdx.y * blockDim.y + threadIdx.y, sum = 0;
  if (i >= n || j >= n)
    return;
  int k = i + 1;
  for (int rest = (n - k - MISTAKE) & 3; rest > 0; rest--, k++)
    sum += a[k * n + j];
  for (; k < n; k += 4)
    sum += a[k * n + j] + a[(k + 1) * n + j] + a[(k + 2) * n + j] + a[(k + 3) * n + j]; // BUG: wrong_remainder
  out[i * n + j] = sum;
}
TWINS(wrong_remainder, bool bad, true, false) {
  int *a = buffer<int>(SIDE * SIDE), *out = buffer<int>(SIDE * SIDE);
  if (bad)
    unrolled<1><<<dim3(5, 5), dim3(8, 8)>>>(a, out, SIDE);
  else
    unrolled<0><<<dim3(5, 5), dim3(8, 8)>>>(a, out, SIDE);
  LAUNCHED();
  release(a);
  release(out);
}
