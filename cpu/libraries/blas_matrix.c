/* blas_matrix.c: cuBLAS, level 3: matrices. */
#include "cpu/libraries/blas_lists.h"

#define GEMM(name, routine, integer, bytes, real)                                                                      \
  CS_BLAS_PUBLIC(name,                                                                                                 \
                 (struct cs_blas * blas, int op_a, int op_b, integer m, integer n, integer k, const void *alpha,       \
                  const void *a, integer lda, const void *b, integer ldb, const void *beta, void *c, integer ldc))     \
  CS_BLAS_ROUTINE(routine, CS_BLAS_OP(op_a), CS_BLAS_OP(op_b), CS_BLAS_N(m), CS_BLAS_N(n), CS_BLAS_N(k),               \
                  CS_BLAS_SCALE(alpha, bytes), CS_BLAS_AT(a), CS_BLAS_LD(lda, op_a ? k : m), CS_BLAS_AT(b),            \
                  CS_BLAS_LD(ldb, op_b ? n : k), CS_BLAS_SCALE(beta, bytes), CS_BLAS_AT(c), CS_BLAS_LD(ldc, m))
CS_BLAS_ALL(GEMM, gemm, "gemm", _v2)
CS_BLAS_COMPLEX(GEMM, gemm3m, "gemm", )

#define GEMM_BATCHED(name, routine, integer, bytes, real)                                                              \
  CS_BLAS_PUBLIC(name, (struct cs_blas * blas, int op_a, int op_b, integer m, integer n, integer k, const void *alpha, \
                        const void *a, integer lda, const void *b, integer ldb, const void *beta, const void *c,       \
                        integer ldc, integer count))                                                                   \
  CS_BLAS_BATCH(routine, count, CS_BLAS_OP(op_a), CS_BLAS_OP(op_b), CS_BLAS_N(m), CS_BLAS_N(n), CS_BLAS_N(k),          \
                CS_BLAS_SCALE(alpha, bytes), CS_BLAS_OF(a), CS_BLAS_LD(lda, op_a ? k : m), CS_BLAS_OF(b),              \
                CS_BLAS_LD(ldb, op_b ? n : k), CS_BLAS_SCALE(beta, bytes), CS_BLAS_OF(c), CS_BLAS_LD(ldc, m))
CS_BLAS_ALL(GEMM_BATCHED, gemmBatched, "gemm", )
CS_BLAS_BOTH(GEMM_BATCHED, cublasCgemm3mBatched, "cgemm_", 8, 4)

#define GEMM_STRIDED(name, routine, integer, bytes, real)                                                              \
  CS_BLAS_PUBLIC(name,                                                                                                 \
                 (struct cs_blas * blas, int op_a, int op_b, integer m, integer n, integer k, const void *alpha,       \
                  const void *a, integer lda, long long stride_a, const void *b, integer ldb, long long stride_b,      \
                  const void *beta, void *c, integer ldc, long long stride_c, integer count))                          \
  CS_BLAS_BATCH(routine, count, CS_BLAS_OP(op_a), CS_BLAS_OP(op_b), CS_BLAS_N(m), CS_BLAS_N(n), CS_BLAS_N(k),          \
                CS_BLAS_SCALE(alpha, bytes), CS_BLAS_EACH(a, stride_a *(bytes)), CS_BLAS_LD(lda, op_a ? k : m),        \
                CS_BLAS_EACH(b, stride_b *(bytes)), CS_BLAS_LD(ldb, op_b ? n : k), CS_BLAS_SCALE(beta, bytes),         \
                CS_BLAS_EACH(c, stride_c *(bytes)), CS_BLAS_LD(ldc, m))
CS_BLAS_ALL(GEMM_STRIDED, gemmStridedBatched, "gemm", )
CS_BLAS_BOTH(GEMM_STRIDED, cublasCgemm3mStridedBatched, "cgemm_", 8, 4)

#define SYMM(name, routine, integer, bytes, real)                                                                      \
  CS_BLAS_PUBLIC(name,                                                                                                 \
                 (struct cs_blas * blas, int side, int uplo, integer m, integer n, const void *alpha, const void *a,   \
                  integer lda, const void *b, integer ldb, const void *beta, void *c, integer ldc))                    \
  CS_BLAS_ROUTINE(routine, CS_BLAS_LEFT(side), CS_BLAS_UPLO(uplo), CS_BLAS_N(m), CS_BLAS_N(n),                         \
                  CS_BLAS_SCALE(alpha, bytes), CS_BLAS_AT(a), CS_BLAS_LD(lda, side ? n : m), CS_BLAS_AT(b),            \
                  CS_BLAS_LD(ldb, m), CS_BLAS_SCALE(beta, bytes), CS_BLAS_AT(c), CS_BLAS_LD(ldc, m))
CS_BLAS_ALL(SYMM, symm, "symm", _v2)
CS_BLAS_COMPLEX(SYMM, hemm, "hemm", _v2)

/* `other` is the operation that the routine does not have: of complex matrices, syrk transposes, and herk also
 * conjugates. */
#define SYRK_OF(name, routine, integer, bytes, other)                                                                  \
  CS_BLAS_PUBLIC(name, (struct cs_blas * blas, int uplo, int op, integer n, integer k, const void *alpha,              \
                        const void *a, integer lda, const void *beta, void *c, integer ldc))                           \
  CS_BLAS_ROUTINE(routine, CS_BLAS_UPLO(uplo), CS_BLAS_OP_BUT(op, other), CS_BLAS_N(n), CS_BLAS_N(k),                  \
                  CS_BLAS_SCALE(alpha, bytes), CS_BLAS_AT(a), CS_BLAS_LD(lda, op ? k : n), CS_BLAS_SCALE(beta, bytes), \
                  CS_BLAS_AT(c), CS_BLAS_LD(ldc, n))
#define SYRK(name, routine, integer, bytes, real) SYRK_OF(name, routine, integer, bytes, (bytes) == (real) ? 0 : 2)
#define HERK(name, routine, integer, bytes, real) SYRK_OF(name, routine, integer, real, 1)
CS_BLAS_ALL(SYRK, syrk, "syrk", _v2)
CS_BLAS_COMPLEX(HERK, herk, "herk", _v2)

/* beta is real in her2k: `second` bytes. */
#define SYR2K_OF(name, routine, integer, first, second, other)                                                         \
  CS_BLAS_PUBLIC(name,                                                                                                 \
                 (struct cs_blas * blas, int uplo, int op, integer n, integer k, const void *alpha, const void *a,     \
                  integer lda, const void *b, integer ldb, const void *beta, void *c, integer ldc))                    \
  CS_BLAS_ROUTINE(routine, CS_BLAS_UPLO(uplo), CS_BLAS_OP_BUT(op, other), CS_BLAS_N(n), CS_BLAS_N(k),                  \
                  CS_BLAS_SCALE(alpha, first), CS_BLAS_AT(a), CS_BLAS_LD(lda, op ? k : n), CS_BLAS_AT(b),              \
                  CS_BLAS_LD(ldb, op ? k : n), CS_BLAS_SCALE(beta, second), CS_BLAS_AT(c), CS_BLAS_LD(ldc, n))
#define SYR2K(name, routine, integer, bytes, real)                                                                     \
  SYR2K_OF(name, routine, integer, bytes, bytes, (bytes) == (real) ? 0 : 2)
#define HER2K(name, routine, integer, bytes, real) SYR2K_OF(name, routine, integer, bytes, real, 1)
CS_BLAS_ALL(SYR2K, syr2k, "syr2k", _v2)
CS_BLAS_COMPLEX(HER2K, her2k, "her2k", _v2)

#define TRSM(name, routine, integer, bytes, real)                                                                      \
  CS_BLAS_PUBLIC(name, (struct cs_blas * blas, int side, int uplo, int op, int diag, integer m, integer n,             \
                        const void *alpha, const void *a, integer lda, void *b, integer ldb))                          \
  CS_BLAS_ROUTINE(routine, CS_BLAS_LEFT(side), CS_BLAS_UPLO(uplo), CS_BLAS_OP(op), CS_BLAS_DIAG(diag), CS_BLAS_N(m),   \
                  CS_BLAS_N(n), CS_BLAS_SCALE(alpha, bytes), CS_BLAS_AT(a), CS_BLAS_LD(lda, side ? n : m),             \
                  CS_BLAS_AT(b), CS_BLAS_LD(ldb, m))
CS_BLAS_ALL(TRSM, trsm, "trsm", _v2)

#define TRSM_BATCHED(name, routine, integer, bytes, real)                                                              \
  CS_BLAS_PUBLIC(name, (struct cs_blas * blas, int side, int uplo, int op, int diag, integer m, integer n,             \
                        const void *alpha, const void *a, integer lda, const void *b, integer ldb, integer count))     \
  CS_BLAS_BATCH(routine, count, CS_BLAS_LEFT(side), CS_BLAS_UPLO(uplo), CS_BLAS_OP(op), CS_BLAS_DIAG(diag),            \
                CS_BLAS_N(m), CS_BLAS_N(n), CS_BLAS_SCALE(alpha, bytes), CS_BLAS_OF(a), CS_BLAS_LD(lda, side ? n : m), \
                CS_BLAS_OF(b), CS_BLAS_LD(ldb, m))
CS_BLAS_ALL(TRSM_BATCHED, trsmBatched, "trsm", )
