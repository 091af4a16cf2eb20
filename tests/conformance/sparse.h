// sparse.h: shared by the conformance programs of cuSPARSE: sparse matrices in device memory, and the same dense.
#ifndef CUSAFE_TESTS_SPARSE_H
#define CUSAFE_TESTS_SPARSE_H

#include "numbers.h"
#include <cusparse.h>

#define OK(call) EXPECT((call) == CUSPARSE_STATUS_SUCCESS)
template <typename T> constexpr cudaDataType type_of = CUDA_R_32F;
template <> constexpr cudaDataType type_of<double> = CUDA_R_64F;
template <> constexpr cudaDataType type_of<Single> = CUDA_C_32F;
template <> constexpr cudaDataType type_of<Double> = CUDA_C_64F;
static const cusparseOperation_t operations[] = {CUSPARSE_OPERATION_NON_TRANSPOSE, CUSPARSE_OPERATION_TRANSPOSE,
                                                 CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE};

static cusparseHandle_t handle;
enum { M = 7, K = 5, N = 3 };

// A sparse matrix of M x K in device memory, and the same dense, by rows.
template <typename T, typename I> struct Sparse {
  std::vector<T> dense;
  Array<I> first, second;
  Array<T> at;
  cusparseSpMatDescr_t made;
  static std::vector<T> some() {
    std::vector<T> made(M * K);
    for (T &x : made)
      x = random_bits() % 3 == 0 ? number<T>() : T(0);
    made[0] = T(2), made[M * K - 1] = T(3);
    return made;
  }
  static size_t count(const std::vector<T> &dense) {
    size_t nonzeros = 0;
    for (T x : dense)
      nonzeros += x != T(0);
    return nonzeros;
  }
  Sparse(int format, int base, std::vector<T> given = some())
      : dense(given), first(format == CUSPARSE_FORMAT_COO   ? count(given)
                            : format == CUSPARSE_FORMAT_CSR ? M + 1
                                                            : K + 1),
        second(count(given)), at(count(given)) {
    bool by_columns = format == CUSPARSE_FORMAT_CSC;
    size_t n = 0;
    for (int o = 0; o < (by_columns ? K : M); o++) {
      if (format != CUSPARSE_FORMAT_COO)
        first[o] = (I)n + base;
      for (int i = 0; i < (by_columns ? M : K); i++) {
        T x = by_columns ? dense[i * K + o] : dense[o * K + i];
        if (x == T(0))
          continue;
        if (format == CUSPARSE_FORMAT_COO)
          first[n] = o + base;
        second[n] = i + base;
        at[n++] = x;
      }
    }
    if (format != CUSPARSE_FORMAT_COO)
      first[first.count - 1] = (I)n + base;
    first.upload(), second.upload(), at.upload();
    auto width = sizeof(I) == 4 ? CUSPARSE_INDEX_32I : CUSPARSE_INDEX_64I;
    auto from = base ? CUSPARSE_INDEX_BASE_ONE : CUSPARSE_INDEX_BASE_ZERO;
    if (format == CUSPARSE_FORMAT_COO)
      OK(cusparseCreateCoo(&made, M, K, (int64_t)n, first.device, second.device, at.device, width, from, type_of<T>));
    else
      OK((by_columns ? cusparseCreateCsc : cusparseCreateCsr)(&made, M, K, (int64_t)n, first.device, second.device,
                                                              at.device, width, width, from, type_of<T>));
  }
  ~Sparse() { OK(cusparseDestroySpMat(made)); }
  T operated(cusparseOperation_t op, int i, int j) {
    T x = op == CUSPARSE_OPERATION_NON_TRANSPOSE ? dense[i * K + j] : dense[j * K + i];
    return op == CUSPARSE_OPERATION_CONJUGATE_TRANSPOSE ? conjugate(x) : x;
  }
};

// A factor where the handle expects it.
template <typename T> struct Factor {
  Array<T> at{1};
  explicit Factor(T value) {
    at[0] = value;
    at.upload();
  }
  const T *get(bool is_device) { return is_device ? at.device : at.host; }
};

// A batch of two dense matrices with gaps.
template <typename T> struct Dense {
  int rows, columns, distance, stride;
  bool by_rows;
  Numbers<T> at;
  cusparseDnMatDescr_t made;
  Dense(int rows, int columns, bool by_rows, int batches)
      : rows(rows), columns(columns), distance((by_rows ? columns : rows) + 2),
        stride(distance * (by_rows ? rows : columns) + 1), by_rows(by_rows), at((size_t)stride * batches) {
    OK(cusparseCreateDnMat(&made, rows, columns, distance, at.device, type_of<T>,
                           by_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL));
    OK(cusparseDnMatSetStridedBatch(made, batches, stride));
  }
  ~Dense() { OK(cusparseDestroyDnMat(made)); }
  size_t index(int batch, int i, int j) const {
    return (size_t)batch * stride + (by_rows ? i * distance + j : j * distance + i);
  }
};

// A case with a handle.
#define TYPES_CASE(name, ...)                                                                                          \
  CASE(name) {                                                                                                         \
    OK(cusparseCreate(&handle));                                                                                       \
    __VA_ARGS__;                                                                                                       \
    OK(cusparseDestroy(handle));                                                                                       \
  }

#endif
