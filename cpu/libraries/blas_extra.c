/* blas_extra.c: calls of cuBLAS that are no routine of BLAS: sums and scaled copies of matrices, packed triangles, and
 * variants of routines. */
#include "cpu/libraries/blas_lists.h"
#include "cpu/libraries/gemm.h"

/* The cudaDataType of elements with this size, of which a real part has `real` bytes. */
#define TYPE_OF(bytes, real)                                                                                           \
  ((bytes) == (real) ? ((real) == 4 ? CS_R_32F : CS_R_64F) : (real) == 4 ? CS_C_32F : CS_C_64F)
#define COUNT(list) ((int)(sizeof(list) / sizeof *(list)))

/* Work on elements: a result c of m x n elements of one type. */
struct elements {
  int type, is_upper, is_left, op_a, op_b;
  int64_t m, n, lda, ldb, ldc, incx, incy;
  struct cs_blas_factor alpha, beta;
  const void *a, *b;
  void *c;
};

static int submit(struct cs_blas *blas, void (*run)(void *), const struct elements *work) {
  return cs_library_submit(blas->stream, run, work, sizeof *work) ? CS_BLAS_EXECUTION_FAILED : CS_BLAS_SUCCESS;
}

static double complex factor(const struct elements *w, const struct cs_blas_factor *of) {
  return cs_number_load(w->type, cs_blas_value(of), 0);
}

/* Element (i, j) of a matrix after its operation. */
static double complex element(const struct elements *w, const void *from, int op, int64_t distance, int64_t i,
                              int64_t j) {
  double complex number = cs_number_load(w->type, from, (size_t)(op ? i * distance + j : j * distance + i));
  return op == 2 ? conj(number) : number;
}

/* Element i of a vector with n elements, which a negative increment reverses. */
static double complex vector_element(const struct elements *w, const void *from, int64_t n, int64_t increment,
                                     int64_t i) {
  return cs_number_load(w->type, from, (size_t)(increment < 0 ? (i - n + 1) * increment : i * increment));
}

/* A matrix whose factor is 0 is not read. */
static void run_geam(void *arguments) {
  const struct elements *w = arguments;
  double complex alpha = factor(w, &w->alpha), beta = factor(w, &w->beta);
  for (int64_t j = 0; j < w->n; j++)
    for (int64_t i = 0; i < w->m; i++) {
      double complex first = alpha != 0 ? alpha * element(w, w->a, w->op_a, w->lda, i, j) : 0;
      double complex second = beta != 0 ? beta * element(w, w->b, w->op_b, w->ldb, i, j) : 0;
      cs_number_store(w->type, w->c, (size_t)(j * w->ldc + i), first + second);
    }
}

#define GEAM(name, routine, integer, bytes, real)                                                                      \
  CS_BLAS_PUBLIC(name,                                                                                                 \
                 (struct cs_blas * blas, int op_a, int op_b, integer m, integer n, const void *alpha, const void *a,   \
                  integer lda, const void *beta, const void *b, integer ldb, void *c, integer ldc)) {                  \
    const struct cs_blas_argument list[] = {CS_BLAS_OP(op_a),                                                          \
                                            CS_BLAS_OP(op_b),                                                          \
                                            CS_BLAS_N(m),                                                              \
                                            CS_BLAS_N(n),                                                              \
                                            CS_BLAS_SCALE(alpha, bytes),                                               \
                                            CS_BLAS_LD(lda, op_a ? n : m),                                             \
                                            CS_BLAS_SCALE(beta, bytes),                                                \
                                            CS_BLAS_LD(ldb, op_b ? n : m),                                             \
                                            CS_BLAS_LD(ldc, m)};                                                       \
    int status = cs_blas_check(blas, __func__, list, COUNT(list));                                                     \
    if (status != CS_BLAS_SUCCESS)                                                                                     \
      return status;                                                                                                   \
    const struct elements work = {.type = TYPE_OF(bytes, real),                                                        \
                                  .op_a = op_a,                                                                        \
                                  .op_b = op_b,                                                                        \
                                  .m = m,                                                                              \
                                  .n = n,                                                                              \
                                  .lda = lda,                                                                          \
                                  .ldb = ldb,                                                                          \
                                  .ldc = ldc,                                                                          \
                                  .alpha = cs_blas_factor(blas, alpha, bytes),                                         \
                                  .beta = cs_blas_factor(blas, beta, bytes),                                           \
                                  .a = cs_library_plain(a),                                                            \
                                  .b = cs_library_plain(b),                                                            \
                                  .c = cs_library_plain(c)};                                                           \
    return submit(blas, run_geam, &work);                                                                              \
  }
CS_BLAS_ALL(GEAM, geam, "", )

static void run_dgmm(void *arguments) {
  const struct elements *w = arguments;
  int64_t diagonal = w->is_left ? w->m : w->n;
  for (int64_t j = 0; j < w->n; j++)
    for (int64_t i = 0; i < w->m; i++) {
      double complex scale = vector_element(w, w->b, diagonal, w->incx, w->is_left ? i : j);
      cs_number_store(w->type, w->c, (size_t)(j * w->ldc + i), element(w, w->a, 0, w->lda, i, j) * scale);
    }
}

#define DGMM(name, routine, integer, bytes, real)                                                                      \
  CS_BLAS_PUBLIC(name, (struct cs_blas * blas, int side, integer m, integer n, const void *a, integer lda,             \
                        const void *x, integer incx, void *c, integer ldc)) {                                          \
    const struct cs_blas_argument list[] = {CS_BLAS_LEFT(side), CS_BLAS_N(m),      CS_BLAS_N(n),                       \
                                            CS_BLAS_LD(lda, m), CS_BLAS_ANY(incx), CS_BLAS_LD(ldc, m)};                \
    int status = cs_blas_check(blas, __func__, list, COUNT(list));                                                     \
    if (status != CS_BLAS_SUCCESS)                                                                                     \
      return status;                                                                                                   \
    const struct elements work = {.type = TYPE_OF(bytes, real),                                                        \
                                  .is_left = !side,                                                                    \
                                  .m = m,                                                                              \
                                  .n = n,                                                                              \
                                  .lda = lda,                                                                          \
                                  .ldc = ldc,                                                                          \
                                  .incx = incx,                                                                        \
                                  .a = cs_library_plain(a),                                                            \
                                  .b = cs_library_plain(x),                                                            \
                                  .c = cs_library_plain(c)};                                                           \
    return submit(blas, run_dgmm, &work);                                                                              \
  }
CS_BLAS_ALL(DGMM, dgmm, "", )

/* Complex syr2, which BLAS has for real matrices only. */
static void run_syr2(void *arguments) {
  const struct elements *w = arguments;
  double complex alpha = factor(w, &w->alpha);
  for (int64_t j = 0; j < w->n; j++)
    for (int64_t i = w->is_upper ? 0 : j; i < (w->is_upper ? j + 1 : w->n); i++) {
      double complex first = vector_element(w, w->a, w->n, w->incx, i) * vector_element(w, w->b, w->n, w->incy, j);
      double complex second = vector_element(w, w->b, w->n, w->incy, i) * vector_element(w, w->a, w->n, w->incx, j);
      size_t at = (size_t)(j * w->ldc + i);
      cs_number_store(w->type, w->c, at, cs_number_load(w->type, w->c, at) + alpha * (first + second));
    }
}

#define SYR2(name, routine, integer, bytes, real)                                                                      \
  CS_BLAS_PUBLIC(name, (struct cs_blas * blas, int uplo, integer n, const void *alpha, const void *x, integer incx,    \
                        const void *y, integer incy, void *a, integer lda)) {                                          \
    const struct cs_blas_argument list[] = {CS_BLAS_UPLO(uplo), CS_BLAS_N(n),      CS_BLAS_SCALE(alpha, bytes),        \
                                            CS_BLAS_INC(incx),  CS_BLAS_INC(incy), CS_BLAS_LD(lda, n)};                \
    int status = cs_blas_check(blas, __func__, list, COUNT(list));                                                     \
    if (status != CS_BLAS_SUCCESS)                                                                                     \
      return status;                                                                                                   \
    const struct elements work = {.type = TYPE_OF(bytes, real),                                                        \
                                  .is_upper = uplo,                                                                    \
                                  .n = n,                                                                              \
                                  .ldc = lda,                                                                          \
                                  .incx = incx,                                                                        \
                                  .incy = incy,                                                                        \
                                  .alpha = cs_blas_factor(blas, alpha, bytes),                                         \
                                  .a = cs_library_plain(x),                                                            \
                                  .b = cs_library_plain(y),                                                            \
                                  .c = cs_library_plain(a)};                                                           \
    return submit(blas, run_syr2, &work);                                                                              \
  }
CS_BLAS_COMPLEX(SYR2, syr2, "", _v2)

/* A triangle by columns without gaps. */
static size_t packed(const struct elements *w, int64_t i, int64_t j) {
  return (size_t)(w->is_upper ? j * (j + 1) / 2 + i : j * (2 * w->n - j - 1) / 2 + i);
}
static void copy_triangle(const struct elements *w, int is_unpacking) {
  for (int64_t j = 0; j < w->n; j++)
    for (int64_t i = w->is_upper ? 0 : j; i < (w->is_upper ? j + 1 : w->n); i++) {
      size_t matrix = (size_t)(j * w->lda + i), triangle = packed(w, i, j);
      cs_number_store(w->type, w->c, is_unpacking ? matrix : triangle,
                      cs_number_load(w->type, w->a, is_unpacking ? triangle : matrix));
    }
}
static void run_tpttr(void *arguments) {
  copy_triangle(arguments, 1);
}
static void run_trttp(void *arguments) {
  copy_triangle(arguments, 0);
}

static int triangle(struct cs_blas *blas, const char *call, void (*run)(void *), int type, int uplo, int n,
                    const void *from, int lda, void *to) {
  const struct cs_blas_argument list[] = {CS_BLAS_UPLO(uplo), CS_BLAS_N(n), CS_BLAS_LD(lda, n)};
  int status = cs_blas_check(blas, call, list, COUNT(list));
  if (status != CS_BLAS_SUCCESS)
    return status;
  const struct elements work = {
      .type = type, .is_upper = uplo, .n = n, .lda = lda, .a = cs_library_plain(from), .c = cs_library_plain(to)};
  return submit(blas, run, &work);
}

#define TRIANGLES(letter, type)                                                                                        \
  CS_BLAS_PUBLIC(cublas##letter##tpttr, (struct cs_blas * blas, int uplo, int n, const void *ap, void *a, int lda)) {  \
    return triangle(blas, __func__, run_tpttr, type, uplo, n, ap, lda, a);                                             \
  }                                                                                                                    \
  CS_BLAS_PUBLIC(cublas##letter##trttp, (struct cs_blas * blas, int uplo, int n, const void *a, int lda, void *ap)) {  \
    return triangle(blas, __func__, run_trttp, type, uplo, n, a, lda, ap);                                             \
  }
TRIANGLES(S, CS_R_32F)
TRIANGLES(D, CS_R_64F)
TRIANGLES(C, CS_C_32F)
TRIANGLES(Z, CS_C_64F)

/* c = alpha op(a) b, where BLAS has b in place of c. */
static void run_copy(void *arguments) {
  const struct elements *w = arguments;
  for (int64_t j = 0; j < w->n; j++)
    for (int64_t i = 0; i < w->m; i++)
      cs_number_store(w->type, w->c, (size_t)(j * w->ldc + i), element(w, w->a, 0, w->lda, i, j));
}
static int copy_first(struct cs_blas *blas, int type, int64_t m, int64_t n, const void *b, int64_t ldb, void *c,
                      int64_t ldc) {
  const struct elements work = {
      .type = type, .m = m, .n = n, .lda = ldb, .ldc = ldc, .a = cs_library_plain(b), .c = cs_library_plain(c)};
  return b == c && ldb == ldc ? CS_BLAS_SUCCESS : submit(blas, run_copy, &work);
}

#define TRMM(name, routine, integer, bytes, real)                                                                      \
  CS_BLAS_PUBLIC(name,                                                                                                 \
                 (struct cs_blas * blas, int side, int uplo, int op, int diag, integer m, integer n,                   \
                  const void *alpha, const void *a, integer lda, const void *b, integer ldb, void *c, integer ldc)) {  \
    static struct cs_blas_routine here = {__func__, routine, NULL};                                                    \
    const struct cs_blas_argument list[] = {CS_BLAS_LEFT(side),                                                        \
                                            CS_BLAS_UPLO(uplo),                                                        \
                                            CS_BLAS_OP(op),                                                            \
                                            CS_BLAS_DIAG(diag),                                                        \
                                            CS_BLAS_N(m),                                                              \
                                            CS_BLAS_N(n),                                                              \
                                            CS_BLAS_SCALE(alpha, bytes),                                               \
                                            CS_BLAS_AT(a),                                                             \
                                            CS_BLAS_LD(lda, side ? n : m),                                             \
                                            CS_BLAS_AT(c),                                                             \
                                            CS_BLAS_LD(ldc, m)};                                                       \
    const struct cs_blas_argument source = CS_BLAS_LD(ldb, m);                                                         \
    int status = cs_blas_check(blas, __func__, list, COUNT(list));                                                     \
    if (status == CS_BLAS_SUCCESS)                                                                                     \
      status = cs_blas_check(blas, __func__, &source, 1);                                                              \
    if (status == CS_BLAS_SUCCESS)                                                                                     \
      status = copy_first(blas, TYPE_OF(bytes, real), m, n, b, ldb, c, ldc);                                           \
    return status == CS_BLAS_SUCCESS ? cs_blas_call(blas, &here, 1, list, COUNT(list)) : status;                       \
  }
CS_BLAS_ALL(TRMM, trmm, "trmm", _v2)

/* A triangle of alpha op(a) op(b)^T + beta c, or of its Hermitian counterpart, whose beta is real. */
static int rank_k(struct cs_blas *blas, const char *call, int type, int is_hermitian, int uplo, int op, int64_t n,
                  int64_t k, const void *alpha, const void *a, int64_t lda, const void *b, int64_t ldb,
                  const void *beta, void *c, int64_t ldc) {
  enum { COMPUTE_32F = 68, COMPUTE_64F = 70 };
  int other = is_hermitian ? 1 : cs_number_is_complex(type) ? 2 : 0, turned = is_hermitian ? 2 : 1;
  int is_double = type == CS_R_64F || type == CS_C_64F;
  const struct cs_blas_argument list[] = {CS_BLAS_UPLO(uplo),
                                          CS_BLAS_OP_BUT(op, other),
                                          CS_BLAS_N(n),
                                          CS_BLAS_N(k),
                                          CS_BLAS_SCALE(alpha, 0),
                                          CS_BLAS_LD(lda, op ? k : n),
                                          CS_BLAS_LD(ldb, op ? k : n),
                                          CS_BLAS_SCALE(beta, 0),
                                          CS_BLAS_LD(ldc, n)};
  int status = cs_blas_check(blas, call, list, COUNT(list));
  if (status != CS_BLAS_SUCCESS)
    return status;
  struct cs_gemm gemm = {
      .m = (int)n,
      .n = (int)n,
      .k = (int)k,
      .batch = 1,
      .part = uplo ? CS_GEMM_UPPER : CS_GEMM_LOWER,
      .is_hermitian = is_hermitian,
      .a = {.at = cs_library_plain(a), .type = type, .op = op ? turned : 0, .distance = lda},
      .b = {.at = cs_library_plain(b), .type = type, .op = op ? 0 : turned, .distance = ldb},
      .c = {.at = cs_library_plain(c), .type = type, .distance = ldc},
  };
  status = cs_gemm_choose(&gemm, call, is_double ? COMPUTE_64F : COMPUTE_32F);
  if (status != CS_BLAS_SUCCESS)
    return status;
  if (is_hermitian)
    gemm.scale_c = is_double ? CS_R_64F : CS_R_32F;
  gemm.alpha = cs_blas_factor(blas, alpha, cs_number_bytes(gemm.scale));
  gemm.beta = cs_blas_factor(blas, beta, cs_number_bytes(gemm.scale_c));
  return cs_library_submit(blas->stream, cs_gemm_run, &gemm, sizeof gemm) ? CS_BLAS_EXECUTION_FAILED : CS_BLAS_SUCCESS;
}

#define RANK_K(name, integer, type, is_hermitian)                                                                      \
  CS_BLAS_PUBLIC(name,                                                                                                 \
                 (struct cs_blas * blas, int uplo, int op, integer n, integer k, const void *alpha, const void *a,     \
                  integer lda, const void *b, integer ldb, const void *beta, void *c, integer ldc)) {                  \
    return rank_k(blas, __func__, type, is_hermitian, uplo, op, n, k, alpha, a, lda, b, ldb, beta, c, ldc);            \
  }
#define SYRKX(name, routine, integer, bytes, real) RANK_K(name, integer, TYPE_OF(bytes, real), 0)
#define HERKX(name, routine, integer, bytes, real) RANK_K(name, integer, TYPE_OF(bytes, real), 1)
CS_BLAS_ALL(SYRKX, syrkx, "", )
CS_BLAS_COMPLEX(HERKX, herkx, "", )
