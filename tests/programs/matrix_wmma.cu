// wmma of <mma.h>: shapes and types, matrices by rows and by columns, in global and shared memory, with leading dimensions larger than a row,
// against a host computation. The bounds are those of matrix_mma.cu.
#include "../check.h"
#include <math.h>
#include <mma.h>
#include <type_traits>
using namespace nvcuda;

typedef wmma::row_major Rows;
typedef wmma::col_major Columns;

template <typename Layout> constexpr bool is_rows = std::is_same<Layout, Rows>::value;

// The element in memory, and the type of the fragment.
template <typename T> struct Memory {
  typedef T type;
};
template <> struct Memory<wmma::precision::tf32> {
  typedef float type;
};

template <int M, int N, int K, typename T, typename LA, typename LB, typename C>
__global__ void product(const typename Memory<T>::type *a, const typename Memory<T>::type *b, const C *c, C *d, int lda,
                        int ldb, int ldc, wmma::layout_t layout) {
  __shared__ typename Memory<T>::type tile[M * K];
  wmma::fragment<wmma::matrix_a, M, N, K, T, LA> x;
  wmma::fragment<wmma::matrix_b, M, N, K, T, LB> y;
  wmma::fragment<wmma::accumulator, M, N, K, C> z, twice;
  const bool rows = is_rows<LA>;
  for (int i = threadIdx.x; i < M * K; i += 32)
    tile[i] = rows ? a[i / K * lda + i % K] : a[i / M * lda + i % M];
  __syncwarp();
  wmma::load_matrix_sync(x, tile, rows ? K : M);
  wmma::load_matrix_sync(y, b, ldb);
  wmma::load_matrix_sync(z, c, ldc, layout);
  wmma::mma_sync(z, x, y, z);
  wmma::fill_fragment(twice, C(0));
  for (int i = 0; i < z.num_elements; i++)
    twice.x[i] = z.x[i] + z.x[i];
  wmma::store_matrix_sync(d, twice, ldc, layout);
}

static double number(__half x) {
  return __half2float(x);
}
static double number(__nv_bfloat16 x) {
  return __bfloat162float(x);
}
template <typename T> static double number(T x) {
  return (double)x;
}

static int small() {
  return (int)(random_bits() % 2001) - 1000;
}
static void choose(__half &x) {
  x = __float2half((float)small() / 512);
}
static void choose(__nv_bfloat16 &x) {
  x = __float2bfloat16((float)small() / 512);
}
static void choose(float &x) { // also exact in tf32
  x = (float)small() / 512;
}
static void choose(double &x) {
  x = (double)(int)random_bits() / 1e9;
}
template <typename T> static void choose(T &x) {
  x = (T)(int)random_bits();
  x = sizeof x > 1 ? x >> 8 : x;
}

static double rounding(float) {
  return ldexp(1, -24);
}
static double rounding(__half) {
  return ldexp(1, -11);
}
static double rounding(double) {
  return ldexp(1, -53);
}
static double rounding(int) {
  return 0;
}

// Element (row, column) of a matrix with this distance of rows or columns.
static size_t at(bool rows, int i, int j, int pitch) {
  return rows ? (size_t)i * pitch + j : (size_t)j * pitch + i;
}

template <int M, int N, int K, typename T, typename LA, typename LB, typename C>
static void test(const char *name, bool by_rows) {
  typedef typename Memory<T>::type E;
  const bool ra = is_rows<LA>, rb = is_rows<LB>;
  const int lda = (ra ? K : M) + 16, ldb = (rb ? N : K) + 32, ldc = (by_rows ? N : M) + 16;
  Array<E> a((size_t)lda * (ra ? M : K)), b((size_t)ldb * (rb ? K : N));
  Array<C> c((size_t)ldc * (by_rows ? M : N)), d(c.count);
  for (size_t i = 0; i < a.count; i++)
    choose(a[i]);
  for (size_t i = 0; i < b.count; i++)
    choose(b[i]);
  for (size_t i = 0; i < c.count; i++)
    choose(c[i]);
  a.upload(), b.upload(), c.upload(), d.upload();
  product<M, N, K, T, LA, LB, C><<<1, 32>>>(a.device, b.device, c.device, d.device, lda, ldb, ldc,
                                            by_rows ? wmma::mem_row_major : wmma::mem_col_major);
  LAUNCHED();
  d.download();
  int wrong = 0;
  for (int i = 0; i < M; i++)
    for (int j = 0; j < N; j++) {
      double exact = number(c[at(by_rows, i, j, ldc)]), sum = fabs(exact);
      for (int k = 0; k < K; k++) {
        double one = number(a[at(ra, i, k, lda)]) * number(b[at(rb, k, j, ldb)]);
        exact += one, sum += fabs(one);
      }
      double bound = 2 * (K + 2) * rounding(C{}) * sum;
      wrong += !(fabs(number(d[at(by_rows, i, j, ldc)]) - 2 * exact) <= bound);
    }
  if (wrong)
    printf("%s: %d results are wrong\n", name, wrong);
  EXPECT(wrong == 0);
  d.show(name);
}

int main() {
  test<16, 16, 16, __half, Rows, Columns, float>("f16 row col", true);
  test<32, 8, 16, unsigned char, Columns, Rows, int>("u8 m32", true);
  test<8, 8, 4, double, Columns, Rows, double>("f64 col row", false);
  if (getenv("CUSAFE_NIGHTLY")) { // the engine takes seconds for each kernel
    test<16, 16, 16, __half, Columns, Rows, __half>("f16 col row, f16", false);
    test<32, 8, 16, __half, Rows, Rows, float>("f16 m32 row row", false);
    test<8, 32, 16, __half, Columns, Columns, float>("f16 m8 col col", true);
    test<16, 16, 16, __nv_bfloat16, Rows, Rows, float>("bf16", true);
    test<32, 8, 16, __nv_bfloat16, Columns, Rows, float>("bf16 m32", true);
    test<8, 32, 16, __nv_bfloat16, Rows, Columns, float>("bf16 m8", false);
    test<16, 16, 8, wmma::precision::tf32, Rows, Columns, float>("tf32", true);
    test<8, 8, 4, double, Rows, Columns, double>("f64", true);
    test<16, 16, 16, signed char, Rows, Columns, int>("s8", true);
    test<8, 32, 16, signed char, Rows, Rows, int>("s8 m8", false);
  }
  return verdict();
}
