// cublas.cu: every routine of cuBLAS that the CPU device has, for all types, operations, increments, both modes of
// pointers and both widths of integers, against naive computations on the host.
// FLAGS: -lcublas
#include "numbers.h"
#include <cublas_v2.h>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <functional>

template <typename T> struct Api;
// Both widths of a function, chosen by `is_wide`.
#define BOTH(name, function)                                                                                           \
  template <typename... A> static int name(A... a) {                                                                   \
    return is_wide ? call(function##_64, a...) : call(function, a...);                                                 \
  }
#define ONE(name, function)                                                                                            \
  template <typename... A> static int name(A... a) {                                                                   \
    return call(function, a...);                                                                                       \
  }
// An index has the width of the integers.
#define INDEX(name, function)                                                                                          \
  template <typename T> static int name(cublasHandle_t h, int n, const T *x, int incx, int64_t *to) {                  \
    return is_wide ? call(function##_64, h, n, x, incx, to) : call(function, h, n, x, incx, (int *)to);                \
  }
static bool is_wide;
#define COMMON(X)                                                                                                      \
  BOTH(axpy, cublas##X##axpy)                                                                                          \
  BOTH(scal, cublas##X##scal)                                                                                          \
  BOTH(copy, cublas##X##copy)                                                                                          \
  BOTH(swap, cublas##X##swap)                                                                                          \
  BOTH(rot, cublas##X##rot)                                                                                            \
  ONE(rotg, cublas##X##rotg)                                                                                           \
  BOTH(gemv, cublas##X##gemv)                                                                                          \
  BOTH(gemv_batched, cublas##X##gemvBatched)                                                                           \
  BOTH(gemv_strided, cublas##X##gemvStridedBatched)                                                                    \
  BOTH(gbmv, cublas##X##gbmv)                                                                                          \
  BOTH(symv, cublas##X##symv)                                                                                          \
  BOTH(trmv, cublas##X##trmv)                                                                                          \
  BOTH(trsv, cublas##X##trsv)                                                                                          \
  BOTH(tbmv, cublas##X##tbmv)                                                                                          \
  BOTH(tbsv, cublas##X##tbsv)                                                                                          \
  BOTH(tpmv, cublas##X##tpmv)                                                                                          \
  BOTH(tpsv, cublas##X##tpsv)                                                                                          \
  BOTH(syr, cublas##X##syr)                                                                                            \
  BOTH(syr2, cublas##X##syr2)                                                                                          \
  BOTH(gemm, cublas##X##gemm)                                                                                          \
  BOTH(gemm_batched, cublas##X##gemmBatched)                                                                           \
  BOTH(gemm_strided, cublas##X##gemmStridedBatched)                                                                    \
  BOTH(symm, cublas##X##symm)                                                                                          \
  BOTH(syrk, cublas##X##syrk)                                                                                          \
  BOTH(syr2k, cublas##X##syr2k)                                                                                        \
  BOTH(syrkx, cublas##X##syrkx)                                                                                        \
  BOTH(trmm, cublas##X##trmm)                                                                                          \
  BOTH(trsm, cublas##X##trsm)                                                                                          \
  BOTH(trsm_batched, cublas##X##trsmBatched)                                                                           \
  BOTH(geam, cublas##X##geam)                                                                                          \
  BOTH(dgmm, cublas##X##dgmm)                                                                                          \
  ONE(tpttr, cublas##X##tpttr)                                                                                         \
  ONE(trttp, cublas##X##trttp)                                                                                         \
  ONE(getrf, cublas##X##getrfBatched)                                                                                  \
  ONE(getrs, cublas##X##getrsBatched)                                                                                  \
  ONE(getri, cublas##X##getriBatched)                                                                                  \
  ONE(matinv, cublas##X##matinvBatched)                                                                                \
  ONE(geqrf, cublas##X##geqrfBatched)
#define REAL(X)                                                                                                        \
  COMMON(X)                                                                                                            \
  BOTH(dotu, cublas##X##dot)                                                                                           \
  BOTH(dotc, cublas##X##dot)                                                                                           \
  BOTH(nrm2, cublas##X##nrm2)                                                                                          \
  BOTH(asum, cublas##X##asum)                                                                                          \
  BOTH(rotm, cublas##X##rotm)                                                                                          \
  ONE(rotmg, cublas##X##rotmg)                                                                                         \
  BOTH(geru, cublas##X##ger)                                                                                           \
  BOTH(gerc, cublas##X##ger)                                                                                           \
  BOTH(hemv, cublas##X##symv)                                                                                          \
  BOTH(sbmv, cublas##X##sbmv)                                                                                          \
  BOTH(spmv, cublas##X##spmv)                                                                                          \
  BOTH(her, cublas##X##syr)                                                                                            \
  BOTH(spr, cublas##X##spr)                                                                                            \
  BOTH(her2, cublas##X##syr2)                                                                                          \
  BOTH(spr2, cublas##X##spr2)                                                                                          \
  BOTH(hemm, cublas##X##symm)                                                                                          \
  BOTH(herk, cublas##X##syrk)                                                                                          \
  BOTH(her2k, cublas##X##syr2k)                                                                                        \
  BOTH(herkx, cublas##X##syrkx)                                                                                        \
  BOTH(gemm3m, cublas##X##gemm)
#define COMPLEX(X)                                                                                                     \
  COMMON(X)                                                                                                            \
  BOTH(dotu, cublas##X##dotu)                                                                                          \
  BOTH(dotc, cublas##X##dotc)                                                                                          \
  BOTH(geru, cublas##X##geru)                                                                                          \
  BOTH(gerc, cublas##X##gerc)                                                                                          \
  BOTH(hemv, cublas##X##hemv)                                                                                          \
  BOTH(sbmv, cublas##X##hbmv)                                                                                          \
  BOTH(spmv, cublas##X##hpmv)                                                                                          \
  BOTH(her, cublas##X##her)                                                                                            \
  BOTH(spr, cublas##X##hpr)                                                                                            \
  BOTH(her2, cublas##X##her2)                                                                                          \
  BOTH(spr2, cublas##X##hpr2)                                                                                          \
  BOTH(hemm, cublas##X##hemm)                                                                                          \
  BOTH(herk, cublas##X##herk)                                                                                          \
  BOTH(her2k, cublas##X##her2k)                                                                                        \
  BOTH(herkx, cublas##X##herkx)                                                                                        \
  BOTH(gemm3m, cublas##X##gemm3m)
template <> struct Api<float> {
  REAL(S)
  INDEX(amax, cublasIsamax)
  INDEX(amin, cublasIsamin)
};
template <> struct Api<double> {
  REAL(D)
  INDEX(amax, cublasIdamax)
  INDEX(amin, cublasIdamin)
};
template <> struct Api<Single> {
  COMPLEX(C)
  BOTH(nrm2, cublasScnrm2)
  BOTH(asum, cublasScasum)
  INDEX(amax, cublasIcamax)
  INDEX(amin, cublasIcamin)
  BOTH(real_scal, cublasCsscal)
  BOTH(real_rot, cublasCsrot)
};
template <> struct Api<Double> {
  COMPLEX(Z)
  BOTH(nrm2, cublasDznrm2)
  BOTH(asum, cublasDzasum)
  INDEX(amax, cublasIzamax)
  INDEX(amin, cublasIzamin)
  BOTH(real_scal, cublasZdscal)
  BOTH(real_rot, cublasZdrot)
};

static cublasHandle_t handle;
static bool is_device;

// A factor where the handle expects it.
template <typename T> struct Scalar {
  T value, *device;
  explicit Scalar(T value) : value(value), device(buffer<T>(1)) {
    CU(cudaMemcpy(device, &value, sizeof value, cudaMemcpyHostToDevice));
  }
  ~Scalar() { release(device); }
  Scalar(const Scalar &) = delete;
  const T *get() const { return is_device ? device : &value; }
};

// A result of a reduction, where the handle expects it.
template <typename T> struct Result {
  T host, *device;
  Result() : host(), device(buffer<T>(1)) {}
  ~Result() { release(device); }
  Result(const Result &) = delete;
  T *get() { return is_device ? device : &host; }
  T read() { return is_device ? ::value(device) : host; }
};

// Calls f in both modes of pointers, with both widths of integers.
static void in_all_modes(const std::function<void()> &f) {
  EXPECT(cublasCreate(&handle) == CUBLAS_STATUS_SUCCESS);
  for (int mode = 0; mode < 4; mode++) {
    is_device = mode & 1, is_wide = mode & 2;
    EXPECT(!cublasSetPointerMode(handle, is_device ? CUBLAS_POINTER_MODE_DEVICE : CUBLAS_POINTER_MODE_HOST));
    f();
  }
  EXPECT(cublasDestroy(handle) == CUBLAS_STATUS_SUCCESS);
}
// A case for each of the four types, and one for the complex ones.
#define TYPES_CASE(name)                                                                                               \
  template <typename T> static void name##_of();                                                                       \
  CASE(name) {                                                                                                         \
    in_all_modes(name##_of<float>);                                                                                    \
    in_all_modes(name##_of<double>);                                                                                   \
    in_all_modes(name##_of<Single>);                                                                                   \
    in_all_modes(name##_of<Double>);                                                                                   \
  }                                                                                                                    \
  template <typename T> static void name##_of()
#define OK(call) EXPECT((call) == CUBLAS_STATUS_SUCCESS)

static const int increments[][2] = {{1, 1}, {2, 3}, {-1, 2}, {3, -2}};
static size_t room(int n, int increment) {
  return (size_t)(n - 1) * std::abs(increment) + 1;
}
static size_t at(int i, int n, int increment) {
  return (size_t)(increment < 0 ? (i - n + 1) * increment : i * increment);
}
static const cublasOperation_t operations[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};
static const cublasFillMode_t fills[] = {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};
static const cublasDiagType_t diagonals[] = {CUBLAS_DIAG_NON_UNIT, CUBLAS_DIAG_UNIT};
static const cublasSideMode_t sides[] = {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT};

TYPES_CASE(vectors) {
  using A = Api<T>;
  const int n = 37;
  for (auto [incx, incy] : increments) {
    Numbers<T> x(room(n, incx)), y(room(n, incy));
    Scalar<T> alpha(number<T>());
    std::vector<T> ex = copy_of(x), ey = copy_of(y);
    OK(A::axpy(handle, n, alpha.get(), x.device, incx, y.device, incy));
    for (int i = 0; i < n; i++)
      ey[at(i, n, incy)] += alpha.value * ex[at(i, n, incx)];
    EXPECT(equals(y, ey) && equals(x, ex));
    OK(A::swap(handle, n, x.device, incx, y.device, incy));
    for (int i = 0; i < n; i++)
      std::swap(ex[at(i, n, incx)], ey[at(i, n, incy)]);
    EXPECT(equals(y, ey) && equals(x, ex));
    Scalar<Real<T>> c((Real<T>)0.6);
    Scalar<T> s(number<T>());
    OK(A::rot(handle, n, x.device, incx, y.device, incy, c.get(), s.get()));
    for (int i = 0; i < n; i++) {
      T &a = ex[at(i, n, incx)], &b = ey[at(i, n, incy)], t = c.value * a + s.value * b;
      b = c.value * b - conjugate(s.value) * a, a = t;
    }
    EXPECT(equals(y, ey) && equals(x, ex));
    if constexpr (is_complex<T>) {
      Scalar<Real<T>> real((Real<T>)-0.8);
      OK(A::real_rot(handle, n, x.device, incx, y.device, incy, c.get(), real.get()));
      for (int i = 0; i < n; i++) {
        T &a = ex[at(i, n, incx)], &b = ey[at(i, n, incy)], t = c.value * a + real.value * b;
        b = c.value * b - real.value * a, a = t;
      }
      OK(A::real_scal(handle, n, real.get(), y.device, incy));
      for (int i = 0; i < n && incy > 0; i++)
        ey[at(i, n, incy)] *= real.value;
      EXPECT(equals(y, ey) && equals(x, ex));
    }
    OK(A::scal(handle, n, alpha.get(), x.device, incx));
    for (int i = 0; i < n && incx > 0; i++)
      ex[at(i, n, incx)] *= alpha.value;
    OK(A::copy(handle, n, x.device, incx, y.device, incy));
    for (int i = 0; i < n; i++)
      ey[at(i, n, incy)] = ex[at(i, n, incx)];
    EXPECT(equals(y, ey) && equals(x, ex));
  }
}

TYPES_CASE(reductions) {
  using A = Api<T>;
  const int n = 53;
  for (auto [incx, incy] : increments) {
    Numbers<T> x(room(n, incx)), y(room(n, incy));
    T u = 0, c = 0;
    double squares = 0, sum = 0, most = -1, least = 10;
    int most_at = 0, least_at = 0;
    for (int i = 0; i < n; i++) {
      T a = x.host[at(i, n, incx)], b = y.host[at(i, n, incy)];
      double size = std::abs(std::real(a)) + std::abs(std::imag(a));
      u += a * b, c += conjugate(a) * b;
      squares += std::norm(a), sum += size;
      if (size > most)
        most = size, most_at = i + 1;
      if (size < least)
        least = size, least_at = i + 1;
    }
    if (incx < 0)
      squares = sum = most_at = least_at = 0;
    Result<T> dot, dotc;
    Result<Real<T>> norm, absolute;
    OK(A::dotu(handle, n, x.device, incx, y.device, incy, dot.get()));
    OK(A::dotc(handle, n, x.device, incx, y.device, incy, dotc.get()));
    OK(A::nrm2(handle, n, x.device, incx, norm.get()));
    OK(A::asum(handle, n, x.device, incx, absolute.get()));
    EXPECT(is_near(dot.read(), u, 10) && is_near(dotc.read(), c, 10));
    EXPECT(is_near(norm.read(), (Real<T>)std::sqrt(squares), 10) && is_near(absolute.read(), (Real<T>)sum, 10));
    Result<int64_t> largest, smallest;
    OK(A::amax(handle, n, x.device, incx, largest.get()));
    OK(A::amin(handle, n, x.device, incx, smallest.get()));
    EXPECT(largest.read() == most_at && smallest.read() == least_at);
  }
}

// Rotations as the definition has them: the first number keeps the length, the second becomes 0.
TYPES_CASE(plane_rotations) {
  using R = Real<T>;
  T a = number<T>(), b = number<T>(), first = a, second = b, s;
  R c;
  Numbers<T> numbers(3);
  Numbers<R> cosine(1);
  numbers[0] = a, numbers[1] = b;
  numbers.upload();
  if (is_device)
    OK(Api<T>::rotg(handle, numbers.device, numbers.device + 1, cosine.device, numbers.device + 2));
  else
    OK(Api<T>::rotg(handle, &a, &b, &c, &s));
  numbers.download(), cosine.download();
  if (is_device)
    a = numbers[0], s = numbers[2], c = cosine[0];
  EXPECT(is_near(c * first + s * second, a) && is_near(c * second - conjugate(s) * first, T(0)));
  if constexpr (!is_complex<T>) {
    Numbers<T> given(9);
    T all[9] = {2, 3, (T)0.5, (T)0.25};
    memcpy(given.host, all, sizeof all);
    given.upload();
    T *d = is_device ? given.device : all;
    OK(Api<T>::rotmg(handle, d, d + 1, d + 2, d + 3, d + 4));
    given.download();
    T *p = is_device ? given.host : all, x = p[2];
    T h11 = p[4] == 1 ? p[5] : 1, h12 = p[4] == 0 ? p[7] : 1; // of the two forms that these numbers lead to
    EXPECT((p[4] == 0 || p[4] == 1) && is_near(h11 * (T)0.5 + h12 * (T)0.25, x));
    const int n = 11;
    for (T flag : {-2, -1, 0, 1})
      for (auto [incx, incy] : increments) {
        Numbers<T> x(room(n, incx)), y(room(n, incy)), parameters(5);
        parameters[0] = flag;
        parameters.upload();
        const T *q = parameters.host;
        std::vector<T> ex = copy_of(x), ey = copy_of(y);
        T h[4] = {flag == 0 || flag == -2 ? 1 : q[1],
                  flag == 1    ? -1
                  : flag == -2 ? 0
                               : q[2],
                  flag == 1    ? 1
                  : flag == -2 ? 0
                               : q[3],
                  flag == 0 || flag == -2 ? 1 : q[4]};
        for (int i = 0; i < n; i++) {
          T &u = ex[at(i, n, incx)], &v = ey[at(i, n, incy)], t = h[0] * u + h[2] * v;
          v = h[1] * u + h[3] * v, u = t;
        }
        OK(Api<T>::rotm(handle, n, x.device, incx, y.device, incy, is_device ? parameters.device : parameters.host));
        EXPECT(equals(x, ex) && equals(y, ey));
      }
  }
}

// A matrix on the host.
template <typename T> struct Dense {
  int m, n;
  std::vector<T> v;
  Dense(int m, int n) : m(m), n(n), v((size_t)m * n) {}
  T &operator()(int i, int j) { return v[(size_t)j * m + i]; }
  T operator()(int i, int j) const { return v[(size_t)j * m + i]; }
  Dense op(cublasOperation_t which) const {
    Dense r(which ? n : m, which ? m : n);
    for (int j = 0; j < n; j++)
      for (int i = 0; i < m; i++)
        (which ? r(j, i) : r(i, j)) = which == CUBLAS_OP_C ? conjugate((*this)(i, j)) : (*this)(i, j);
    return r;
  }
  Dense operator*(const Dense &b) const {
    Dense r(m, b.n);
    for (int j = 0; j < b.n; j++)
      for (int k = 0; k < n; k++)
        for (int i = 0; i < m; i++)
          r(i, j) += (*this)(i, k) * b(k, j);
    return r;
  }
};

// The matrix that `from` is in memory, element by element: `element` is its index, or -1 for a 0.
template <typename T, typename F> static Dense<T> dense(int m, int n, const T *from, F element) {
  Dense<T> r(m, n);
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++) {
      long k = element(i, j);
      r(i, j) = k < 0 ? T(0) : from[k];
    }
  return r;
}
template <typename T> static Dense<T> full(int m, int n, const T *from, int distance) {
  return dense(m, n, from, [=](int i, int j) { return (long)j * distance + i; });
}
template <typename T> static Dense<T> column(int n, const T *from, int increment) {
  return dense(n, 1, from, [=](int i, int) { return (long)at(i, n, increment); });
}

enum Storage { FULL, BANDED, PACKED };
// Where element (i, j) of one half of a matrix is stored; -1 for the other half, and outside the band.
static long half_index(Storage storage, cublasFillMode_t fill, int n, int k, int distance, int i, int j) {
  bool upper = fill == CUBLAS_FILL_MODE_UPPER;
  if (upper ? i > j : i < j)
    return -1;
  if (storage == FULL)
    return (long)j * distance + i;
  if (storage == PACKED)
    return upper ? (long)j * (j + 1) / 2 + i : (long)j * (2 * n - j - 1) / 2 + i;
  if (std::abs(i - j) > k)
    return -1;
  return (long)j * distance + (upper ? k + i - j : i - j);
}
static size_t half_room(Storage storage, int n, int distance) {
  return storage == PACKED ? (size_t)n * (n + 1) / 2 : (size_t)distance * n;
}

// A matrix with both halves, from one: mirrored, or also conjugated, and then with a real diagonal.
template <typename T> static Dense<T> mirrored(Dense<T> a, cublasFillMode_t fill, bool is_hermitian) {
  for (int j = 0; j < a.n; j++)
    for (int i = 0; i < a.m; i++) {
      bool stored = fill == CUBLAS_FILL_MODE_UPPER ? i <= j : i >= j;
      if (i == j && is_hermitian)
        a(i, i) = std::real(a(i, i));
      else if (!stored)
        a(i, j) = is_hermitian ? conjugate(a(j, i)) : a(j, i);
    }
  return a;
}
template <typename T> static Dense<T> with_diagonal(Dense<T> a, cublasDiagType_t diagonal) {
  for (int i = 0; i < a.n && diagonal == CUBLAS_DIAG_UNIT; i++)
    a(i, i) = 1;
  return a;
}

TYPES_CASE(matrix_and_vector) {
  using A = Api<T>;
  const int m = 9, n = 7, kl = 2, ku = 1, lda = 11;
  for (auto op : operations)
    for (auto [incx, incy] : increments)
      for (T factor : {T(0), number<T>()})
        for (bool banded : {false, true}) {
          int columns = op ? m : n, rows = op ? n : m;
          Numbers<T> a((size_t)lda * n), x(room(columns, incx)), y(room(rows, incy));
          Scalar<T> alpha(number<T>()), beta(factor);
          if (factor == T(0)) // y is not read, so what it has there does not count
            for (int i = 0; i < rows; i++)
              y[at(i, rows, incy)] = (Real<T>)NAN;
          y.upload();
          Dense<T> d =
              banded ? dense(m, n, a.host,
                             [=](int i, int j) { return i - j > kl || j - i > ku ? -1 : (long)j * lda + ku + i - j; })
                     : full(m, n, a.host, lda);
          Dense<T> product = d.op(op) * column(columns, x.host, incx);
          std::vector<T> ey = copy_of(y);
          for (int i = 0; i < rows; i++) {
            T &to = ey[at(i, rows, incy)];
            to = alpha.value * product(i, 0) + (factor == T(0) ? T(0) : factor * to);
          }
          if (banded)
            OK(A::gbmv(handle, op, m, n, kl, ku, alpha.get(), a.device, lda, x.device, incx, beta.get(), y.device,
                       incy));
          else
            OK(A::gemv(handle, op, m, n, alpha.get(), a.device, lda, x.device, incx, beta.get(), y.device, incy));
          EXPECT(equals(y, ey, 10));
        }
}

TYPES_CASE(symmetric_and_vector) {
  using A = Api<T>;
  const int n = 8, k = 2, lda = 10;
  for (auto fill : fills)
    for (auto [incx, incy] : increments)
      for (T factor : {T(0), number<T>()})
        for (int kind = 0; kind < 4; kind++) {
          Storage storage = kind < 2 ? FULL : kind == 2 ? BANDED : PACKED;
          bool is_hermitian = kind > 0;
          Numbers<T> a(half_room(storage, n, lda)), x(room(n, incx)), y(room(n, incy));
          Scalar<T> alpha(number<T>()), beta(factor);
          if (factor == T(0))
            for (int i = 0; i < n; i++)
              y[at(i, n, incy)] = (Real<T>)NAN;
          y.upload();
          Dense<T> d = dense(n, n, a.host, [=](int i, int j) { return half_index(storage, fill, n, k, lda, i, j); });
          Dense<T> product = mirrored(d, fill, is_hermitian) * column(n, x.host, incx);
          std::vector<T> ey = copy_of(y);
          for (int i = 0; i < n; i++) {
            T &to = ey[at(i, n, incy)];
            to = alpha.value * product(i, 0) + (factor == T(0) ? T(0) : factor * to);
          }
          if (kind == 0)
            OK(A::symv(handle, fill, n, alpha.get(), a.device, lda, x.device, incx, beta.get(), y.device, incy));
          if (kind == 1)
            OK(A::hemv(handle, fill, n, alpha.get(), a.device, lda, x.device, incx, beta.get(), y.device, incy));
          if (kind == 2)
            OK(A::sbmv(handle, fill, n, k, alpha.get(), a.device, lda, x.device, incx, beta.get(), y.device, incy));
          if (kind == 3)
            OK(A::spmv(handle, fill, n, alpha.get(), a.device, x.device, incx, beta.get(), y.device, incy));
          EXPECT(equals(y, ey, 10));
        }
}

TYPES_CASE(triangle_and_vector) {
  using A = Api<T>;
  const int n = 8, k = 3, lda = 9;
  for (auto fill : fills)
    for (auto op : operations)
      for (auto diagonal : diagonals)
        for (int inc : {1, 2, -1})
          for (Storage storage : {FULL, BANDED, PACKED}) {
            Numbers<T> a(half_room(storage, n, lda)), x(room(n, inc));
            for (int j = 0; j < n; j++) // far from singular
              a[half_index(storage, fill, n, k, lda, j, j)] += T(3);
            a.upload();
            Dense<T> d = dense(n, n, a.host, [=](int i, int j) { return half_index(storage, fill, n, k, lda, i, j); });
            Dense<T> product = with_diagonal(d, diagonal).op(op) * column(n, x.host, inc);
            std::vector<T> before = copy_of(x), after = before;
            for (int i = 0; i < n; i++)
              after[at(i, n, inc)] = product(i, 0);
            const T *p = a.device;
            if (storage == FULL)
              OK(A::trmv(handle, fill, op, diagonal, n, p, lda, x.device, inc));
            if (storage == BANDED)
              OK(A::tbmv(handle, fill, op, diagonal, n, k, p, lda, x.device, inc));
            if (storage == PACKED)
              OK(A::tpmv(handle, fill, op, diagonal, n, p, x.device, inc));
            EXPECT(equals(x, after, 10));
            if (storage == FULL)
              OK(A::trsv(handle, fill, op, diagonal, n, p, lda, x.device, inc));
            if (storage == BANDED)
              OK(A::tbsv(handle, fill, op, diagonal, n, k, p, lda, x.device, inc));
            if (storage == PACKED)
              OK(A::tpsv(handle, fill, op, diagonal, n, p, x.device, inc));
            EXPECT(equals(x, before, 200));
          }
}

TYPES_CASE(rank_updates) {
  using A = Api<T>;
  const int m = 6, n = 7, lda = 9;
  for (auto [incx, incy] : increments) {
    for (bool conjugates : {false, true}) {
      Numbers<T> a((size_t)lda * n), x(room(m, incx)), y(room(n, incy));
      Scalar<T> alpha(number<T>());
      std::vector<T> ea = copy_of(a);
      for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++) {
          T right = y.host[at(j, n, incy)];
          ea[j * lda + i] += alpha.value * x.host[at(i, m, incx)] * (conjugates ? conjugate(right) : right);
        }
      if (conjugates)
        OK(A::gerc(handle, m, n, alpha.get(), x.device, incx, y.device, incy, a.device, lda));
      else
        OK(A::geru(handle, m, n, alpha.get(), x.device, incx, y.device, incy, a.device, lda));
      EXPECT(equals(a, ea));
    }
    for (auto fill : fills)
      for (int kind = 0; kind < 6; kind++) { // syr, her, spr or hpr; the same with two vectors
        Storage storage = kind % 3 == 2 ? PACKED : FULL;
        bool is_hermitian = kind % 3 > 0, is_two = kind >= 3;
        Numbers<T> a(half_room(storage, n, lda)), x(room(n, incx)), y(room(n, incy));
        Scalar<T> alpha(number<T>());
        Scalar<Real<T>> real((Real<T>)0.7);
        std::vector<T> ea = copy_of(a);
        T scale = is_hermitian && !is_two ? T(real.value) : alpha.value;
        for (int j = 0; j < n; j++)
          for (int i = 0; i < n; i++) {
            long k = half_index(storage, fill, n, 0, lda, i, j);
            if (k < 0)
              continue;
            auto right = [&](T v) { return is_hermitian ? conjugate(v) : v; };
            T xi = x.host[at(i, n, incx)], xj = x.host[at(j, n, incx)];
            T yi = y.host[at(i, n, incy)], yj = y.host[at(j, n, incy)];
            T more = is_two ? scale * xi * right(yj) + right(scale) * yi * right(xj) : scale * xi * right(xj);
            ea[k] += more;
            if (i == j && is_hermitian)
              ea[k] = std::real(ea[k]);
          }
        if (kind == 0)
          OK(A::syr(handle, fill, n, alpha.get(), x.device, incx, a.device, lda));
        if (kind == 1)
          OK(A::her(handle, fill, n, real.get(), x.device, incx, a.device, lda));
        if (kind == 2)
          OK(A::spr(handle, fill, n, real.get(), x.device, incx, a.device));
        if (kind == 3)
          OK(A::syr2(handle, fill, n, alpha.get(), x.device, incx, y.device, incy, a.device, lda));
        if (kind == 4)
          OK(A::her2(handle, fill, n, alpha.get(), x.device, incx, y.device, incy, a.device, lda));
        if (kind == 5)
          OK(A::spr2(handle, fill, n, alpha.get(), x.device, incx, y.device, incy, a.device));
        EXPECT(equals(a, ea));
      }
  }
}

// alpha product + beta c, in one half or all of it; c is not read if beta is 0.
template <typename T, typename S>
static std::vector<T> sum(const Numbers<T> &c, int ldc, const Dense<T> &product, T alpha, S beta, int half = -1,
                          bool is_hermitian = false) {
  std::vector<T> r = copy_of(c);
  for (int j = 0; j < product.n; j++)
    for (int i = 0; i < product.m; i++) {
      T &to = r[(size_t)j * ldc + i];
      if (half >= 0 && (half ? i > j : i < j))
        continue;
      to = alpha * product(i, j) + (beta == S(0) ? T(0) : beta * to);
      if (is_hermitian && i == j)
        to = std::real(to);
    }
  return r;
}
// What is not read has no number.
template <typename T> static void spoil(Numbers<T> &c, int m, int n, int ldc) {
  for (int j = 0; j < n; j++)
    for (int i = 0; i < m; i++)
      c[(size_t)j * ldc + i] = (Real<T>)NAN;
  c.upload();
}

TYPES_CASE(products) {
  const int m = 6, n = 5, k = 7, lda = 9, ldb = 8, ldc = 7;
  for (auto op_a : operations)
    for (auto op_b : operations)
      for (T factor : {T(0), number<T>()})
        for (bool fast : {false, true}) {
          Numbers<T> a((size_t)lda * (op_a ? m : k)), b((size_t)ldb * (op_b ? k : n)), c((size_t)ldc * n);
          Scalar<T> alpha(number<T>()), beta(factor);
          Dense<T> product = full(op_a ? k : m, op_a ? m : k, a.host, lda).op(op_a) *
                             full(op_b ? n : k, op_b ? k : n, b.host, ldb).op(op_b);
          std::vector<T> ec = sum(c, ldc, product, alpha.value, factor);
          if (factor == T(0))
            spoil(c, m, n, ldc);
          if (fast)
            OK(Api<T>::gemm3m(handle, op_a, op_b, m, n, k, alpha.get(), a.device, lda, b.device, ldb, beta.get(),
                              c.device, ldc));
          else
            OK(Api<T>::gemm(handle, op_a, op_b, m, n, k, alpha.get(), a.device, lda, b.device, ldb, beta.get(),
                            c.device, ldc));
          EXPECT(equals(c, ec, 10));
        }
}

// An array of addresses in device memory.
template <typename T> struct Pointers : Array<T *> {
  Pointers(T *first, size_t stride, int count) : Array<T *>(count) {
    for (int i = 0; i < count; i++)
      this->host[i] = first + i * stride;
    this->upload();
  }
};

TYPES_CASE(batches) {
  using A = Api<T>;
  const int m = 4, n = 3, k = 5, count = 3, size = 32;
  for (auto op : operations)
    for (bool strided : {false, true}) {
      Numbers<T> a(size * count), b(size * count), c(size * count), y(size * count);
      Scalar<T> alpha(number<T>()), beta(number<T>());
      Pointers<T> as(a.device, size, count), bs(b.device, size, count), cs(c.device, size, count),
          ys(y.device, size, count);
      int lda = op ? k : m, rows = op ? k : m, columns = op ? m : k;
      std::vector<T> ec = copy_of(c), ey = copy_of(y);
      for (int i = 0; i < count; i++) {
        Dense<T> left = full(rows, columns, a.host + i * size, lda);
        Dense<T> product = left.op(op) * full(k, n, b.host + i * size, k);
        Dense<T> vector = left.op(op) * column(k, b.host + i * size, 1);
        for (int x = 0; x < m * n; x++)
          ec[i * size + x] = alpha.value * product.v[x] + beta.value * ec[i * size + x];
        for (int x = 0; x < m; x++)
          ey[i * size + x] = alpha.value * vector.v[x] + beta.value * ey[i * size + x];
      }
      if (strided) {
        OK(A::gemm_strided(handle, op, CUBLAS_OP_N, m, n, k, alpha.get(), a.device, lda, size, b.device, k, size,
                           beta.get(), c.device, m, size, count));
        OK(A::gemv_strided(handle, op, rows, columns, alpha.get(), a.device, lda, size, b.device, 1, size, beta.get(),
                           y.device, 1, size, count));
      } else {
        OK(A::gemm_batched(handle, op, CUBLAS_OP_N, m, n, k, alpha.get(), as.device, lda, bs.device, k, beta.get(),
                           cs.device, m, count));
        OK(A::gemv_batched(handle, op, rows, columns, alpha.get(), as.device, lda, bs.device, 1, beta.get(), ys.device,
                           1, count));
      }
      EXPECT(equals(c, ec, 10) && equals(y, ey, 10));
    }
}

TYPES_CASE(symmetric_products) {
  using A = Api<T>;
  using R = Real<T>;
  const int m = 6, n = 5, k = 4, lda = 8;
  for (auto fill : fills)
    for (bool hermitian : {false, true})
      for (bool zero : {false, true}) {
        Scalar<T> alpha(number<T>()), beta(zero ? T(0) : number<T>());
        Scalar<R> real((R)0.7), real_beta(zero ? R(0) : R(-0.4));
        for (auto side : sides) {
          int s = side == CUBLAS_SIDE_LEFT ? m : n;
          Numbers<T> a((size_t)lda * s), b((size_t)lda * n), c((size_t)lda * n);
          Dense<T> middle = mirrored(full(s, s, a.host, lda), fill, hermitian), other = full(m, n, b.host, lda);
          std::vector<T> ec =
              sum(c, lda, side == CUBLAS_SIDE_LEFT ? middle * other : other * middle, alpha.value, beta.value);
          if (zero)
            spoil(c, m, n, lda);
          auto f = hermitian ? A::template hemm<cublasHandle_t, cublasSideMode_t, cublasFillMode_t, int, int, const T *,
                                                const T *, int, const T *, int, const T *, T *, int>
                             : A::template symm<cublasHandle_t, cublasSideMode_t, cublasFillMode_t, int, int, const T *,
                                                const T *, int, const T *, int, const T *, T *, int>;
          OK(f(handle, side, fill, m, n, alpha.get(), a.device, lda, b.device, lda, beta.get(), c.device, lda));
          EXPECT(equals(c, ec, 10));
        }
        for (auto op : {CUBLAS_OP_N, hermitian && is_complex<T> ? CUBLAS_OP_C : CUBLAS_OP_T}) {
          Numbers<T> a((size_t)lda * (op ? n : k)), b((size_t)lda * (op ? n : k)), c((size_t)lda * n),
              d((size_t)lda * n), e((size_t)lda * n);
          cublasOperation_t turn = hermitian ? CUBLAS_OP_C : CUBLAS_OP_T;
          Dense<T> x = full(op ? k : n, op ? n : k, a.host, lda), y = full(op ? k : n, op ? n : k, b.host, lda);
          Dense<T> xo = op ? x.op(turn) : x, yo = op ? y.op(turn) : y;
          Dense<T> one = xo * xo.op(turn), two = xo * yo.op(turn), three = yo * xo.op(turn);
          Dense<T> both = two;
          T other = hermitian ? conjugate(alpha.value) : alpha.value;
          for (size_t i = 0; i < both.v.size(); i++)
            both.v[i] = alpha.value * two.v[i] + other * three.v[i];
          if (hermitian) {
            auto ec = sum(c, lda, one, T(real.value), real_beta.value, fill, true);
            auto ed = sum(d, lda, both, T(1), real_beta.value, fill, true);
            auto ee = sum(e, lda, two, alpha.value, real_beta.value, fill, true);
            OK(A::herk(handle, fill, op, n, k, real.get(), a.device, lda, real_beta.get(), c.device, lda));
            OK(A::her2k(handle, fill, op, n, k, alpha.get(), a.device, lda, b.device, lda, real_beta.get(), d.device,
                        lda));
            OK(A::herkx(handle, fill, op, n, k, alpha.get(), a.device, lda, b.device, lda, real_beta.get(), e.device,
                        lda));
            EXPECT(equals(c, ec, 10) && equals(d, ed, 10) && equals(e, ee, 10));
          } else {
            auto ec = sum(c, lda, one, alpha.value, beta.value, fill);
            auto ed = sum(d, lda, both, T(1), beta.value, fill);
            auto ee = sum(e, lda, two, alpha.value, beta.value, fill);
            OK(A::syrk(handle, fill, op, n, k, alpha.get(), a.device, lda, beta.get(), c.device, lda));
            OK(A::syr2k(handle, fill, op, n, k, alpha.get(), a.device, lda, b.device, lda, beta.get(), d.device, lda));
            OK(A::syrkx(handle, fill, op, n, k, alpha.get(), a.device, lda, b.device, lda, beta.get(), e.device, lda));
            EXPECT(equals(c, ec, 10) && equals(d, ed, 10) && equals(e, ee, 10));
          }
        }
      }
}

TYPES_CASE(triangular_products) {
  using A = Api<T>;
  const int m = 6, n = 5, lda = 8, ldb = 7, ldc = 9;
  for (auto side : sides)
    for (auto fill : fills)
      for (auto op : operations)
        for (auto diagonal : diagonals) {
          int s = side == CUBLAS_SIDE_LEFT ? m : n;
          Numbers<T> a((size_t)lda * s), b((size_t)ldb * n), c((size_t)ldc * n);
          for (int j = 0; j < s; j++)
            a[j * lda + j] += T(3);
          a.upload();
          Scalar<T> alpha(number<T>()), inverse(T(1) / alpha.value);
          Dense<T> d = dense(s, s, a.host, [=](int i, int j) { return half_index(FULL, fill, s, 0, lda, i, j); });
          Dense<T> left = with_diagonal(d, diagonal).op(op), right = full(m, n, b.host, ldb);
          std::vector<T> ec = sum(c, ldc, side == CUBLAS_SIDE_LEFT ? left * right : right * left, alpha.value, T(0));
          OK(A::trmm(handle, side, fill, op, diagonal, m, n, alpha.get(), a.device, lda, b.device, ldb, c.device, ldc));
          EXPECT(equals(c, ec, 10));
          std::vector<T> solved = ec;
          for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++)
              solved[j * ldc + i] = b.host[j * ldb + i];
          OK(A::trsm(handle, side, fill, op, diagonal, m, n, inverse.get(), a.device, lda, c.device, ldc));
          EXPECT(equals(c, solved, 200));
          Pointers<T> as(a.device, 0, 1), cs(c.device, 0, 1);
          OK(A::trmm(handle, side, fill, op, diagonal, m, n, alpha.get(), a.device, lda, c.device, ldc, c.device, ldc));
          EXPECT(equals(c, ec, 200));
          OK(A::trsm_batched(handle, side, fill, op, diagonal, m, n, inverse.get(), as.device, lda, cs.device, ldc, 1));
          EXPECT(equals(c, solved, 200));
        }
}

TYPES_CASE(sums_and_scaled_copies) {
  using A = Api<T>;
  const int m = 6, n = 5, lda = 8, ldb = 7, ldc = 9;
  for (auto op_a : operations)
    for (auto op_b : operations)
      for (int zero = 0; zero < 3; zero++) {
        Numbers<T> a((size_t)lda * (op_a ? m : n)), b((size_t)ldb * (op_b ? m : n)), c((size_t)ldc * n);
        Scalar<T> alpha(zero == 1 ? T(0) : number<T>()), beta(zero == 2 ? T(0) : number<T>());
        Dense<T> x = full(op_a ? n : m, op_a ? m : n, a.host, lda).op(op_a);
        Dense<T> y = full(op_b ? n : m, op_b ? m : n, b.host, ldb).op(op_b);
        std::vector<T> ec = copy_of(c);
        for (int j = 0; j < n; j++)
          for (int i = 0; i < m; i++)
            ec[j * ldc + i] = alpha.value * x(i, j) + beta.value * y(i, j);
        if (zero == 1)
          spoil(a, op_a ? n : m, op_a ? m : n, lda);
        if (zero == 2)
          spoil(b, op_b ? n : m, op_b ? m : n, ldb);
        OK(A::geam(handle, op_a, op_b, m, n, alpha.get(), a.device, lda, beta.get(), b.device, ldb, c.device, ldc));
        EXPECT(equals(c, ec));
      }
  for (auto side : sides)
    for (int inc : {1, 2, -1}) {
      int s = side == CUBLAS_SIDE_LEFT ? m : n;
      Numbers<T> a((size_t)lda * n), x(room(s, inc)), c((size_t)ldc * n);
      std::vector<T> ec = copy_of(c);
      for (int j = 0; j < n; j++)
        for (int i = 0; i < m; i++)
          ec[j * ldc + i] = a.host[j * lda + i] * x.host[at(side == CUBLAS_SIDE_LEFT ? i : j, s, inc)];
      OK(A::dgmm(handle, side, m, n, a.device, lda, x.device, inc, c.device, ldc));
      EXPECT(equals(c, ec));
    }
  for (auto fill : fills) {
    Numbers<T> packed(half_room(PACKED, n, 0)), a((size_t)lda * n), again(packed.count);
    std::vector<T> ea = copy_of(a);
    for (int j = 0; j < n; j++)
      for (int i = 0; i < n; i++)
        if (half_index(FULL, fill, n, 0, lda, i, j) >= 0)
          ea[j * lda + i] = packed.host[half_index(PACKED, fill, n, 0, 0, i, j)];
    OK(A::tpttr(handle, fill, n, packed.device, a.device, lda));
    OK(A::trttp(handle, fill, n, a.device, lda, again.device));
    EXPECT(equals(a, ea) && equals(again, copy_of(packed)));
  }
}

TYPES_CASE(batched_solutions) {
  using A = Api<T>;
  const int n = 5, columns = 3, count = 2, lda = 6, size = 36;
  for (bool pivots : {true, false})
    for (auto op : operations) {
      Numbers<T> a(size * count), b(size * count), c(size * count), lu(size * count);
      for (int i = 0; i < count; i++)
        for (int j = 0; j < n; j++)
          a[i * size + j * lda + (pivots ? (j + 1) % n : j)] += T(4); // whose factors need pivots, or do not
      a.upload();
      memcpy(lu.host, a.host, a.bytes());
      lu.upload();
      Pointers<T> as(a.device, size, count), bs(b.device, size, count), cs(c.device, size, count),
          lus(lu.device, size, count);
      Array<int> p(n * count), info(count);
      int status = -1;
      OK(A::getrf(handle, n, lus.device, lda, pivots ? p.device : nullptr, info.device, count));
      info.download();
      EXPECT(info[0] == 0 && info[1] == 0);
      std::vector<T> solved = copy_of(b), right = copy_of(b), inverse = copy_of(c);
      for (int i = 0; i < count; i++) {
        Dense<T> product = full(n, n, a.host + i * size, lda).op(op) * full(n, columns, b.host + i * size, lda);
        for (int j = 0; j < columns; j++)
          for (int r = 0; r < n; r++)
            right[i * size + j * lda + r] = product(r, j);
      }
      memcpy(b.host, right.data(), b.bytes());
      b.upload();
      OK(A::getrs(handle, op, n, columns, lus.device, lda, pivots ? p.device : nullptr, bs.device, lda, &status,
                  count));
      EXPECT(status == 0 && equals(b, solved, 200));
      OK(A::getri(handle, n, lus.device, lda, pivots ? p.device : nullptr, cs.device, lda, info.device, count));
      Numbers<T> direct(size * count);
      Pointers<T> directs(direct.device, size, count);
      OK(A::matinv(handle, n, as.device, lda, directs.device, lda, info.device, count));
      c.download(), direct.download();
      for (int i = 0; i < count; i++) {
        Dense<T> one = full(n, n, a.host + i * size, lda) * full(n, n, c.host + i * size, lda);
        for (int j = 0; j < n; j++)
          for (int r = 0; r < n; r++) {
            EXPECT(is_near(one(r, j), T(r == j), 100));
            EXPECT(is_near(direct[i * size + j * lda + r], c[i * size + j * lda + r], 100));
          }
      }
      // The triangle of QR has the lengths of the matrix: its Gram matrix is the same.
      Numbers<T> tau(n * count);
      Pointers<T> taus(tau.device, n, count);
      OK(A::geqrf(handle, n, n, as.device, lda, taus.device, &status, count));
      Dense<T> before = full(n, n, a.host, lda);
      a.download();
      Dense<T> r =
          dense(n, n, a.host, [=](int i, int j) { return half_index(FULL, CUBLAS_FILL_MODE_UPPER, n, 0, lda, i, j); });
      Dense<T> gram = before.op(CUBLAS_OP_C) * before, other = r.op(CUBLAS_OP_C) * r;
      for (size_t i = 0; i < gram.v.size(); i++)
        EXPECT(status == 0 && is_near(other.v[i], gram.v[i], 100));
    }
}

// Products with types as arguments: each type's elements are small whole numbers, so that every result is exact.
template <typename E> static cudaDataType type_of();
template <> cudaDataType type_of<__half>() {
  return CUDA_R_16F;
}
template <> cudaDataType type_of<__nv_bfloat16>() {
  return CUDA_R_16BF;
}
template <> cudaDataType type_of<int8_t>() {
  return CUDA_R_8I;
}
template <> cudaDataType type_of<int>() {
  return CUDA_R_32I;
}
template <> cudaDataType type_of<float>() {
  return CUDA_R_32F;
}
template <> cudaDataType type_of<double>() {
  return CUDA_R_64F;
}

template <typename E, typename C, typename S> static void typed_products(cublasComputeType_t compute) {
  const int m = 5, n = 4, k = 6, lda = 7, size = 48, count = 2;
  for (auto op_a : operations)
    for (auto op_b : operations)
      for (int form = 0; form < 3; form++) {
        Array<E> a(size * count), b(size * count);
        Array<C> c(size * count);
        for (int i = 0; i < size * count; i++)
          a[i] = (E)(float)((int)(random_bits() % 7) - 3), b[i] = (E)(float)((int)(random_bits() % 7) - 3),
          c[i] = (C)(float)((int)(random_bits() % 7) - 3);
        a.upload(), b.upload(), c.upload();
        Scalar<S> alpha((S)2.0f), beta((S)-1.0f);
        std::vector<float> ec(size * count);
        for (int t = 0; t < size * count; t++)
          ec[t] = (float)c[t];
        for (int t = 0; t < (form ? count : 1); t++)
          for (int j = 0; j < n; j++)
            for (int i = 0; i < m; i++) {
              float total = 0;
              for (int x = 0; x < k; x++)
                total += (float)a[t * size + (op_a ? i * lda + x : x * lda + i)] *
                         (float)b[t * size + (op_b ? x * lda + j : j * lda + x)];
              ec[t * size + j * lda + i] = 2 * total - (float)c[t * size + j * lda + i];
            }
        Pointers<E> as(a.device, size, count), bs(b.device, size, count);
        Pointers<C> cs(c.device, size, count);
        cudaDataType e = type_of<E>(), r = type_of<C>();
        auto with = CUBLAS_GEMM_DEFAULT;
        if (form == 0)
          OK(is_wide ? cublasGemmEx_64(handle, op_a, op_b, m, n, k, alpha.get(), a.device, e, lda, b.device, e, lda,
                                       beta.get(), c.device, r, lda, compute, with)
                     : cublasGemmEx(handle, op_a, op_b, m, n, k, alpha.get(), a.device, e, lda, b.device, e, lda,
                                    beta.get(), c.device, r, lda, compute, with));
        if (form == 1)
          OK(is_wide ? cublasGemmStridedBatchedEx_64(handle, op_a, op_b, m, n, k, alpha.get(), a.device, e, lda, size,
                                                     b.device, e, lda, size, beta.get(), c.device, r, lda, size, count,
                                                     compute, with)
                     : cublasGemmStridedBatchedEx(handle, op_a, op_b, m, n, k, alpha.get(), a.device, e, lda, size,
                                                  b.device, e, lda, size, beta.get(), c.device, r, lda, size, count,
                                                  compute, with));
        if (form == 2)
          OK(is_wide ? cublasGemmBatchedEx_64(handle, op_a, op_b, m, n, k, alpha.get(), (const void **)as.device, e,
                                              lda, (const void **)bs.device, e, lda, beta.get(), (void **)cs.device, r,
                                              lda, count, compute, with)
                     : cublasGemmBatchedEx(handle, op_a, op_b, m, n, k, alpha.get(), (const void **)as.device, e, lda,
                                           (const void **)bs.device, e, lda, beta.get(), (void **)cs.device, r, lda,
                                           count, compute, with));
        CU(cudaDeviceSynchronize());
        c.download();
        for (int t = 0; t < size * count; t++)
          EXPECT((float)c[t] == ec[t]);
      }
}

CASE(typed) {
  in_all_modes([] {
    typed_products<__half, __half, __half>(CUBLAS_COMPUTE_16F);
    typed_products<__half, __half, float>(CUBLAS_COMPUTE_32F);
    typed_products<__half, float, float>(CUBLAS_COMPUTE_32F_FAST_16F);
    typed_products<__nv_bfloat16, __nv_bfloat16, float>(CUBLAS_COMPUTE_32F);
    typed_products<__nv_bfloat16, float, float>(CUBLAS_COMPUTE_32F_PEDANTIC);
    typed_products<int8_t, int, int>(CUBLAS_COMPUTE_32I);
    typed_products<int8_t, float, float>(CUBLAS_COMPUTE_32F);
    typed_products<float, float, float>(CUBLAS_COMPUTE_32F_FAST_TF32);
    typed_products<double, double, double>(CUBLAS_COMPUTE_64F);
  });
}

// Vectors with types as arguments: half precision is computed in single precision, and the others as they are.
template <typename T> static void typed_vectors() {
  const int n = 23;
  const cudaDataType t = type_of<T>(), in = t == CUDA_R_64F ? CUDA_R_64F : CUDA_R_32F;
  for (auto [incx, incy] : increments) {
    Array<T> x(room(n, incx)), y(room(n, incy));
    for (size_t i = 0; i < x.count; i++)
      x[i] = (T)(float)((int)(random_bits() % 5) - 2);
    for (size_t i = 0; i < y.count; i++)
      y[i] = (T)(float)((int)(random_bits() % 5) - 2);
    x.upload(), y.upload();
    double dot = 0, squares = 0;
    std::vector<double> ex, ey;
    for (size_t i = 0; i < x.count; i++)
      ex.push_back((double)(float)x[i]);
    for (size_t i = 0; i < y.count; i++)
      ey.push_back((double)(float)y[i]);
    for (int i = 0; i < n; i++) {
      dot += ex[at(i, n, incx)] * ey[at(i, n, incy)];
      squares += incx > 0 ? ex[at(i, n, incx)] * ex[at(i, n, incx)] : 0;
    }
    Result<T> to, conjugated, norm;
    OK(is_wide ? cublasDotEx_64(handle, n, x.device, t, incx, y.device, t, incy, to.get(), t, in)
               : cublasDotEx(handle, n, x.device, t, incx, y.device, t, incy, to.get(), t, in));
    OK(is_wide ? cublasDotcEx_64(handle, n, x.device, t, incx, y.device, t, incy, conjugated.get(), t, in)
               : cublasDotcEx(handle, n, x.device, t, incx, y.device, t, incy, conjugated.get(), t, in));
    OK(is_wide ? cublasNrm2Ex_64(handle, n, x.device, t, incx, norm.get(), t, in)
               : cublasNrm2Ex(handle, n, x.device, t, incx, norm.get(), t, in));
    CU(cudaDeviceSynchronize());
    EXPECT((double)(float)to.read() == dot && (double)(float)conjugated.read() == dot);
    EXPECT(std::abs((double)(float)norm.read() - std::sqrt(squares)) <= 0.01 * std::sqrt(squares));
    // A factor of half precision, or of the type that is computed in.
    Scalar<T> three((T)3.0f);
    Scalar<float> single(3);
    const void *factor = in == CUDA_R_32F ? (const void *)single.get() : three.get();
    OK(is_wide ? cublasAxpyEx_64(handle, n, factor, in, x.device, t, incx, y.device, t, incy, in)
               : cublasAxpyEx(handle, n, factor, in, x.device, t, incx, y.device, t, incy, in));
    OK(is_wide ? cublasScalEx_64(handle, n, three.get(), t, x.device, t, incx, in)
               : cublasScalEx(handle, n, three.get(), t, x.device, t, incx, in));
    for (int i = 0; i < n; i++) {
      ey[at(i, n, incy)] += 3 * ex[at(i, n, incx)];
      ex[at(i, n, incx)] *= incx > 0 ? 3 : 1;
    }
    CU(cudaDeviceSynchronize());
    x.download(), y.download();
    for (size_t i = 0; i < x.count; i++)
      EXPECT((double)(float)x[i] == ex[i]);
    for (size_t i = 0; i < y.count; i++)
      EXPECT((double)(float)y[i] == ey[i]);
    EXPECT(cublasScalEx(handle, n, three.get(), t, x.device, t, incx, CUDA_R_16F) == CUBLAS_STATUS_NOT_SUPPORTED);
  }
}

CASE(typed_vectors) {
  in_all_modes([] {
    typed_vectors<__half>();
    typed_vectors<__nv_bfloat16>();
    typed_vectors<float>();
    typed_vectors<double>();
    // i times 2 + i, and its conjugate; the norm of a complex vector is real.
    Array<Single> x(1), y(1);
    x[0] = Single(0, 1), y[0] = Single(2, 1);
    x.upload(), y.upload();
    Result<Single> dot, conjugated;
    Result<float> norm;
    OK(cublasDotEx(handle, 1, x.device, CUDA_C_32F, 1, y.device, CUDA_C_32F, 1, dot.get(), CUDA_C_32F, CUDA_C_32F));
    OK(cublasDotcEx(handle, 1, x.device, CUDA_C_32F, 1, y.device, CUDA_C_32F, 1, conjugated.get(), CUDA_C_32F,
                    CUDA_C_32F));
    OK(cublasNrm2Ex(handle, 1, x.device, CUDA_C_32F, 1, norm.get(), CUDA_R_32F, CUDA_R_32F));
    CU(cudaDeviceSynchronize());
    EXPECT(dot.read() == Single(-1, 2) && conjugated.read() == Single(1, -2) && norm.read() == 1);
  });
}

CASE(half_precision) {
  in_all_modes([] {
    const int n = 3, count = 2;
    Array<__half> a(n * n * count), b(n * n * count), c(n * n * count);
    for (int i = 0; i < n * n * count; i++)
      a[i] = (__half)(float)i, b[i] = (__half)(float)(i % 4), c[i] = (__half)NAN;
    a.upload(), b.upload(), c.upload();
    Scalar<__half> one((__half)1.0f), zero((__half)0.0f);
    Pointers<__half> as(a.device, n * n, count), bs(b.device, n * n, count), cs(c.device, n * n, count);
    for (int form = 0; form < 3; form++) {
      if (form == 0)
        for (int i = 0; i < count; i++)
          OK(cublasHgemm(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, one.get(), a.device + i * n * n, n,
                         b.device + i * n * n, n, zero.get(), c.device + i * n * n, n));
      else if (form == 1)
        OK(cublasHgemmStridedBatched(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, one.get(), a.device, n, n * n, b.device,
                                     n, n * n, zero.get(), c.device, n, n * n, count));
      else
        OK(cublasHgemmBatched(handle, CUBLAS_OP_N, CUBLAS_OP_T, n, n, n, one.get(), as.device, n, bs.device, n,
                              zero.get(), cs.device, n, count));
      CU(cudaDeviceSynchronize());
      c.download();
      for (int t = 0; t < count; t++)
        for (int j = 0; j < n; j++)
          for (int i = 0; i < n; i++) {
            float sum = 0;
            for (int k = 0; k < n; k++)
              sum += (float)a[t * 9 + k * n + i] * (float)b[t * 9 + k * n + j];
            EXPECT((float)c[t * 9 + j * n + i] == sum);
          }
      CU(cudaMemset(c.device, 0xff, c.bytes()));
    }
  });
}

CASE(copies) {
  const int rows = 3, columns = 4;
  Numbers<double> host(6 * columns);
  double *device = buffer<double>(5 * columns), back[3 * columns] = {};
  OK(cublasSetMatrix(rows, columns, sizeof(double), host.host, 6, device, 5));
  OK(cublasGetMatrix(rows, columns, sizeof(double), device, 5, back, 3));
  for (int j = 0; j < columns; j++)
    for (int i = 0; i < rows; i++)
      EXPECT(back[j * 3 + i] == host[j * 6 + i]);
  OK(cublasSetVector(5, sizeof(double), host.host, 2, device, 3));
  cudaStream_t stream;
  CU(cudaStreamCreate(&stream));
  OK(cublasGetVectorAsync_64(5, sizeof(double), device, 3, back, 1, stream));
  CU(cudaStreamSynchronize(stream));
  for (int i = 0; i < 5; i++)
    EXPECT(back[i] == host[2 * i]);
  EXPECT(cublasSetVector(5, sizeof(double), host.host, 0, device, 1) == CUBLAS_STATUS_INVALID_VALUE);
  EXPECT(cublasSetMatrix(rows, columns, sizeof(double), host.host, 2, device, 5) == CUBLAS_STATUS_INVALID_VALUE);
  CU(cudaStreamDestroy(stream));
  release(device);
}

static volatile int is_open;
static void CUDART_CB wait_until_open(void *) {
  while (!is_open)
    usleep(1000);
}

// Work waits for what its stream has before it, and the host does not wait where factors are in device memory.
CASE(order) {
  cudaStream_t first, second;
  CU(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking));
  CU(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking));
  OK(cublasCreate(&handle));
  cudaStream_t got;
  OK(cublasSetStream(handle, first));
  OK(cublasGetStream(handle, &got));
  EXPECT(got == first);
  float *x = buffer<float>(4), *y = buffer<float>(4), *factor = buffer<float>(1), *z = buffer<float>(4), dot = 0;
  float numbers[5] = {1, 1, 1, 1, 2}, twos[4] = {2, 2, 2, 2}, two = 2, *source = buffer<float>(5);
  CU(cudaMemcpy(source, numbers, sizeof numbers, cudaMemcpyHostToDevice));
  CU(cudaDeviceSynchronize());
  is_open = 0;
  CU(cudaLaunchHostFunc(first, wait_until_open, nullptr));
  CU(cudaMemcpyAsync(x, source, 4 * sizeof *x, cudaMemcpyDeviceToDevice, first));
  CU(cudaMemcpyAsync(factor, source + 4, sizeof *x, cudaMemcpyDeviceToDevice, first));
  OK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_DEVICE));
  OK(cublasSaxpy(handle, 4, factor, x, 1, y, 1)); // y = 2
  EXPECT(cudaStreamQuery(first) == cudaErrorNotReady);
  is_open = 1;
  OK(cublasSetPointerMode(handle, CUBLAS_POINTER_MODE_HOST));
  float half = 0.5f;
  OK(cublasSaxpy(handle, 4, &half, x, 1, y, 1)); // y = 2.5, with the factor as it is now
  half = 100;
  OK(cublasSetStream(handle, second));
  OK(cublasSetVectorAsync(4, sizeof(float), twos, 1, z, 1, second));
  OK(cublasSdot(handle, 4, z, 1, z, 1, &dot));
  EXPECT(dot == 16);
  OK(cublasSetStream(handle, first));
  OK(cublasSdot(handle, 4, y, 1, x, 1, &dot));
  EXPECT(dot == 10);
  // A graph that multiplies by two each time it is launched.
  cudaGraph_t graph;
  cudaGraphExec_t exec;
  CU(cudaStreamBeginCapture(first, cudaStreamCaptureModeGlobal));
  OK(cublasSscal(handle, 4, &two, y, 1));
  two = 7;
  CU(cudaStreamEndCapture(first, &graph));
  CU(cudaGraphInstantiate(&exec, graph, 0));
  EXPECT(value(y) == 2.5f);
  CU(cudaGraphLaunch(exec, first));
  CU(cudaGraphLaunch(exec, first));
  CU(cudaStreamSynchronize(first));
  EXPECT(value(y) == 10);
  CU(cudaGraphExecDestroy(exec));
  CU(cudaGraphDestroy(graph));
  OK(cublasDestroy(handle));
  CU(cudaStreamDestroy(first));
  CU(cudaStreamDestroy(second));
  release(x), release(y), release(z), release(factor), release(source);
}

CASE(settings_and_errors) {
  OK(cublasCreate(&handle));
  cublasMath_t math;
  cublasPointerMode_t mode;
  cublasAtomicsMode_t atomics;
  int version = 0;
  OK(cublasSetMathMode(handle, CUBLAS_TF32_TENSOR_OP_MATH));
  OK(cublasGetMathMode(handle, &math));
  OK(cublasGetPointerMode(handle, &mode));
  OK(cublasSetAtomicsMode(handle, CUBLAS_ATOMICS_ALLOWED));
  OK(cublasGetAtomicsMode(handle, &atomics));
  OK(cublasSetWorkspace(handle, nullptr, 0));
  OK(cublasGetVersion(handle, &version));
  EXPECT(math == CUBLAS_TF32_TENSOR_OP_MATH && mode == CUBLAS_POINTER_MODE_HOST && atomics == CUBLAS_ATOMICS_ALLOWED);
  EXPECT(version >= 130000);
  float *a = buffer<float>(16), one = 1;
  auto gemm = [&](int m, int n, int k, int lda, int ldb, int ldc) {
    return cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, m, n, k, &one, a, lda, a, ldb, &one, a, ldc);
  };
  EXPECT(gemm(-1, 2, 2, 2, 2, 2) == CUBLAS_STATUS_INVALID_VALUE);
  EXPECT(gemm(2, 2, 2, 1, 2, 2) == CUBLAS_STATUS_INVALID_VALUE);
  EXPECT(gemm(2, 2, 2, 2, 1, 2) == CUBLAS_STATUS_INVALID_VALUE);
  EXPECT(gemm(2, 2, 2, 2, 2, 1) == CUBLAS_STATUS_INVALID_VALUE);
  EXPECT(gemm(0, 2, 2, 1, 2, 1) == CUBLAS_STATUS_SUCCESS);
  EXPECT(cublasSgemv(handle, CUBLAS_OP_N, 2, 2, &one, a, 2, a, 0, &one, a, 1) == CUBLAS_STATUS_INVALID_VALUE);
  EXPECT(cublasSgemm(nullptr, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, a, 1, a, 1, &one, a, 1) ==
         CUBLAS_STATUS_NOT_INITIALIZED);
  EXPECT(cublasGemmEx(handle, CUBLAS_OP_N, CUBLAS_OP_N, 1, 1, 1, &one, a, CUDA_R_8I, 1, a, CUDA_R_16F, 1, &one, a,
                      CUDA_R_32F, 1, CUBLAS_COMPUTE_32F, CUBLAS_GEMM_DEFAULT) == CUBLAS_STATUS_NOT_SUPPORTED);
  OK(cublasDestroy(handle));
  release(a);
}
