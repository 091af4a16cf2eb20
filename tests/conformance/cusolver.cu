// cusolver.cu: the dense routines of cuSOLVER on the CPU device, of all four types: factorisations are multiplied again on the
// host, solutions inserted, and orthogonal matrices tested for that.
// FLAGS: -lcusolver
#include "numbers.h"
#include <cusolverDn.h>

template <typename T> struct Matrix;
struct Info;
template <typename T> static T *plain(Matrix<T> &matrix);
static int *plain(Info &info);
template <typename T> static T plain(T argument) {
  return argument;
}

template <typename T> struct Api;
#define ONE(name, function)                                                                                            \
  template <typename... A> static int name(A &&...a) {                                                                 \
    return call(function, plain(a)...);                                                                                \
  }
#define SIZED(name, function) ONE(name, function) ONE(name##_room, function##_bufferSize)
#define COMMON(X)                                                                                                      \
  SIZED(potrf, cusolverDn##X##potrf)                                                                                   \
  SIZED(potri, cusolverDn##X##potri)                                                                                   \
  ONE(potrs, cusolverDn##X##potrs)                                                                                     \
  ONE(potrf_batched, cusolverDn##X##potrfBatched)                                                                      \
  ONE(potrs_batched, cusolverDn##X##potrsBatched)                                                                      \
  SIZED(sytrf, cusolverDn##X##sytrf)                                                                                   \
  SIZED(getrf, cusolverDn##X##getrf)                                                                                   \
  ONE(getrs, cusolverDn##X##getrs)                                                                                     \
  SIZED(geqrf, cusolverDn##X##geqrf)                                                                                   \
  SIZED(gesvd, cusolverDn##X##gesvd)                                                                                   \
  SIZED(gesvdj, cusolverDn##X##gesvdj)                                                                                 \
  SIZED(gesvdj_batched, cusolverDn##X##gesvdjBatched)
#define REAL(X)                                                                                                        \
  COMMON(X)                                                                                                            \
  SIZED(orgqr, cusolverDn##X##orgqr)                                                                                   \
  SIZED(ormqr, cusolverDn##X##ormqr)                                                                                   \
  SIZED(syevd, cusolverDn##X##syevd)                                                                                   \
  SIZED(syevj, cusolverDn##X##syevj)                                                                                   \
  SIZED(syevj_batched, cusolverDn##X##syevjBatched)                                                                    \
  SIZED(sygvd, cusolverDn##X##sygvd)
#define COMPLEX(X)                                                                                                     \
  COMMON(X)                                                                                                            \
  SIZED(orgqr, cusolverDn##X##ungqr)                                                                                   \
  SIZED(ormqr, cusolverDn##X##unmqr)                                                                                   \
  SIZED(syevd, cusolverDn##X##heevd)                                                                                   \
  SIZED(syevj, cusolverDn##X##heevj)                                                                                   \
  SIZED(syevj_batched, cusolverDn##X##heevjBatched)                                                                    \
  SIZED(sygvd, cusolverDn##X##hegvd)
template <> struct Api<float> {
  REAL(S)
  static constexpr cudaDataType type = CUDA_R_32F, real = CUDA_R_32F;
};
template <> struct Api<double> {
  REAL(D)
  static constexpr cudaDataType type = CUDA_R_64F, real = CUDA_R_64F;
};
template <> struct Api<Single> {
  COMPLEX(C)
  static constexpr cudaDataType type = CUDA_C_32F, real = CUDA_R_32F;
};
template <> struct Api<Double> {
  COMPLEX(Z)
  static constexpr cudaDataType type = CUDA_C_64F, real = CUDA_R_64F;
};

static cusolverDnHandle_t handle;
#define OK(call) EXPECT((call) == CUSOLVER_STATUS_SUCCESS)
#define TYPES_CASE(name)                                                                                               \
  template <typename T> static void name##_of();                                                                       \
  CASE(name) {                                                                                                         \
    EXPECT(cusolverDnCreate(&handle) == CUSOLVER_STATUS_SUCCESS);                                                      \
    name##_of<float>();                                                                                                \
    name##_of<double>();                                                                                               \
    name##_of<Single>();                                                                                               \
    name##_of<Double>();                                                                                               \
    EXPECT(cusolverDnDestroy(handle) == CUSOLVER_STATUS_SUCCESS);                                                      \
  }                                                                                                                    \
  template <typename T> static void name##_of()

static const cublasFillMode_t fills[] = {CUBLAS_FILL_MODE_LOWER, CUBLAS_FILL_MODE_UPPER};
static const cublasOperation_t operations[] = {CUBLAS_OP_N, CUBLAS_OP_T, CUBLAS_OP_C};

// A matrix on the host, by columns.
template <typename T> struct Host {
  int rows, columns;
  std::vector<T> at;
  Host(int rows, int columns) : rows(rows), columns(columns), at((size_t)rows * columns) {}
  T &operator()(int i, int j) { return at[(size_t)j * rows + i]; }
  static Host random(int rows, int columns) {
    Host m(rows, columns);
    for (T &x : m.at)
      x = number<T>();
    return m;
  }
  static Host unit(int n) {
    Host m(n, n);
    for (int i = 0; i < n; i++)
      m(i, i) = 1;
    return m;
  }
  Host after(int op) {
    Host m(op ? columns : rows, op ? rows : columns);
    for (int i = 0; i < m.rows; i++)
      for (int j = 0; j < m.columns; j++)
        m(i, j) = !op ? (*this)(i, j) : op == CUBLAS_OP_C ? conjugate((*this)(j, i)) : (*this)(j, i);
    return m;
  }
  Host operator*(Host b) {
    Host m(rows, b.columns);
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < b.columns; j++)
        for (int k = 0; k < columns; k++)
          m(i, j) += (*this)(i, k) * b(k, j);
    return m;
  }
  // Its first rows and columns; rows in another order.
  Host part(int r, int c) {
    Host m(r, c);
    for (int i = 0; i < r; i++)
      for (int j = 0; j < c; j++)
        m(i, j) = (*this)(i, j);
    return m;
  }
  Host triangle(bool lower, bool unit = false) {
    Host m(rows, columns);
    for (int i = 0; i < rows; i++)
      for (int j = 0; j < columns; j++)
        if (i == j ? true : lower ? i > j : i < j)
          m(i, j) = unit && i == j ? T(1) : (*this)(i, j);
    return m;
  }
};
template <typename T> static bool equal(Host<T> a, Host<T> b) {
  if (a.rows != b.rows || a.columns != b.columns)
    return printf("%d x %d is not %d x %d\n", a.rows, a.columns, b.rows, b.columns), false;
  for (size_t i = 0; i < a.at.size(); i++)
    if (!is_near(a.at[i], b.at[i], 10)) {
      printf("element %zu is %g, not %g\n", i, (double)std::abs(a.at[i]), (double)std::abs(b.at[i]));
      return false;
    }
  return true;
}
// A Hermitian matrix, with positive eigenvalues.
template <typename T> static Host<T> positive(int n) {
  Host<T> m = Host<T>::random(n, n), h = m * m.after(CUBLAS_OP_C);
  for (int i = 0; i < n; i++)
    h(i, i) += T(n);
  return h;
}

// A matrix in device memory, with gaps between its columns, which stay as they are.
template <typename T> struct Matrix {
  int rows, columns, distance;
  Array<T> at;
  Matrix(int rows, int columns)
      : rows(rows), columns(columns), distance(rows + 2), at((size_t)distance * (columns - 1) + rows) {
    for (size_t i = 0; i < at.count; i++)
      at[i] = T(77);
    at.upload();
  }
  explicit Matrix(Host<T> from) : Matrix(from.rows, from.columns) {
    for (int j = 0; j < columns; j++)
      for (int i = 0; i < rows; i++)
        at[(size_t)j * distance + i] = from(i, j);
    at.upload();
  }
  operator T *() { return at.device; }
  Host<T> read() {
    Host<T> m(rows, columns);
    CU(cudaDeviceSynchronize());
    at.download();
    for (int j = 0; j < columns; j++)
      for (int i = 0; i < distance; i++)
        if (i < rows)
          m(i, j) = at[(size_t)j * distance + i];
        else if (j + 1 < columns)
          EXPECT(at[(size_t)j * distance + i] == T(77));
    return m;
  }
};
// A result and its status: 0, unless the routine reports a column.
struct Info {
  Array<int> at{1};
  Info() {
    at[0] = 99;
    at.upload();
  }
  operator int *() { return at.device; }
  int read() {
    CU(cudaDeviceSynchronize());
    at.download();
    return at[0];
  }
};
template <typename T> static T *plain(Matrix<T> &matrix) {
  return matrix;
}
static int *plain(Info &info) {
  return info;
}
template <typename T> static std::vector<T> read(Array<T> &array) {
  CU(cudaDeviceSynchronize());
  array.download();
  return copy_of(array);
}

TYPES_CASE(cholesky) {
  using A = Api<T>;
  const int n = 7;
  for (auto fill : fills) {
    bool lower = fill == CUBLAS_FILL_MODE_LOWER;
    Host<T> h = positive<T>(n), b = Host<T>::random(n, 3);
    Matrix<T> a(h), x(b);
    Info info;
    int room = 0;
    OK(A::potrf_room(handle, fill, n, a, a.distance, &room));
    Array<T> work(room);
    OK(A::potrf(handle, fill, n, a, a.distance, work.device, room, info));
    EXPECT(info.read() == 0);
    Host<T> factor = a.read(), t = factor.triangle(lower);
    EXPECT(equal(lower ? t * t.after(CUBLAS_OP_C) : t.after(CUBLAS_OP_C) * t, h));
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        if (lower ? i < j : i > j)
          EXPECT(factor(i, j) == h(i, j));
    OK(A::potrs(handle, fill, n, 3, a, a.distance, x, x.distance, info));
    EXPECT(info.read() == 0 && equal(h * x.read(), b));
    OK(A::potri_room(handle, fill, n, a, a.distance, &room));
    Array<T> more(room);
    OK(A::potri(handle, fill, n, a, a.distance, more.device, room, info));
    Host<T> inverse = a.read();
    for (int i = 0; i < n; i++)
      for (int j = 0; j < n; j++)
        if (lower ? i < j : i > j)
          inverse(i, j) = conjugate(inverse(j, i));
    EXPECT(info.read() == 0 && equal(h * inverse, Host<T>::unit(n)));
    h(4, 4) = T(-1);
    Matrix<T> bad(h);
    OK(A::potrf(handle, fill, n, bad, bad.distance, work.device, room, info));
    EXPECT(info.read() == 5);
  }
}

TYPES_CASE(cholesky_batches) {
  using A = Api<T>;
  const int n = 5;
  Host<T> first = positive<T>(n), second = positive<T>(n), b = Host<T>::random(n, 1), c = Host<T>::random(n, 1);
  Host<T> singular = second;
  singular(2, 2) = T(0);
  Matrix<T> a1(first), a2(second), a3(singular), x1(b), x2(c);
  Array<T *> as(3), xs(2);
  Array<int> info(3);
  as[0] = a1, as[1] = a2, as[2] = a3, xs[0] = x1, xs[1] = x2;
  as.upload();
  xs.upload();
  OK(A::potrf_batched(handle, CUBLAS_FILL_MODE_LOWER, n, as.device, a1.distance, info.device, 3));
  EXPECT(read(info) == (std::vector<int>{0, 0, 3}));
  OK(A::potrs_batched(handle, CUBLAS_FILL_MODE_LOWER, n, 1, as.device, a1.distance, xs.device, x1.distance, info.device,
                      2));
  EXPECT(read(info)[0] == 0 && equal(first * x1.read(), b) && equal(second * x2.read(), c));
}

TYPES_CASE(symmetric) {
  const int n = 6;
  using A = Api<T>;
  Host<T> h = Host<T>::random(n, n);
  for (int i = 0; i < n; i++) // dominant: no row is interchanged
    for (int j = 0; j <= i; j++)
      h(j, i) = h(i, j) = i == j ? T(20 + i) : h(i, j);
  Matrix<T> a(h);
  Array<int> pivots(n);
  Info info;
  int room = 0;
  OK(A::sytrf_room(handle, n, a, a.distance, &room));
  Array<T> work(room);
  OK(A::sytrf(handle, CUBLAS_FILL_MODE_LOWER, n, a, a.distance, pivots.device, work.device, room, info));
  EXPECT(info.read() == 0 && read(pivots) == (std::vector<int>{1, 2, 3, 4, 5, 6}));
  Host<T> factor = a.read(), l = factor.triangle(true, true), d(n, n);
  for (int i = 0; i < n; i++)
    d(i, i) = factor(i, i);
  EXPECT(equal(l * d * l.after(CUBLAS_OP_T), h));
}

template <typename T> static Host<T> interchanged(Host<T> m, const std::vector<int> &pivots) {
  for (size_t k = 0; k < pivots.size(); k++)
    for (int j = 0; j < m.columns; j++)
      std::swap(m((int)k, j), m(pivots[k] - 1, j));
  return m;
}

TYPES_CASE(lu) {
  using A = Api<T>;
  for (auto shape : {std::pair<int, int>{6, 6}, {7, 4}, {4, 7}}) {
    int m = shape.first, n = shape.second, least = std::min(m, n), room = 0;
    Host<T> h = Host<T>::random(m, n);
    Matrix<T> a(h);
    Array<int> pivots(least);
    Info info;
    OK(A::getrf_room(handle, m, n, a, a.distance, &room));
    Array<T> work(room);
    OK(A::getrf(handle, m, n, a, a.distance, work.device, pivots.device, info));
    EXPECT(info.read() == 0);
    Host<T> f = a.read();
    EXPECT(
        equal(f.part(m, least).triangle(true, true) * f.part(least, n).triangle(false), interchanged(h, read(pivots))));
    for (auto op : operations) {
      if (m != n)
        continue;
      Host<T> b = Host<T>::random(n, 3);
      Matrix<T> x(b);
      OK(A::getrs(handle, op, n, 3, a, a.distance, pivots.device, x, x.distance, info));
      EXPECT(info.read() == 0 && equal(h.after(op) * x.read(), b));
    }
    for (int i = 0; i < least; i++) // dominant, for a factorisation without pivots
      h(i, i) = T(20);
    Matrix<T> plain(h);
    OK(A::getrf(handle, m, n, plain, plain.distance, work.device, (int *)nullptr, info));
    f = plain.read();
    EXPECT(info.read() == 0 && equal(f.part(m, least).triangle(true, true) * f.part(least, n).triangle(false), h));
  }
  Host<T> singular(4, 4);
  singular(0, 0) = T(1);
  Matrix<T> a(singular);
  Array<T> work(4);
  Array<int> pivots(4);
  Info info;
  OK(A::getrf(handle, 4, 4, a, a.distance, work.device, pivots.device, info));
  EXPECT(info.read() == 2);
}

TYPES_CASE(qr) {
  using A = Api<T>;
  const int m = 7, n = 4;
  Host<T> h = Host<T>::random(m, n);
  Matrix<T> a(h);
  Array<T> tau(n);
  Info info;
  int room = 0;
  OK(A::geqrf_room(handle, m, n, a, a.distance, &room));
  Array<T> work(room);
  OK(A::geqrf(handle, m, n, a, a.distance, tau.device, work.device, room, info));
  EXPECT(info.read() == 0);
  Host<T> factored = a.read(), r = factored.part(n, n).triangle(false), wide(m, m);
  for (int i = 0; i < m; i++)
    for (int j = 0; j < n; j++)
      wide(i, j) = factored(i, j);
  Matrix<T> small(factored), whole(wide);
  OK(A::orgqr_room(handle, m, n, n, small, small.distance, tau.device, &room));
  Array<T> more(room);
  OK(A::orgqr(handle, m, n, n, small, small.distance, tau.device, more.device, room, info));
  EXPECT(info.read() == 0 && equal(small.read() * r, h));
  OK(A::orgqr_room(handle, m, m, n, whole, whole.distance, tau.device, &room));
  Array<T> most(room);
  OK(A::orgqr(handle, m, m, n, whole, whole.distance, tau.device, most.device, room, info));
  Host<T> q = whole.read();
  EXPECT(info.read() == 0 && equal(q.after(CUBLAS_OP_C) * q, Host<T>::unit(m)));
  for (auto side : {CUBLAS_SIDE_LEFT, CUBLAS_SIDE_RIGHT})
    for (auto op : {CUBLAS_OP_N, is_complex<T> ? CUBLAS_OP_C : CUBLAS_OP_T}) {
      Host<T> c = side == CUBLAS_SIDE_LEFT ? Host<T>::random(m, 3) : Host<T>::random(3, m);
      Matrix<T> x(c);
      OK(A::ormqr_room(handle, side, op, c.rows, c.columns, n, a, a.distance, tau.device, x, x.distance, &room));
      Array<T> space(room);
      OK(A::ormqr(handle, side, op, c.rows, c.columns, n, a, a.distance, tau.device, x, x.distance, space.device, room,
                  info));
      EXPECT(info.read() == 0 && equal(x.read(), side == CUBLAS_SIDE_LEFT ? q.after(op) * c : c * q.after(op)));
    }
}

// U S V^H, of the columns that there are; singular values are sorted and not negative.
template <typename T> static bool is_factored(Host<T> h, const std::vector<Real<T>> &values, Host<T> u, Host<T> vh) {
  int least = (int)values.size();
  Host<T> s(least, least);
  for (int i = 0; i < least; i++) {
    s(i, i) = T(values[i]);
    if (values[i] < 0 || (i && values[i] > values[i - 1]))
      return false;
  }
  return equal(u.after(CUBLAS_OP_C) * u, Host<T>::unit(u.columns)) &&
         equal(vh * vh.after(CUBLAS_OP_C), Host<T>::unit(vh.rows)) &&
         equal(u.part(u.rows, least) * s * vh.part(least, vh.columns), h);
}

TYPES_CASE(svd) {
  using A = Api<T>;
  const int m = 6, n = 4;
  Host<T> h = Host<T>::random(m, n);
  std::vector<Real<T>> all;
  for (int jobs = 0; jobs < 4; jobs++) {
    signed char job_u = "ASON"[jobs], job_vt = "ASAN"[jobs];
    Matrix<T> a(h), u(m, job_u == 'A' ? m : n), vt(n, n);
    Array<Real<T>> values(n), real(5 * n);
    Info info;
    int room = 0;
    OK(A::gesvd_room(handle, m, n, &room));
    Array<T> work(room);
    OK(A::gesvd(handle, job_u, job_vt, m, n, a, a.distance, values.device, u, u.distance, vt, vt.distance, work.device,
                room, real.device, info));
    EXPECT(info.read() == 0);
    if (job_u != 'N')
      EXPECT(is_factored(h, read(values), job_u == 'O' ? a.read() : u.read(), vt.read()));
    else
      for (int i = 0; i < n; i++)
        EXPECT(is_near(read(values)[i], all[i]));
    all = read(values);
  }
}

TYPES_CASE(jacobi_svd) {
  using A = Api<T>;
  gesvdjInfo_t jacobi;
  OK(cusolverDnCreateGesvdjInfo(&jacobi));
  OK(cusolverDnXgesvdjSetTolerance(jacobi, 1e-7));
  OK(cusolverDnXgesvdjSetMaxSweeps(jacobi, 15));
  for (auto shape : {std::pair<int, int>{6, 4}, {4, 6}})
    for (int small = 0; small < 2; small++) {
      int m = shape.first, n = shape.second, least = std::min(m, n), room = 0, sweeps = -1;
      Host<T> h = Host<T>::random(m, n);
      Matrix<T> a(h), u(m, small ? least : m), v(n, small ? least : n);
      Array<Real<T>> values(least);
      Info info;
      double residual = -1;
      OK(A::gesvdj_room(handle, CUSOLVER_EIG_MODE_VECTOR, small, m, n, a, a.distance, values.device, u, u.distance, v,
                        v.distance, &room, jacobi));
      Array<T> work(room);
      OK(A::gesvdj(handle, CUSOLVER_EIG_MODE_VECTOR, small, m, n, a, a.distance, values.device, u, u.distance, v,
                   v.distance, work.device, room, info, jacobi));
      EXPECT(info.read() == 0 && is_factored(h, read(values), u.read(), v.read().after(CUBLAS_OP_C)));
      OK(cusolverDnXgesvdjGetResidual(handle, jacobi, &residual));
      OK(cusolverDnXgesvdjGetSweeps(handle, jacobi, &sweeps));
      EXPECT(residual > 0 && residual < (sizeof(Real<T>) == 4 ? 1e-4 : 1e-12) && sweeps >= 0);
    }
  const int m = 5, n = 3, count = 3;
  Numbers<T> a(m * n * count);
  Array<T> u(m * m * count), v(n * n * count);
  Array<Real<T>> values(n * count);
  Array<int> info(count);
  std::vector<T> before = copy_of(a);
  int room = 0;
  OK(A::gesvdj_batched_room(handle, CUSOLVER_EIG_MODE_VECTOR, m, n, a.device, m, values.device, u.device, m, v.device,
                            n, &room, jacobi, count));
  Array<T> work(room);
  OK(A::gesvdj_batched(handle, CUSOLVER_EIG_MODE_VECTOR, m, n, a.device, m, values.device, u.device, m, v.device, n,
                       work.device, room, info.device, jacobi, count));
  EXPECT(read(info) == (std::vector<int>{0, 0, 0}));
  auto all = read(values);
  read(u), read(v);
  for (int i = 0; i < count; i++) {
    Host<T> h(m, n), hu(m, m), hv(n, n);
    std::copy(&before[i * m * n], &before[i * m * n] + m * n, h.at.begin());
    std::copy(&u[i * m * m], &u[i * m * m] + m * m, hu.at.begin());
    std::copy(&v[i * n * n], &v[i * n * n] + n * n, hv.at.begin());
    EXPECT(is_factored(h, std::vector<Real<T>>(&all[i * n], &all[i * n] + n), hu, hv.after(CUBLAS_OP_C)));
  }
  OK(cusolverDnDestroyGesvdjInfo(jacobi));
}

// A V = B V D, with ascending values.
template <typename T> static bool are_eigen(Host<T> a, Host<T> v, const std::vector<Real<T>> &values) {
  Host<T> d(a.rows, a.rows);
  for (int i = 0; i < a.rows; i++) {
    d(i, i) = T(values[i]);
    if (i && values[i] < values[i - 1])
      return false;
  }
  return equal(a * v, v * d);
}

TYPES_CASE(eigenvalues) {
  using A = Api<T>;
  const int n = 6;
  syevjInfo_t jacobi;
  OK(cusolverDnCreateSyevjInfo(&jacobi));
  OK(cusolverDnXsyevjSetSortEig(jacobi, 1));
  for (auto fill : fills)
    for (int by_jacobi = 0; by_jacobi < 2; by_jacobi++) {
      bool lower = fill == CUBLAS_FILL_MODE_LOWER;
      Host<T> h = positive<T>(n), half = h.triangle(lower);
      Matrix<T> a(half), again(half);
      Array<Real<T>> values(n), only(n);
      Info info;
      int room = 0;
      double residual = -1;
      for (auto mode : {CUSOLVER_EIG_MODE_VECTOR, CUSOLVER_EIG_MODE_NOVECTOR}) {
        bool has = mode == CUSOLVER_EIG_MODE_VECTOR;
        Matrix<T> &m = has ? a : again;
        Array<Real<T>> &w = has ? values : only;
        if (by_jacobi)
          OK(A::syevj_room(handle, mode, fill, n, m, m.distance, w.device, &room, jacobi));
        else
          OK(A::syevd_room(handle, mode, fill, n, m, m.distance, w.device, &room));
        Array<T> work(room);
        if (by_jacobi)
          OK(A::syevj(handle, mode, fill, n, m, m.distance, w.device, work.device, room, info, jacobi));
        else
          OK(A::syevd(handle, mode, fill, n, m, m.distance, w.device, work.device, room, info));
        EXPECT(info.read() == 0);
        if (by_jacobi && has)
          OK(cusolverDnXsyevjGetResidual(handle, jacobi, &residual));
      }
      Host<T> v = a.read();
      EXPECT(are_eigen(h, v, read(values)) && equal(v.after(CUBLAS_OP_C) * v, Host<T>::unit(n)));
      EXPECT(!by_jacobi || (residual > 0 && residual < (sizeof(Real<T>) == 4 ? 1e-3 : 1e-11)));
      for (int i = 0; i < n; i++)
        EXPECT(is_near(read(only)[i], read(values)[i], 10));
    }
  const int count = 2;
  Host<T> first = positive<T>(n), second = positive<T>(n);
  Array<T> a(n * n * count);
  std::copy(first.at.begin(), first.at.end(), a.host);
  std::copy(second.at.begin(), second.at.end(), a.host + n * n);
  a.upload();
  Array<Real<T>> values(n * count);
  Array<int> info(count);
  int room = 0;
  OK(A::syevj_batched_room(handle, CUSOLVER_EIG_MODE_VECTOR, fills[0], n, a.device, n, values.device, &room, jacobi,
                           count));
  Array<T> work(room);
  OK(A::syevj_batched(handle, CUSOLVER_EIG_MODE_VECTOR, fills[0], n, a.device, n, values.device, work.device, room,
                      info.device, jacobi, count));
  EXPECT(read(info) == (std::vector<int>{0, 0}));
  auto all = read(values);
  Host<T> v(n, n);
  read(a);
  std::copy(a.host, a.host + n * n, v.at.begin());
  EXPECT(are_eigen(first, v, std::vector<Real<T>>(&all[0], &all[0] + n)));
  std::copy(a.host + n * n, a.host + 2 * n * n, v.at.begin());
  EXPECT(are_eigen(second, v, std::vector<Real<T>>(&all[n], &all[0] + 2 * n)));
  OK(cusolverDnDestroySyevjInfo(jacobi));
}

TYPES_CASE(general_eigenvalues) {
  using A = Api<T>;
  const int n = 5;
  for (auto kind : {CUSOLVER_EIG_TYPE_1, CUSOLVER_EIG_TYPE_2, CUSOLVER_EIG_TYPE_3}) {
    Host<T> h = positive<T>(n), g = positive<T>(n);
    Matrix<T> a(h), b(g);
    Array<Real<T>> values(n);
    Info info;
    int room = 0;
    OK(A::sygvd_room(handle, kind, CUSOLVER_EIG_MODE_VECTOR, fills[1], n, a, a.distance, b, b.distance, values.device,
                     &room));
    Array<T> work(room);
    OK(A::sygvd(handle, kind, CUSOLVER_EIG_MODE_VECTOR, fills[1], n, a, a.distance, b, b.distance, values.device,
                work.device, room, info));
    EXPECT(info.read() == 0);
    Host<T> v = a.read(), d(n, n);
    for (int i = 0; i < n; i++)
      d(i, i) = T(read(values)[i]) / T(kind == CUSOLVER_EIG_TYPE_1 ? 1 : n * n); // near 1, as is_near() expects it
    Host<T> scaled = h;
    for (T &x : scaled.at)
      x /= T(kind == CUSOLVER_EIG_TYPE_1 ? 1 : n * n);
    EXPECT(kind == CUSOLVER_EIG_TYPE_1   ? equal(h * v, g * v * d)
           : kind == CUSOLVER_EIG_TYPE_2 ? equal(scaled * (g * v), v * d)
                                         : equal(g * (scaled * v), v * d));
  }
}

// The calls with types as arguments, and 64-bit integers.
TYPES_CASE(wide) {
  const int64_t n = 6;
  const cudaDataType type = Api<T>::type, real = Api<T>::real;
  cusolverDnParams_t params;
  OK(cusolverDnCreateParams(&params));
  OK(cusolverDnSetAdvOptions(params, CUSOLVERDN_GETRF, CUSOLVER_ALG_0));
  Host<T> h = positive<T>(n), b = Host<T>::random(n, 2);
  size_t bytes = 0, host_bytes = 0;
  Info info;
  char host[16];
  {
    Matrix<T> a(h), x(b);
    OK(cusolverDnXpotrf_bufferSize(handle, params, fills[0], n, type, a, a.distance, type, &bytes, &host_bytes));
    Array<char> work(bytes);
    OK(cusolverDnXpotrf(handle, params, fills[0], n, type, a, a.distance, type, work.device, bytes, host, host_bytes,
                        info));
    OK(cusolverDnXpotrs(handle, params, fills[0], n, 2, type, a, a.distance, type, x, x.distance, info));
    EXPECT(info.read() == 0 && equal(h * x.read(), b));
    EXPECT(cusolverDnXpotrf(handle, params, fills[0], n, type, a, a.distance, type, work.device, bytes - 1, host,
                            host_bytes, info) == CUSOLVER_STATUS_INVALID_VALUE);
  }
  {
    Matrix<T> a(h), x(b);
    Array<int64_t> pivots(n);
    OK(cusolverDnXgetrf_bufferSize(handle, params, n, n, type, a, a.distance, type, &bytes, &host_bytes));
    Array<char> work(bytes);
    OK(cusolverDnXgetrf(handle, params, n, n, type, a, a.distance, pivots.device, type, work.device, bytes, host,
                        host_bytes, info));
    OK(cusolverDnXgetrs(handle, params, CUBLAS_OP_N, n, 2, type, a, a.distance, pivots.device, type, x, x.distance,
                        info));
    EXPECT(info.read() == 0 && equal(h * x.read(), b));
  }
  {
    Matrix<T> a(h);
    Array<T> tau(n);
    OK(cusolverDnXgeqrf_bufferSize(handle, params, n, n, type, a, a.distance, type, tau.device, type, &bytes,
                                   &host_bytes));
    Array<char> work(bytes);
    OK(cusolverDnXgeqrf(handle, params, n, n, type, a, a.distance, type, tau.device, type, work.device, bytes, host,
                        host_bytes, info));
    Host<T> r = a.read().triangle(false); // R^H R is A^H A
    EXPECT(info.read() == 0);
    for (T &x : r.at)
      x /= T(n);
    Host<T> scaled = h;
    for (T &x : scaled.at)
      x /= T(n);
    EXPECT(equal(r.after(CUBLAS_OP_C) * r, scaled.after(CUBLAS_OP_C) * scaled));
  }
  {
    Matrix<T> a(h);
    Array<Real<T>> values(n);
    OK(cusolverDnXsyevd_bufferSize(handle, params, CUSOLVER_EIG_MODE_VECTOR, fills[0], n, type, a, a.distance, real,
                                   values.device, type, &bytes, &host_bytes));
    Array<char> work(bytes);
    OK(cusolverDnXsyevd(handle, params, CUSOLVER_EIG_MODE_VECTOR, fills[0], n, type, a, a.distance, real, values.device,
                        type, work.device, bytes, host, host_bytes, info));
    EXPECT(info.read() == 0 && are_eigen(h, a.read(), read(values)));
  }
  {
    Array<T> a(2 * n * n);
    Array<Real<T>> values(2 * n);
    Array<int> infos(2);
    std::copy(h.at.begin(), h.at.end(), a.host);
    std::copy(h.at.begin(), h.at.end(), a.host + n * n);
    a.upload();
    OK(cusolverDnXsyevBatched_bufferSize(handle, params, CUSOLVER_EIG_MODE_VECTOR, fills[0], n, type, a.device, n, real,
                                         values.device, type, &bytes, &host_bytes, 2));
    Array<char> work(bytes);
    OK(cusolverDnXsyevBatched(handle, params, CUSOLVER_EIG_MODE_VECTOR, fills[0], n, type, a.device, n, real,
                              values.device, type, work.device, bytes, host, host_bytes, infos.device, 2));
    read(a);
    Host<T> v(n, n);
    std::copy(a.host + n * n, a.host + 2 * n * n, v.at.begin());
    auto all = read(values);
    EXPECT(read(infos)[1] == 0 && are_eigen(h, v, std::vector<Real<T>>(all.begin() + n, all.end())));
  }
  {
    Matrix<T> a(h), u(n, n), vt(n, n);
    Array<Real<T>> values(n);
    OK(cusolverDnXgesvd_bufferSize(handle, params, 'A', 'A', n, n, type, a, a.distance, real, values.device, type, u,
                                   u.distance, type, vt, vt.distance, type, &bytes, &host_bytes));
    Array<char> work(bytes);
    OK(cusolverDnXgesvd(handle, params, 'A', 'A', n, n, type, a, a.distance, real, values.device, type, u, u.distance,
                        type, vt, vt.distance, type, work.device, bytes, host, host_bytes, info));
    EXPECT(info.read() == 0 && is_factored(h, read(values), u.read(), vt.read()));
  }
  {
    Host<T> t = h.triangle(true);
    Matrix<T> a(t);
    OK(cusolverDnXtrtri_bufferSize(handle, fills[0], CUBLAS_DIAG_NON_UNIT, n, type, a, a.distance, &bytes,
                                   &host_bytes));
    Array<char> work(bytes);
    OK(cusolverDnXtrtri(handle, fills[0], CUBLAS_DIAG_NON_UNIT, n, type, a, a.distance, work.device, bytes, host,
                        host_bytes, info));
    EXPECT(info.read() == 0 && equal(t * a.read(), Host<T>::unit(n)));
  }
  OK(cusolverDnDestroyParams(params));
}

// Arguments that are not valid, and the order of a stream.
CASE(arguments) {
  EXPECT(cusolverDnCreate(&handle) == CUSOLVER_STATUS_SUCCESS);
  int room = 0;
  Matrix<double> a(positive<double>(4)), u(4, 4);
  Array<double> work(4), values(4);
  Info info;
  EXPECT(cusolverDnDpotrf(handle, fills[0], 4, a, 3, work.device, 4, info) == CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT(cusolverDnDpotrf(handle, fills[0], 4, a, a.distance, work.device, 0, info) == CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT(cusolverDnDpotrf(nullptr, fills[0], 4, a, 6, work.device, 4, info) == CUSOLVER_STATUS_NOT_INITIALIZED);
  EXPECT(cusolverDnDgetrf_bufferSize(handle, -1, 4, a, 6, &room) == CUSOLVER_STATUS_INVALID_VALUE);
  EXPECT(cusolverDnDgesvd(handle, 'A', 'A', 3, 4, a, a.distance, values.device, u, u.distance, u, u.distance,
                          work.device, 4, nullptr, info) == CUSOLVER_STATUS_INVALID_VALUE);
  cudaStream_t stream, same;
  CU(cudaStreamCreate(&stream));
  OK(cusolverDnSetStream(handle, stream));
  OK(cusolverDnGetStream(handle, &same));
  EXPECT(same == stream);
  OK(cusolverDnDpotrf(handle, fills[0], 4, a, a.distance, work.device, 4, info));
  CU(cudaStreamSynchronize(stream));
  EXPECT(info.read() == 0);
  OK(cusolverDnDestroy(handle));
  CU(cudaStreamDestroy(stream));
}
