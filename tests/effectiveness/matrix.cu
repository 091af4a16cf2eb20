// matrix.cu: accesses of matrix instructions: wmma with a leading dimension that is too large, ldmatrix and stmatrix past a shared array, cp.async
// past its source.
#include "case.h"
#include <mma.h>
using namespace nvcuda;

typedef wmma::fragment<wmma::matrix_a, 16, 16, 16, __half, wmma::row_major> Left;
typedef wmma::fragment<wmma::matrix_b, 16, 16, 16, __half, wmma::col_major> Right;
typedef wmma::fragment<wmma::accumulator, 16, 16, 16, float> Sums;

__global__ void square(const __half *a, float *out, int load, int store) {
  Left x;
  Right y;
  Sums z;
  wmma::fill_fragment(z, 1.0f);
  wmma::load_matrix_sync(x, a, load); // BUG: wmma_load wmma_load_far
  wmma::load_matrix_sync(y, a, 16);
  wmma::mma_sync(z, x, y, z);
  wmma::store_matrix_sync(out, z, store, wmma::mem_row_major); // BUG: wmma_store wmma_store_far
}

static void run_square(int load, int store) {
  __half *a = buffer<__half>(16 * 16);
  float *out = buffer<float>(16 * 16);
  square<<<1, 32>>>(a, out, load, store);
  LAUNCHED();
  EXPECT(load != 16 || store != 16 || value(out + 255) == 1);
  release(a), release(out);
}
TWINS(wmma_load, int pitch, 24, 16) {
  run_square(pitch, 16);
}
TWINS(wmma_load_far, int pitch, 1000000, 16) {
  run_square(pitch, 16);
}
TWINS(wmma_store, int pitch, 24, 16) {
  run_square(16, pitch);
}
TWINS(wmma_store_far, int pitch, 1000000, 16) {
  run_square(16, pitch);
}

// The leading dimension is a constant, and the matrix starts too late.
__global__ void corner(const double *a, double *out, int from) {
  wmma::fragment<wmma::matrix_a, 8, 8, 4, double, wmma::row_major> x;
  wmma::fragment<wmma::matrix_b, 8, 8, 4, double, wmma::col_major> y;
  wmma::fragment<wmma::accumulator, 8, 8, 4, double> z;
  wmma::load_matrix_sync(x, a + from, 8); // BUG: wmma_offset
  wmma::load_matrix_sync(y, a, 4);
  wmma::fill_fragment(z, 1.0);
  wmma::mma_sync(z, x, y, z);
  wmma::store_matrix_sync(out, z, 8, wmma::mem_row_major);
}
TWINS(wmma_offset, int from, 5, 4) {
  double *a = buffer<double>(8 * 8), *out = buffer<double>(8 * 8);
  corner<<<1, 32>>>(a, out, from);
  LAUNCHED();
  release(a), release(out);
}

__global__ void from_shared(float *out, int pitch) {
  __shared__ __half a[16 * 16];
  for (int i = threadIdx.x; i < 16 * 16; i += 32)
    a[i] = __float2half(1);
  __syncwarp();
  Left x;
  wmma::load_matrix_sync(x, a, pitch); // BUG: wmma_shared
  out[threadIdx.x] = __half2float(x.x[0]);
}
TWINS(wmma_shared, int pitch, 40, 16) {
  float *out = buffer<float>(32);
  from_shared<<<1, 32>>>(out, pitch);
  LAUNCHED();
  EXPECT(pitch != 16 || value(out + 31) == 1);
  release(out);
}

// Rows of eight halves; the last row of the array is row 31.
__global__ void rows(unsigned *out, int first) {
  __shared__ __align__(16) __half a[32 * 8];
  for (int i = 0; i < 8; i++)
    a[8 * threadIdx.x + i] = __float2half(0);
  __syncwarp();
  unsigned x, y, z, w;
  asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0,%1,%2,%3}, [%4];" // BUG: ldmatrix
               : "=r"(x), "=r"(y), "=r"(z), "=r"(w)
               : "r"((unsigned)__cvta_generic_to_shared(a + 8 * (threadIdx.x + first))));
  out[threadIdx.x] = x + y + z + w;
}
TWINS(ldmatrix, int first, 1, 0) {
  unsigned *out = buffer<unsigned>(32);
  rows<<<1, 32>>>(out, first);
  LAUNCHED();
  EXPECT(first != 0 || value(out + 3) == 0);
  release(out);
}

// Of two matrices, only lanes 0 to 15 have addresses; those of the others may be anything.
__global__ void two_matrices(unsigned *out, int load, int store) {
  __shared__ __align__(16) __half a[16 * 8];
  for (int i = 0; i < 8; i++)
    a[8 * (threadIdx.x % 16) + i] = __float2half(0);
  __syncwarp();
  unsigned x, y;
  asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0,%1}, [%2];" // BUG: ldmatrix_half
               : "=r"(x), "=r"(y)
               : "r"((unsigned)__cvta_generic_to_shared(a + 8 * (threadIdx.x + load))));
  asm volatile("stmatrix.sync.aligned.m8n8.x2.trans.shared.b16 [%0], {%1,%2};" ::"r"( // BUG: stmatrix_half
                   (unsigned)__cvta_generic_to_shared(a + 8 * (threadIdx.x + store))),
               "r"(x), "r"(y)
               : "memory");
  out[threadIdx.x] = x + y;
}
static void run_two_matrices(int load, int store) {
  unsigned *out = buffer<unsigned>(32);
  two_matrices<<<1, 32>>>(out, load, store);
  LAUNCHED();
  release(out);
}
TWINS(ldmatrix_half, int first, 1, 0) {
  run_two_matrices(first, 0);
}
TWINS(stmatrix_half, int first, 1, 0) {
  run_two_matrices(0, first);
}

__global__ void store_rows(unsigned *out, int first) {
  __shared__ __align__(16) __half a[32 * 8];
  unsigned v = threadIdx.x;
  asm volatile("stmatrix.sync.aligned.m8n8.x4.shared.b16 [%0], {%1,%1,%1,%1};" ::"r"( // BUG: stmatrix
                   (unsigned)__cvta_generic_to_shared(a + 8 * (threadIdx.x + first))),
               "r"(v)
               : "memory");
  __syncwarp();
  out[threadIdx.x] = ((unsigned *)a)[threadIdx.x];
}
TWINS(stmatrix, int first, 1, 0) {
  unsigned *out = buffer<unsigned>(32);
  store_rows<<<1, 32>>>(out, first);
  LAUNCHED();
  EXPECT(first != 0 || value(out + 31) == 31);
  release(out);
}

// cp.async with a number of bytes to read: the other bytes become zeros.
__global__ void copy_some(const int *a, int i, int bytes, int *out) {
  __shared__ __align__(16) int s[4];
  asm volatile( // BUG: copy_some
      "cp.async.cg.shared.global [%0], [%1], 16, %2;" ::"r"((unsigned)__cvta_generic_to_shared(s)), "l"(a + i),
      "r"(bytes)
      : "memory");
  asm volatile("cp.async.wait_all;" ::: "memory");
  out[0] = s[0] + s[3];
}
TWINS(copy_some, int bytes, 12, 8) {
  int *a = buffer<int>(10), *out = buffer<int>(1);
  copy_some<<<1, 1>>>(a, 8, bytes, out);
  LAUNCHED();
  EXPECT(bytes != 8 || value(out) == 0);
  release(a), release(out);
}
// Correct: nothing is read.
CASE(copy_nothing) {
  int *a = buffer<int>(12), *out = buffer<int>(1);
  copy_some<<<1, 1>>>(a, 4000, 0, out);
  LAUNCHED();
  EXPECT(value(out) == 0);
  release(a), release(out);
}
