/* blas_gemm_ex.c: cuBLAS's products of matrices with types as arguments, and those of half precision. */
#include "cpu/libraries/gemm.h"

enum { COMPUTE_16F = 64, COMPUTE_32F = 68 };

static int is_valid(const struct cs_gemm *gemm, int64_t m, int64_t n, int64_t k) {
  const struct cs_gemm_matrix *a = &gemm->a, *b = &gemm->b;
  int is_sized = m >= 0 && n >= 0 && k >= 0 && gemm->batch >= 0;
  int is_known = a->op >= 0 && a->op <= 2 && b->op >= 0 && b->op <= 2;
  return is_sized && is_known && a->distance >= 1 && a->distance >= (a->op ? k : m) && b->distance >= 1 &&
         b->distance >= (b->op ? n : k) && gemm->c.distance >= 1 && gemm->c.distance >= m;
}

/* Submits a product; its matrices and its batch are set. */
static int multiply(struct cs_blas *blas, const char *call, struct cs_gemm *gemm, int64_t m, int64_t n, int64_t k,
                    const void *alpha, const void *beta, int compute) {
  if (!blas)
    return cs_blas_no_handle(call);
  if (!alpha || !beta || !is_valid(gemm, m, n, k))
    return CS_BLAS_INVALID_VALUE;
  if (!cs_blas_fits(call, m) || !cs_blas_fits(call, n) || !cs_blas_fits(call, k))
    return CS_BLAS_NOT_SUPPORTED;
  gemm->m = (int)m;
  gemm->n = (int)n;
  gemm->k = (int)k;
  int status = cs_gemm_choose(gemm, call, compute);
  if (status != CS_BLAS_SUCCESS)
    return status;
  gemm->alpha = cs_blas_factor(blas, alpha, cs_number_bytes(gemm->scale));
  gemm->beta = cs_blas_factor(blas, beta, cs_number_bytes(gemm->scale));
  return cs_library_submit(blas->stream, cs_gemm_run, gemm, sizeof *gemm) ? CS_BLAS_EXECUTION_FAILED : CS_BLAS_SUCCESS;
}

/* One matrix, several that are `stride` elements apart, or an array of addresses. */
static struct cs_gemm_matrix strided(const void *at, int type, int op, int64_t distance, int64_t stride) {
  return (struct cs_gemm_matrix){
      .at = cs_library_plain(at), .type = type, .op = op, .distance = distance, .stride = stride};
}
static struct cs_gemm_matrix array(const void *at, int type, int op, int64_t distance) {
  struct cs_gemm_matrix matrix = strided(at, type, op, distance, 0);
  matrix.is_array = 1;
  return matrix;
}

#define MULTIPLY(count, matrix_a, matrix_b, matrix_c, compute)                                                         \
  {                                                                                                                    \
    struct cs_gemm gemm = {.batch = count, .a = matrix_a, .b = matrix_b, .c = matrix_c};                               \
    return multiply(blas, __func__, &gemm, m, n, k, alpha, beta, compute);                                             \
  }

#define EX(name, integer)                                                                                              \
  CS_BLAS_PUBLIC(name, (struct cs_blas * blas, int op_a, int op_b, integer m, integer n, integer k, const void *alpha, \
                        const void *a, int type_a, integer lda, const void *b, int type_b, integer ldb,                \
                        const void *beta, void *c, int type_c, integer ldc, int compute, int algorithm)) {             \
    (void)algorithm;                                                                                                   \
    MULTIPLY(1, strided(a, type_a, op_a, lda, 0), strided(b, type_b, op_b, ldb, 0), strided(c, type_c, 0, ldc, 0),     \
             compute)                                                                                                  \
  }
EX(cublasGemmEx, int)
EX(cublasGemmEx_64, int64_t)

#define STRIDED_EX(name, integer)                                                                                      \
  CS_BLAS_PUBLIC(name, (struct cs_blas * blas, int op_a, int op_b, integer m, integer n, integer k, const void *alpha, \
                        const void *a, int type_a, integer lda, long long stride_a, const void *b, int type_b,         \
                        integer ldb, long long stride_b, const void *beta, void *c, int type_c, integer ldc,           \
                        long long stride_c, integer count, int compute, int algorithm)) {                              \
    (void)algorithm;                                                                                                   \
    MULTIPLY(count, strided(a, type_a, op_a, lda, stride_a), strided(b, type_b, op_b, ldb, stride_b),                  \
             strided(c, type_c, 0, ldc, stride_c), compute)                                                            \
  }
STRIDED_EX(cublasGemmStridedBatchedEx, int)
STRIDED_EX(cublasGemmStridedBatchedEx_64, int64_t)

#define BATCHED_EX(name, integer)                                                                                      \
  CS_BLAS_PUBLIC(name,                                                                                                 \
                 (struct cs_blas * blas, int op_a, int op_b, integer m, integer n, integer k, const void *alpha,       \
                  const void *a, int type_a, integer lda, const void *b, int type_b, integer ldb, const void *beta,    \
                  const void *c, int type_c, integer ldc, integer count, int compute, int algorithm)) {                \
    (void)algorithm;                                                                                                   \
    MULTIPLY(count, array(a, type_a, op_a, lda), array(b, type_b, op_b, ldb), array(c, type_c, 0, ldc), compute)       \
  }
BATCHED_EX(cublasGemmBatchedEx, int)
BATCHED_EX(cublasGemmBatchedEx_64, int64_t)

#define EX_32F(name, integer)                                                                                          \
  CS_BLAS_PUBLIC(name, (struct cs_blas * blas, int op_a, int op_b, integer m, integer n, integer k, const void *alpha, \
                        const void *a, int type_a, integer lda, const void *b, int type_b, integer ldb,                \
                        const void *beta, void *c, int type_c, integer ldc))                                           \
  MULTIPLY(1, strided(a, type_a, op_a, lda, 0), strided(b, type_b, op_b, ldb, 0), strided(c, type_c, 0, ldc, 0),       \
           COMPUTE_32F)
EX_32F(cublasSgemmEx, int)
EX_32F(cublasSgemmEx_64, int64_t)
EX_32F(cublasCgemmEx, int)
EX_32F(cublasCgemmEx_64, int64_t)
EX_32F(cublasCgemm3mEx, int)
EX_32F(cublasCgemm3mEx_64, int64_t)

#define HALF(name, integer)                                                                                            \
  CS_BLAS_PUBLIC(name,                                                                                                 \
                 (struct cs_blas * blas, int op_a, int op_b, integer m, integer n, integer k, const void *alpha,       \
                  const void *a, integer lda, const void *b, integer ldb, const void *beta, void *c, integer ldc))     \
  MULTIPLY(1, strided(a, CS_R_16F, op_a, lda, 0), strided(b, CS_R_16F, op_b, ldb, 0), strided(c, CS_R_16F, 0, ldc, 0), \
           COMPUTE_16F)
HALF(cublasHgemm, int)
HALF(cublasHgemm_64, int64_t)

#define HALF_STRIDED(name, integer)                                                                                    \
  CS_BLAS_PUBLIC(name,                                                                                                 \
                 (struct cs_blas * blas, int op_a, int op_b, integer m, integer n, integer k, const void *alpha,       \
                  const void *a, integer lda, long long stride_a, const void *b, integer ldb, long long stride_b,      \
                  const void *beta, void *c, integer ldc, long long stride_c, integer count))                          \
  MULTIPLY(count, strided(a, CS_R_16F, op_a, lda, stride_a), strided(b, CS_R_16F, op_b, ldb, stride_b),                \
           strided(c, CS_R_16F, 0, ldc, stride_c), COMPUTE_16F)
HALF_STRIDED(cublasHgemmStridedBatched, int)
HALF_STRIDED(cublasHgemmStridedBatched_64, int64_t)

#define HALF_BATCHED(name, integer)                                                                                    \
  CS_BLAS_PUBLIC(name, (struct cs_blas * blas, int op_a, int op_b, integer m, integer n, integer k, const void *alpha, \
                        const void *a, integer lda, const void *b, integer ldb, const void *beta, const void *c,       \
                        integer ldc, integer count))                                                                   \
  MULTIPLY(count, array(a, CS_R_16F, op_a, lda), array(b, CS_R_16F, op_b, ldb), array(c, CS_R_16F, 0, ldc), COMPUTE_16F)
HALF_BATCHED(cublasHgemmBatched, int)
HALF_BATCHED(cublasHgemmBatched_64, int64_t)
