/* blas_handle.c: cuBLAS's handles and their settings, and its copies of vectors and matrices. */
#include "cpu/libraries/blas.h"
#include <stdlib.h>

CS_BLAS_PUBLIC(cublasCreate_v2, (struct cs_blas * *blas)) {
  static _Atomic(void *) any;
  if (!blas)
    return CS_BLAS_INVALID_VALUE;
  *blas = NULL;
  if (!cs_library_function(CS_ENGINE_OPENBLAS, "sgemm_", &any))
    return cs_blas_refuse(__func__, 0, cs_library_missing(CS_ENGINE_OPENBLAS));
  if (cs_library_start())
    return CS_BLAS_NOT_INITIALIZED;
  *blas = calloc(1, sizeof **blas);
  return *blas ? CS_BLAS_SUCCESS : CS_BLAS_ALLOC_FAILED;
}

/* Work that was submitted has its own copy of all that it needs. */
CS_BLAS_PUBLIC(cublasDestroy_v2, (struct cs_blas * blas)) {
  if (!blas)
    return CS_BLAS_NOT_INITIALIZED;
  free(blas);
  return CS_BLAS_SUCCESS;
}

#define SETTING(set, get, type, field)                                                                                 \
  CS_BLAS_PUBLIC(set, (struct cs_blas * blas, type value)) {                                                           \
    if (!blas)                                                                                                         \
      return CS_BLAS_NOT_INITIALIZED;                                                                                  \
    blas->field = value;                                                                                               \
    return CS_BLAS_SUCCESS;                                                                                            \
  }                                                                                                                    \
  CS_BLAS_PUBLIC(get, (const struct cs_blas *blas, type *value)) {                                                     \
    if (!blas)                                                                                                         \
      return CS_BLAS_NOT_INITIALIZED;                                                                                  \
    if (!value)                                                                                                        \
      return CS_BLAS_INVALID_VALUE;                                                                                    \
    *value = blas->field;                                                                                              \
    return CS_BLAS_SUCCESS;                                                                                            \
  }
SETTING(cublasSetStream_v2, cublasGetStream_v2, CUstream, stream)
SETTING(cublasSetPointerMode_v2, cublasGetPointerMode_v2, int, is_device)
SETTING(cublasSetMathMode, cublasGetMathMode, int, math)
SETTING(cublasSetAtomicsMode, cublasGetAtomicsMode, int, atomics)
SETTING(cublasSetSmCountTarget, cublasGetSmCountTarget, int, multiprocessors)

/* OpenBLAS has its own memory. */
CS_BLAS_PUBLIC(cublasSetWorkspace_v2, (struct cs_blas * blas, void *workspace, size_t bytes)) {
  (void)workspace;
  (void)bytes;
  return blas ? CS_BLAS_SUCCESS : CS_BLAS_NOT_INITIALIZED;
}

/* `columns` times `bytes`, at these distances; libcusafe compares both sides with their buffers. */
static int copy(int64_t columns, int64_t bytes, const void *from, int64_t from_distance, void *to, int64_t to_distance,
                CUmemorytype to_type, int is_async, CUstream stream) {
  if (columns < 0 || bytes <= 0 || from_distance < bytes || to_distance < bytes)
    return CS_BLAS_INVALID_VALUE;
  if (cs_library_start())
    return CS_BLAS_NOT_INITIALIZED;
  CUDA_MEMCPY2D shape = {.WidthInBytes = (size_t)bytes,
                         .Height = (size_t)columns,
                         .srcMemoryType = to_type == CU_MEMORYTYPE_DEVICE ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE,
                         .srcHost = from,
                         .srcDevice = (CUdeviceptr)from,
                         .srcPitch = (size_t)from_distance,
                         .dstMemoryType = to_type,
                         .dstHost = to,
                         .dstDevice = (CUdeviceptr)to,
                         .dstPitch = (size_t)to_distance};
  if (!columns)
    return CS_BLAS_SUCCESS;
  CUresult result = is_async ? cuMemcpy2DAsync(&shape, stream) : cuMemcpy2DUnaligned(&shape);
  return result ? CS_BLAS_MAPPING_ERROR : CS_BLAS_SUCCESS;
}

/* The distance in bytes; 0, which is not valid, for a distance that is not positive. */
static int64_t times(int64_t distance, int64_t bytes) {
  return distance > 0 ? distance * bytes : 0;
}

/* `end` is "_64" for functions with integers of 64 bits. */
#define VECTOR(name, end, integer, to_type)                                                                            \
  CS_BLAS_PUBLIC(name##end, (integer n, integer bytes, const void *x, integer incx, void *y, integer incy)) {          \
    return copy(n, bytes, x, times(incx, bytes), y, times(incy, bytes), to_type, 0, NULL);                             \
  }                                                                                                                    \
  CS_BLAS_PUBLIC(name##Async##end,                                                                                     \
                 (integer n, integer bytes, const void *x, integer incx, void *y, integer incy, CUstream stream)) {    \
    return copy(n, bytes, x, times(incx, bytes), y, times(incy, bytes), to_type, 1, stream);                           \
  }
VECTOR(cublasSetVector, , int, CU_MEMORYTYPE_DEVICE)
VECTOR(cublasGetVector, , int, CU_MEMORYTYPE_HOST)
VECTOR(cublasSetVector, _64, int64_t, CU_MEMORYTYPE_DEVICE)
VECTOR(cublasGetVector, _64, int64_t, CU_MEMORYTYPE_HOST)

#define MATRIX(name, end, integer, to_type)                                                                            \
  CS_BLAS_PUBLIC(name##end,                                                                                            \
                 (integer rows, integer columns, integer bytes, const void *a, integer lda, void *b, integer ldb)) {   \
    return copy(columns, times(rows, bytes), a, times(lda, bytes), b, times(ldb, bytes), to_type, 0, NULL);            \
  }                                                                                                                    \
  CS_BLAS_PUBLIC(name##Async##end, (integer rows, integer columns, integer bytes, const void *a, integer lda, void *b, \
                                    integer ldb, CUstream stream)) {                                                   \
    return copy(columns, times(rows, bytes), a, times(lda, bytes), b, times(ldb, bytes), to_type, 1, stream);          \
  }
MATRIX(cublasSetMatrix, , int, CU_MEMORYTYPE_DEVICE)
MATRIX(cublasGetMatrix, , int, CU_MEMORYTYPE_HOST)
MATRIX(cublasSetMatrix, _64, int64_t, CU_MEMORYTYPE_DEVICE)
MATRIX(cublasGetMatrix, _64, int64_t, CU_MEMORYTYPE_HOST)
