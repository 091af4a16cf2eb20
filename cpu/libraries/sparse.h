/* sparse.h: cuSPARSE's handles and descriptors. */
#ifndef CUSAFE_CPU_LIBRARIES_SPARSE_H
#define CUSAFE_CPU_LIBRARIES_SPARSE_H

#include <cuda.h>
#include <stdint.h>

/* cusparseStatus_t, with the values of cusparse.h. */
enum {
  CS_SPARSE_SUCCESS = 0,
  CS_SPARSE_NOT_INITIALIZED = 1,
  CS_SPARSE_ALLOC_FAILED = 2,
  CS_SPARSE_INVALID_VALUE = 3,
  CS_SPARSE_EXECUTION_FAILED = 6,
  CS_SPARSE_NOT_SUPPORTED = 10
};
/* cusparseFormat_t, cusparseIndexType_t and cusparseOrder_t. */
enum { CS_SPARSE_CSR = 1, CS_SPARSE_CSC = 2, CS_SPARSE_COO = 3 };
enum { CS_SPARSE_32 = 2, CS_SPARSE_64 = 3 };
enum { CS_SPARSE_BY_COLUMNS = 1, CS_SPARSE_BY_ROWS = 2 };
/* cusparseFillMode_t and cusparseDiagType_t. */
enum { CS_SPARSE_LOWER = 0, CS_SPARSE_UPPER = 1 };
enum { CS_SPARSE_NON_UNIT = 0, CS_SPARSE_UNIT = 1 };

/* A cusparseHandle_t. */
struct cs_sparse {
  CUstream stream;
  int is_device; /* factors are in device memory */
};

/* A cusparseSpMatDescr_t: `first` are offsets, or for COO the rows; `second` the other indices, or for COO the
 * columns. */
struct cs_sparse_matrix {
  int format, first_type, second_type, base, type;
  int64_t rows, columns, nonzeros;
  void *first, *second, *values;
  int fill, diagonal; /* of a triangular solve */
};
/* A cusparseDnVecDescr_t, and a cusparseDnMatDescr_t. */
struct cs_sparse_vector {
  int64_t size;
  void *values;
  int type;
};
struct cs_sparse_dense {
  int64_t rows, columns, distance, stride;
  void *values;
  int type, order, count;
};
/* A cusparseSpVecDescr_t. */
struct cs_sparse_entries {
  int64_t size, nonzeros;
  void *indices, *values;
  int index_type, base, type;
};

/* Declares and starts the definition of a public function. */
#define CS_SPARSE_PUBLIC(name, parameters)                                                                             \
  int name parameters;                                                                                                 \
  int name parameters

#endif
