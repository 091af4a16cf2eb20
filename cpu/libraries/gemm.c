/* gemm.c: converts matrices, multiplies them with OpenBLAS, and stores the results in their type. */
#include "cpu/libraries/gemm.h"
#include <stdlib.h>

static void *allocate(size_t count, int type) {
  return cs_library_allocate(count * cs_number_bytes(type));
}

static void *matrix_at(const struct cs_gemm_matrix *matrix, int64_t batch) {
  if (matrix->is_array)
    return cs_library_plain(((void *const *)matrix->at)[batch]);
  return (char *)matrix->at + batch * matrix->stride * (int64_t)cs_number_bytes(matrix->type);
}

static size_t index_of(const struct cs_gemm_matrix *matrix, int64_t i, int64_t j) {
  return (size_t)(matrix->op ? i * matrix->distance + j : j * matrix->distance + i);
}

/* A copy in the work's type, by columns without gaps. */
static void *pack(const struct cs_gemm_matrix *matrix, int64_t batch, int64_t rows, int64_t columns, int work) {
  void *to = allocate((size_t)(rows * columns), work);
  const void *from = matrix_at(matrix, batch);
  for (int64_t j = 0; j < columns; j++)
    for (int64_t i = 0; i < rows; i++) {
      double complex number = cs_number_load(matrix->type, from, index_of(matrix, i, j));
      cs_number_store(work, to, (size_t)(j * rows + i), matrix->op == 2 ? conj(number) : number);
    }
  return to;
}

static int is_stored(const struct cs_gemm *gemm, int64_t i, int64_t j) {
  return gemm->part == CS_GEMM_ALL || (gemm->part == CS_GEMM_LOWER ? i >= j : i <= j);
}

static void store(const struct cs_gemm *gemm, int64_t batch, const void *from) {
  void *to = matrix_at(&gemm->c, batch);
  for (int64_t j = 0; j < gemm->n; j++)
    for (int64_t i = 0; i < gemm->m; i++) {
      if (!is_stored(gemm, i, j))
        continue;
      double complex number = cs_number_load(gemm->work, from, (size_t)(j * gemm->m + i));
      if (gemm->is_hermitian && i == j)
        number = creal(number);
      cs_number_store(gemm->c.type, to, index_of(&gemm->c, i, j), number);
    }
}

static void multiply(const struct cs_gemm *gemm, const void *alpha, const void *a, const void *b, const void *beta,
                     void *c) {
  typedef void routine(const char *, const char *, const int *, const int *, const int *, const void *, const void *,
                       const int *, const void *, const int *, const void *, void *, const int *, size_t, size_t);
  int lda = gemm->m > 0 ? gemm->m : 1, ldb = gemm->k > 0 ? gemm->k : 1;
  ((routine *)gemm->function)("N", "N", &gemm->m, &gemm->n, &gemm->k, alpha, a, &lda, b, &ldb, beta, c, &lda, 1, 1);
}

/* If alpha is 0, a and b are not read, and their NaNs do not count. */
static void run_one(const struct cs_gemm *gemm, int64_t batch, double complex alpha, double complex beta) {
  double complex factors[2]; /* alpha and beta in the work's type */
  cs_number_store(gemm->work, &factors[0], 0, alpha);
  cs_number_store(gemm->work, &factors[1], 0, beta);
  int is_read = alpha != 0;
  void *a = is_read ? pack(&gemm->a, batch, gemm->m, gemm->k, gemm->work) : NULL;
  void *b = is_read ? pack(&gemm->b, batch, gemm->k, gemm->n, gemm->work) : NULL;
  void *c = beta != 0 ? pack(&gemm->c, batch, gemm->m, gemm->n, gemm->work)
                      : allocate((size_t)gemm->m * (size_t)gemm->n, gemm->work);
  multiply(gemm, &factors[0], a, b, &factors[1], c);
  store(gemm, batch, c);
  free(a);
  free(b);
  free(c);
}

void cs_gemm_run(void *arguments) {
  const struct cs_gemm *gemm = arguments;
  if (!gemm->m || !gemm->n)
    return;
  double complex alpha = cs_number_load(gemm->scale, cs_blas_value(&gemm->alpha), 0);
  double complex beta = cs_number_load(gemm->scale_c, cs_blas_value(&gemm->beta), 0);
  for (int64_t batch = 0; batch < gemm->batch; batch++)
    run_one(gemm, batch, alpha, beta);
}

/* cublasComputeType_t, with the values of cublas_api.h. */
enum {
  COMPUTE_16F = 64,
  COMPUTE_32F = 68,
  COMPUTE_64F = 70,
  COMPUTE_32I = 72,
  COMPUTE_32F_FAST_16F = 74,
  COMPUTE_LAST = 79
};

static int is_combined(int compute, int a, int c) {
  switch (compute) {
  case COMPUTE_16F:
    return a == CS_R_16F && c == CS_R_16F;
  case COMPUTE_64F:
    return (a == CS_R_64F || a == CS_C_64F) && a == c;
  case COMPUTE_32I:
    return a == CS_R_8I && c == CS_R_32I;
  default:
    if (a == CS_R_16F || a == CS_R_16BF)
      return c == a || c == CS_R_32F;
    return (a == CS_R_8I && c == CS_R_32F) || ((a == CS_R_32F || a == CS_C_32F) && a == c);
  }
}

/* Pedantic variants, and those that may round more on a GPU, compute the same here. */
static int basic_compute(int compute) {
  if (compute < COMPUTE_16F || compute > COMPUTE_LAST)
    return -1;
  return compute >= COMPUTE_32F_FAST_16F || compute / 2 * 2 == COMPUTE_32F ? COMPUTE_32F : compute / 2 * 2;
}

int cs_gemm_choose(struct cs_gemm *gemm, const char *call, int compute) {
  static const char *const names[] = {"sgemm_", "dgemm_", "cgemm_", "zgemm_"};
  static const int work[] = {CS_R_32F, CS_R_64F, CS_C_32F, CS_C_64F};
  int kind = basic_compute(compute), is_complex = cs_number_is_complex(gemm->c.type);
  int is_double = kind == COMPUTE_64F || kind == COMPUTE_32I; /* which has all numbers of 32 bits */
  if (gemm->a.type != gemm->b.type || kind < 0 || !is_combined(kind, gemm->a.type, gemm->c.type))
    return CS_BLAS_NOT_SUPPORTED;
  struct cs_blas_routine routine = {call, names[is_double + 2 * is_complex], NULL};
  gemm->work = work[is_double + 2 * is_complex];
  gemm->scale = kind == COMPUTE_16F ? CS_R_16F : kind == COMPUTE_32I ? CS_R_32I : gemm->work;
  gemm->scale_c = gemm->scale;
  gemm->function = cs_blas_function(&routine);
  return gemm->function ? CS_BLAS_SUCCESS : CS_BLAS_NOT_SUPPORTED;
}
