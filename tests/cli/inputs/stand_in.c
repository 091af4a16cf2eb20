/* stand_in.c: functions with names of cuBLAS, cuBLASLt, cuFFT, cuRAND and cuSPARSE that succeed and do nothing, for the
 * tests of calls that CuSafe compares with buffers before it makes them. The libraries themselves run on NVIDIA's
 * driver only. */
#include <stddef.h>
#include <stdint.h>
#include <string.h>

static int mode;
int cublasGetPointerMode_v2(void *handle, int *to) {
  (void)handle;
  *to = mode;
  return 0;
}
int cublasSetPointerMode_v2(void *handle, int to) {
  (void)handle;
  mode = to;
  return 0;
}
#define SUCCEEDS(name)                                                                                                 \
  int name(void) {                                                                                                     \
    return 0;                                                                                                          \
  }
SUCCEEDS(cublasSgemm_v2)
SUCCEEDS(cublasZgemm_v2_64)
SUCCEEDS(cublasGemmEx)
SUCCEEDS(cublasSgemmStridedBatched)
SUCCEEDS(cublasGemmStridedBatchedEx)
SUCCEEDS(cublasDgemv_v2)
SUCCEEDS(cublasSaxpy_v2)
SUCCEEDS(cublasSdot_v2)
SUCCEEDS(cublasAxpyEx)
SUCCEEDS(cublasScalEx)
SUCCEEDS(cublasDotEx)
SUCCEEDS(cublasNrm2Ex)
SUCCEEDS(cublasDscal_v2)
SUCCEEDS(cublasScopy_v2)
SUCCEEDS(cublasSnrm2_v2)
SUCCEEDS(cublasSgemmStridedBatched_64)
SUCCEEDS(cublasHgemm)
SUCCEEDS(cublasSgemmBatched)
SUCCEEDS(cublasGemmBatchedEx)
SUCCEEDS(cublasZdotc_v2)
SUCCEEDS(cublasDznrm2_v2_64)
SUCCEEDS(cublasCsscal_v2)
SUCCEEDS(cublasSrot_v2)
SUCCEEDS(cublasSger_v2)
SUCCEEDS(cublasSsymv_v2)
SUCCEEDS(cublasDsyr_v2)
SUCCEEDS(cublasStrsv_v2)
SUCCEEDS(cublasDsymm_v2)
SUCCEEDS(cublasSsyrk_v2)
SUCCEEDS(cublasZherk_v2)
SUCCEEDS(cublasSsyr2k_v2)
SUCCEEDS(cublasStrmm_v2)
SUCCEEDS(cublasDtrsm_v2_64)
SUCCEEDS(cublasSgeam)
SUCCEEDS(cublasSdgmm)
SUCCEEDS(cublasSswap_v2)
SUCCEEDS(cublasSsyr2_v2)
SUCCEEDS(cublasChemm_v2)
SUCCEEDS(cublasChemv_v2)
SUCCEEDS(cublasLtMatmul)
SUCCEEDS(cusparseSpMV)
SUCCEEDS(cusparseSpMM)
SUCCEEDS(curandGenerateUniform)
SUCCEEDS(curandGenerateNormalDouble)
SUCCEEDS(curandGeneratePoisson)
SUCCEEDS(cufftExecC2C)
SUCCEEDS(cufftExecR2C)
SUCCEEDS(cufftExecC2R)
SUCCEEDS(cufftXtSetCallback)
SUCCEEDS(cufftXtSetJITCallback)
SUCCEEDS(cufftMakePlan1d)
SUCCEEDS(cufftMakePlan2d)
SUCCEEDS(cufftMakePlan3d)
SUCCEEDS(cufftMakePlanMany)

static int plans;
int cufftCreate(int *plan) {
  *plan = ++plans;
  return 0;
}
int cufftPlan1d(int *plan) {
  *plan = ++plans;
  return 0;
}
int cufftPlan2d(int *plan) {
  *plan = ++plans;
  return 0;
}
int cufftPlan3d(int *plan) {
  *plan = ++plans;
  return 0;
}
int cufftPlanMany(int *plan) {
  *plan = ++plans;
  return 0;
}

static void *stream;
int cublasGetStream_v2(void *handle, void **to) {
  (void)handle;
  *to = stream;
  return 0;
}
int cublasSetStream_v2(void *handle, void *to) {
  (void)handle;
  stream = to;
  return 0;
}

/* The descriptors are the program's: an array of attributes, by number. */
static int read_attribute(const int64_t *descriptor, int attribute, void *to, size_t bytes) {
  memcpy(to, &descriptor[attribute], bytes);
  return 0;
}
int cublasLtMatrixLayoutGetAttribute(const int64_t *descriptor, int attribute, void *to, size_t bytes,
                                     size_t *written) {
  *written = bytes;
  return read_attribute(descriptor, attribute, to, bytes);
}
int cublasLtMatmulDescGetAttribute(const int64_t *descriptor, int attribute, void *to, size_t bytes, size_t *written) {
  *written = bytes;
  return read_attribute(descriptor, attribute, to, bytes);
}

/* cuSPARSE: the arguments of the call that would have made the descriptor. */
struct sparse {
  int format;
  int64_t rows, columns, nonzeros;
  void *first, *second, *values;
  int first_type, second_type, base, type;
};
int cusparseGetPointerMode(void *handle, int *to) {
  (void)handle;
  *to = mode;
  return 0;
}
int cusparseSpMatGetFormat(const struct sparse *s, int *to) {
  *to = s->format;
  return 0;
}
#define COMPRESSED(name)                                                                                               \
  int name(const struct sparse *s, int64_t *rows, int64_t *columns, int64_t *nonzeros, void **first, void **second,    \
           void **values, int *first_type, int *second_type, int *base, int *type) {                                   \
    *rows = s->rows, *columns = s->columns, *nonzeros = s->nonzeros;                                                   \
    *first = s->first, *second = s->second, *values = s->values;                                                       \
    *first_type = s->first_type, *second_type = s->second_type, *base = s->base, *type = s->type;                      \
    return 0;                                                                                                          \
  }
COMPRESSED(cusparseConstCsrGet)
COMPRESSED(cusparseConstCscGet)
/* As in releases before 12: without a call for constant operands. */
int cusparseCooGet(const struct sparse *s, int64_t *rows, int64_t *columns, int64_t *nonzeros, void **first,
                   void **second, void **values, int *index_type, int *base, int *type) {
  int second_type;
  return cusparseConstCsrGet(s, rows, columns, nonzeros, first, second, values, index_type, &second_type, base, type);
}
struct dense {
  int64_t rows, columns, distance;
  void *values;
  int type, order, count;
  int64_t stride;
};
int cusparseConstDnVecGet(const struct dense *d, int64_t *size, void **values, int *type) {
  *size = d->rows, *values = d->values, *type = d->type;
  return 0;
}
int cusparseConstDnMatGet(const struct dense *d, int64_t *rows, int64_t *columns, int64_t *distance, void **values,
                          int *type, int *order) {
  *rows = d->rows, *columns = d->columns, *distance = d->distance;
  *values = d->values, *type = d->type, *order = d->order;
  return 0;
}
int cusparseDnMatGetStridedBatch(const struct dense *d, int *count, int64_t *stride) {
  *count = d->count, *stride = d->stride;
  return 0;
}
