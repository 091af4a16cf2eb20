// cusparse_rest.cu: what cuSPARSE on the CPU device has besides products with dense matrices: triangular solves, sampled
// products, products of sparse matrices, conversions to sparse matrices, sparse vectors and indices, against the host.
// FLAGS: -lcusparse
#include "sparse.h"
#include <algorithm>

// A square matrix that is well conditioned: its diagonal is 2 or more.
template <typename T> static std::vector<T> triangular() {
  std::vector<T> made = Sparse<T, int>::some();
  for (int i = 0; i < K; i++)
    made[i * K + i] = T((Real<T>)(2 + i));
  return made;
}

// What op(A) has of the triangle of A that the attributes choose.
template <typename T>
static T chosen(const std::vector<T> &a, cusparseOperation_t op, int fill, int unit, int i, int j) {
  int row = op ? j : i, column = op ? i : j;
  if (row == column && unit)
    return T(1);
  if (row >= K || (fill == CUSPARSE_FILL_MODE_LOWER ? column > row : column < row))
    return T(0);
  return op == operations[2] ? conjugate(a[row * K + column]) : a[row * K + column];
}

// Descriptors of the first K rows, which are square, as CSR and as COO.
template <typename T> struct Square {
  Sparse<T, int> of;
  cusparseSpMatDescr_t made;
  Square(int format, int base, const std::vector<T> &given, int fill, int unit) : of(format, base, given) {
    int64_t count = std::count_if(given.begin(), given.begin() + K * K, [](T x) { return x != T(0); });
    auto from = base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO;
    if (format == CUSPARSE_FORMAT_CSR)
      OK(cusparseCreateCsr(&made, K, K, count, of.first.device, of.second.device, of.at.device, CUSPARSE_INDEX_32I,
                           CUSPARSE_INDEX_32I, from, type_of<T>));
    else
      OK(cusparseCreateCoo(&made, K, K, count, of.first.device, of.second.device, of.at.device, CUSPARSE_INDEX_32I,
                           from, type_of<T>));
    OK(cusparseSpMatSetAttribute(made, CUSPARSE_SPMAT_FILL_MODE, &fill, sizeof fill));
    OK(cusparseSpMatSetAttribute(made, CUSPARSE_SPMAT_DIAG_TYPE, &unit, sizeof unit));
    int read = -1;
    OK(cusparseSpMatGetAttribute(made, CUSPARSE_SPMAT_DIAG_TYPE, &read, sizeof read));
    EXPECT(read == unit);
  }
  ~Square() { OK(cusparseDestroySpMat(made)); }
};

template <typename T> static void solves() {
  OK(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST));
  for (int format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_COO})
    for (auto op : operations)
      for (int variant = 0; variant < 8; variant++) {
        int fill = variant & 1, unit = variant >> 1 & 1, base = variant >> 2;
        std::vector<T> dense = triangular<T>();
        Square<T> a(format, base, dense, fill, unit);
        Numbers<T> solution(K), right(K), result(K);
        T alpha = T((Real<T>)0.5);
        for (int i = 0; i < K; i++) {
          right[i] = 0;
          for (int j = 0; j < K; j++)
            right[i] += chosen(dense, op, fill, unit, i, j) * solution[j] / alpha;
        }
        right.upload();
        cusparseDnVecDescr_t of_right, of_result;
        OK(cusparseCreateDnVec(&of_right, K, right.device, type_of<T>));
        OK(cusparseCreateDnVec(&of_result, K, result.device, type_of<T>));
        cusparseSpSVDescr_t solver;
        size_t room;
        OK(cusparseSpSV_createDescr(&solver));
        OK(cusparseSpSV_bufferSize(handle, op, &alpha, a.made, of_right, of_result, type_of<T>,
                                   CUSPARSE_SPSV_ALG_DEFAULT, solver, &room));
        EXPECT(cusparseSpSV_solve(handle, op, &alpha, a.made, of_right, of_result, type_of<T>,
                                  CUSPARSE_SPSV_ALG_DEFAULT, solver) == CUSPARSE_STATUS_INVALID_VALUE);
        OK(cusparseSpSV_analysis(handle, op, &alpha, a.made, of_right, of_result, type_of<T>, CUSPARSE_SPSV_ALG_DEFAULT,
                                 solver, nullptr));
        OK(cusparseSpSV_solve(handle, op, &alpha, a.made, of_right, of_result, type_of<T>, CUSPARSE_SPSV_ALG_DEFAULT,
                              solver));
        EXPECT(equals(result, copy_of(solution), 100));
        OK(cusparseSpSV_destroyDescr(solver));
        OK(cusparseDestroyDnVec(of_right));
        OK(cusparseDestroyDnVec(of_result));
      }
}

template <typename T> static void solves_of_matrices() {
  for (auto op_a : operations)
    for (int orders = 0; orders < 8; orders++) {
      cusparseOperation_t op_b = operations[orders >> 2];
      std::vector<T> dense = triangular<T>();
      Square<T> a(CUSPARSE_FORMAT_CSR, 0, dense, CUSPARSE_FILL_MODE_UPPER, CUSPARSE_DIAG_TYPE_NON_UNIT);
      Dense<T> b(op_b ? N : K, op_b ? K : N, orders & 1, 1), c(K, N, orders & 2, 1);
      std::vector<T> expected = copy_of(c.at);
      for (int i = 0; i < K; i++)
        for (int j = 0; j < N; j++) {
          T sum = 0;
          for (int k = 0; k < K; k++)
            sum += chosen(dense, op_a, CUSPARSE_FILL_MODE_UPPER, 0, i, k) * expected[c.index(0, k, j)];
          b.at[op_b ? b.index(0, j, i) : b.index(0, i, j)] = sum;
        }
      b.at.upload();
      for (int i = 0; i < K; i++)
        for (int j = 0; j < N; j++)
          c.at[c.index(0, i, j)] = 0;
      c.at.upload();
      T alpha = 1;
      cusparseSpSMDescr_t solver;
      size_t room;
      OK(cusparseSpSM_createDescr(&solver));
      OK(cusparseSpSM_bufferSize(handle, op_a, op_b, &alpha, a.made, b.made, c.made, type_of<T>,
                                 CUSPARSE_SPSM_ALG_DEFAULT, solver, &room));
      OK(cusparseSpSM_analysis(handle, op_a, op_b, &alpha, a.made, b.made, c.made, type_of<T>,
                               CUSPARSE_SPSM_ALG_DEFAULT, solver, nullptr));
      OK(cusparseSpSM_solve(handle, op_a, op_b, &alpha, a.made, b.made, c.made, type_of<T>, CUSPARSE_SPSM_ALG_DEFAULT,
                            solver));
      EXPECT(equals(c.at, expected, 100));
      OK(cusparseSpSM_destroyDescr(solver));
    }
}

template <typename T> static void sampled() {
  enum { L = 4 };
  for (int format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_COO})
    for (int variant = 0; variant < 4; variant++) {
      auto op_a = operations[variant & 1], op_b = operations[variant >> 1];
      Sparse<T, int> c(format, 1);
      Dense<T> a(op_a ? L : M, op_a ? M : L, variant & 1, 1), b(op_b ? K : L, op_b ? L : K, variant & 2, 1);
      T alpha = number<T>(), beta = number<T>();
      std::vector<T> expected;
      for (int i = 0; i < M; i++)
        for (int j = 0; j < K; j++) {
          if (c.dense[i * K + j] == T(0))
            continue;
          T sum = 0;
          for (int l = 0; l < L; l++)
            sum += a.at[op_a ? a.index(0, l, i) : a.index(0, i, l)] * b.at[op_b ? b.index(0, j, l) : b.index(0, l, j)];
          expected.push_back(alpha * sum + beta * c.dense[i * K + j]);
        }
      size_t room;
      OK(cusparseSDDMM_bufferSize(handle, op_a, op_b, &alpha, a.made, b.made, &beta, c.made, type_of<T>,
                                  CUSPARSE_SDDMM_ALG_DEFAULT, &room));
      OK(cusparseSDDMM(handle, op_a, op_b, &alpha, a.made, b.made, &beta, c.made, type_of<T>,
                       CUSPARSE_SDDMM_ALG_DEFAULT, nullptr));
      CU(cudaDeviceSynchronize());
      c.at.download();
      for (size_t i = 0; i < expected.size(); i++)
        EXPECT(is_near(c.at[i], expected[i]));
    }
}

// The bytes of a sparse matrix that cuSPARSE made are those of one that the host made.
template <typename T> static bool is_same(Sparse<T, int> &a, Array<int> &first, Array<int> &second, Array<T> &at) {
  CU(cudaDeviceSynchronize());
  first.download(), second.download(), at.download();
  bool same = std::equal(first.host, first.host + first.count, a.first.host) &&
              std::equal(second.host, second.host + second.count, a.second.host);
  for (size_t i = 0; same && i < at.count; i++)
    same = is_near(at[i], a.at[i]);
  return same;
}

template <typename T> static void to_sparse() {
  for (int format : {CUSPARSE_FORMAT_CSR, CUSPARSE_FORMAT_CSC, CUSPARSE_FORMAT_COO})
    for (int by_rows = 0; by_rows < 2; by_rows++) {
      Sparse<T, int> a(format, by_rows);
      Dense<T> from(M, K, by_rows, 1);
      for (int i = 0; i < M; i++)
        for (int j = 0; j < K; j++)
          from.at[from.index(0, i, j)] = a.dense[i * K + j];
      from.at.upload();
      Array<int> first(a.first.count), second(a.second.count);
      Array<T> at(a.at.count);
      cusparseSpMatDescr_t made;
      auto base = by_rows ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO;
      auto width = CUSPARSE_INDEX_32I;
      if (format == CUSPARSE_FORMAT_COO)
        OK(cusparseCreateCoo(&made, M, K, 0, nullptr, nullptr, nullptr, width, base, type_of<T>));
      else
        OK((format == CUSPARSE_FORMAT_CSR ? cusparseCreateCsr : cusparseCreateCsc)(
            &made, M, K, 0, first.device, nullptr, nullptr, width, width, base, type_of<T>));
      auto algorithm = CUSPARSE_DENSETOSPARSE_ALG_DEFAULT;
      size_t room;
      int64_t rows, columns, count = 0;
      OK(cusparseDenseToSparse_bufferSize(handle, from.made, made, algorithm, &room));
      OK(cusparseDenseToSparse_analysis(handle, from.made, made, algorithm, nullptr));
      OK(cusparseSpMatGetSize(made, &rows, &columns, &count));
      EXPECT(rows == M && columns == K && count == (int64_t)at.count);
      auto set = format == CUSPARSE_FORMAT_CSR   ? cusparseCsrSetPointers
                 : format == CUSPARSE_FORMAT_CSC ? cusparseCscSetPointers
                                                 : cusparseCooSetPointers;
      OK(set(made, first.device, second.device, at.device));
      OK(cusparseDenseToSparse_convert(handle, from.made, made, algorithm, nullptr));
      EXPECT(is_same(a, first, second, at));
      OK(cusparseDestroySpMat(made));
    }
}

template <typename T> static void products() {
  // A is M x K; its first K rows are B, K x K.
  Sparse<T, int> a(CUSPARSE_FORMAT_CSR, 1);
  Square<T> b(CUSPARSE_FORMAT_CSR, 0, triangular<T>(), 0, 0);
  std::vector<T> expected(M * K);
  for (int i = 0; i < M; i++)
    for (int j = 0; j < K; j++)
      for (int k = 0; k < K; k++)
        expected[i * K + j] += a.dense[i * K + k] * b.of.dense[k * K + j];
  Sparse<T, int> made_by_host(CUSPARSE_FORMAT_CSR, 0, expected);
  Array<int> first(M + 1), second(made_by_host.at.count);
  Array<T> at(made_by_host.at.count);
  cusparseSpMatDescr_t c;
  OK(cusparseCreateCsr(&c, M, K, 0, first.device, nullptr, nullptr, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I,
                       CUSPARSE_INDEX_BASE_ZERO, type_of<T>));
  cusparseSpGEMMDescr_t descriptor;
  OK(cusparseSpGEMM_createDescr(&descriptor));
  T alpha = 1, beta = 0;
  auto op = operations[0];
  auto algorithm = CUSPARSE_SPGEMM_DEFAULT;
  size_t sizes[2];
  for (int again = 0; again < 2; again++) {
    Array<char> room(again ? sizes[0] : 1);
    OK(cusparseSpGEMM_workEstimation(handle, op, op, &alpha, a.made, b.made, &beta, c, type_of<T>, algorithm,
                                     descriptor, sizes, again ? room.device : nullptr));
  }
  for (int again = 0; again < 2; again++) {
    Array<char> room(again ? sizes[1] : 1);
    OK(cusparseSpGEMM_compute(handle, op, op, &alpha, a.made, b.made, &beta, c, type_of<T>, algorithm, descriptor,
                              sizes + 1, again ? room.device : nullptr));
  }
  int64_t rows, columns, count;
  OK(cusparseSpMatGetSize(c, &rows, &columns, &count));
  EXPECT(rows == M && columns == K && count == (int64_t)at.count);
  OK(cusparseCsrSetPointers(c, first.device, second.device, at.device));
  OK(cusparseSpGEMM_copy(handle, op, op, &alpha, a.made, b.made, &beta, c, type_of<T>, algorithm, descriptor));
  EXPECT(is_same(made_by_host, first, second, at));
  OK(cusparseSpGEMM_destroyDescr(descriptor));
  OK(cusparseDestroySpMat(c));
}

template <typename T> static void vectors() {
  enum { SIZE = 9, COUNT = 4 };
  const int places[COUNT] = {7, 0, 3, 8};
  for (int variant = 0; variant < 4; variant++) {
    bool is_device = variant & 1;
    int base = variant >> 1;
    Array<int64_t> indices(COUNT);
    Numbers<T> x(COUNT), y(SIZE);
    for (int i = 0; i < COUNT; i++)
      indices[i] = places[i] + base;
    indices.upload();
    cusparseSpVecDescr_t of_x;
    cusparseDnVecDescr_t of_y;
    OK(cusparseCreateSpVec(&of_x, SIZE, COUNT, indices.device, x.device, CUSPARSE_INDEX_64I,
                           base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO, type_of<T>));
    OK(cusparseCreateDnVec(&of_y, SIZE, y.device, type_of<T>));
    OK(cusparseSetPointerMode(handle, is_device ? CUSPARSE_POINTER_MODE_DEVICE : CUSPARSE_POINTER_MODE_HOST));
    Factor<T> alpha(number<T>()), beta(number<T>());
    std::vector<T> of_host = copy_of(y), sparse = copy_of(x);
    for (T &e : of_host)
      e *= beta.at[0];
    for (int i = 0; i < COUNT; i++)
      of_host[places[i]] += alpha.at[0] * x[i];
    OK(cusparseAxpby(handle, alpha.get(is_device), of_x, beta.get(is_device), of_y));
    EXPECT(equals(y, of_host));
    Array<T> result(1);
    size_t room;
    T sum = 0;
    for (int i = 0; i < COUNT; i++)
      sum += conjugate(x[i]) * of_host[places[i]];
    void *to = is_device ? result.device : result.host;
    OK(cusparseSpVV_bufferSize(handle, operations[2], of_x, of_y, to, type_of<T>, &room));
    OK(cusparseSpVV(handle, operations[2], of_x, of_y, to, type_of<T>, nullptr));
    if (is_device)
      CU(cudaDeviceSynchronize()), result.download();
    EXPECT(is_near(result[0], sum));
    for (int i = 0; i < COUNT; i++) {
      T before = sparse[i];
      sparse[i] = alpha.at[0] * before + beta.at[0] * of_host[places[i]];
      of_host[places[i]] = alpha.at[0] * of_host[places[i]] - beta.at[0] * before;
    }
    OK(cusparseRot(handle, alpha.get(is_device), beta.get(is_device), of_x, of_y));
    EXPECT(equals(y, of_host) && equals(x, sparse));
    OK(cusparseGather(handle, of_y, of_x));
    for (int i = 0; i < COUNT; i++)
      sparse[i] = of_host[places[i]];
    EXPECT(equals(x, sparse));
    Numbers<T> other(SIZE);
    std::vector<T> scattered = copy_of(other);
    OK(cusparseDnVecSetValues(of_y, other.device));
    OK(cusparseScatter(handle, of_x, of_y));
    for (int i = 0; i < COUNT; i++)
      scattered[places[i]] = sparse[i];
    EXPECT(equals(other, scattered));
    OK(cusparseDestroySpVec(of_x));
    OK(cusparseDestroyDnVec(of_y));
  }
}

template <typename T> static void transposes() {
  for (int base = 0; base < 2; base++) {
    std::vector<T> dense = Sparse<T, int>::some();
    Sparse<T, int> rows(CUSPARSE_FORMAT_CSR, base, dense), columns(CUSPARSE_FORMAT_CSC, base, dense);
    Array<int> first(K + 1), second(rows.at.count);
    Array<T> at(rows.at.count);
    auto from = base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO;
    int count = (int)rows.at.count;
    size_t room;
    OK(cusparseCsr2cscEx2_bufferSize(handle, M, K, count, rows.at.device, rows.first.device, rows.second.device,
                                     at.device, first.device, second.device, type_of<T>, CUSPARSE_ACTION_NUMERIC, from,
                                     CUSPARSE_CSR2CSC_ALG_DEFAULT, &room));
    OK(cusparseCsr2cscEx2(handle, M, K, count, rows.at.device, rows.first.device, rows.second.device, at.device,
                          first.device, second.device, type_of<T>, CUSPARSE_ACTION_NUMERIC, from,
                          CUSPARSE_CSR2CSC_ALG_DEFAULT, nullptr));
    EXPECT(is_same(columns, first, second, at));
  }
}

static bool is_range(Array<int> &a, std::initializer_list<int> expected) {
  CU(cudaDeviceSynchronize());
  a.download();
  return std::equal(a.host, a.host + a.count, expected.begin());
}
static void set(Array<int> &a, std::initializer_list<int> to) {
  std::copy(to.begin(), to.end(), a.host);
  a.upload();
}

static void index_arrays() {
  cusparseMatDescr_t general;
  OK(cusparseCreateMatDescr(&general));
  OK(cusparseSetMatIndexBase(general, CUSPARSE_INDEX_BASE_ONE));
  EXPECT(cusparseGetMatIndexBase(general) == CUSPARSE_INDEX_BASE_ONE);
  Array<int> offsets(5), rows(6), columns(6), order(6);
  set(offsets, {1, 3, 3, 4, 7});
  OK(cusparseXcsr2coo(handle, offsets.device, 6, 4, rows.device, CUSPARSE_INDEX_BASE_ONE));
  EXPECT(is_range(rows, {1, 1, 3, 4, 4, 4}));
  set(offsets, {0, 0, 0, 0, 0});
  OK(cusparseXcoo2csr(handle, rows.device, 6, 4, offsets.device, CUSPARSE_INDEX_BASE_ONE));
  EXPECT(is_range(offsets, {1, 3, 3, 4, 7}));
  OK(cusparseCreateIdentityPermutation(handle, 6, order.device));
  EXPECT(is_range(order, {0, 1, 2, 3, 4, 5}));
  set(columns, {5, 2, 1, 4, 1, 3});
  OK(cusparseXcsrsort(handle, 4, 5, 6, general, offsets.device, columns.device, order.device, nullptr));
  EXPECT(is_range(columns, {2, 5, 1, 1, 3, 4}) && is_range(order, {1, 0, 2, 4, 5, 3}));
  set(rows, {2, 0, 1, 2, 0, 1}), set(columns, {1, 1, 0, 0, 2, 0});
  OK(cusparseCreateIdentityPermutation(handle, 6, order.device));
  OK(cusparseXcoosortByRow(handle, 3, 3, 6, rows.device, columns.device, order.device, nullptr));
  EXPECT(is_range(rows, {0, 0, 1, 1, 2, 2}) && is_range(columns, {1, 2, 0, 0, 0, 1}));
  EXPECT(is_range(order, {1, 4, 2, 5, 3, 0}));
  OK(cusparseXcoosortByColumn(handle, 3, 3, 6, rows.device, columns.device, order.device, nullptr));
  EXPECT(is_range(rows, {1, 1, 2, 0, 2, 0}) && is_range(columns, {0, 0, 0, 1, 1, 2}));
  Numbers<float> dense(4 * 3);
  for (size_t i = 0; i < dense.count; i++)
    dense[i] = i % 3 == 0 ? 0 : 1;
  dense.upload();
  Array<int> each(3);
  int all = 0;
  OK(cusparseSetPointerMode(handle, CUSPARSE_POINTER_MODE_HOST));
  OK(cusparseSnnz(handle, CUSPARSE_DIRECTION_COLUMN, 3, 3, general, dense.device, 4, each.device, &all));
  EXPECT(all == 6 && is_range(each, {2, 2, 2}));
  OK(cusparseDestroyMatDescr(general));
}

TYPES_CASE(spsv, solves<float>(), solves<Double>())
TYPES_CASE(spsm, solves_of_matrices<double>(), solves_of_matrices<Single>())
TYPES_CASE(sddmm, sampled<float>(), sampled<Double>())
TYPES_CASE(dense_to_sparse, to_sparse<float>(), to_sparse<Double>())
TYPES_CASE(spgemm, products<double>(), products<Single>())
TYPES_CASE(sparse_vectors, vectors<float>(), vectors<Double>())
TYPES_CASE(csr2csc, transposes<double>(), transposes<Single>())
TYPES_CASE(indices, index_arrays())
