/* blas_matvec.c: cuBLAS, level 2: a matrix and vectors. Complex syr2 is in blas_extra.c, because OpenBLAS does not have
 * it. */
#include "cpu/libraries/blas_lists.h"

#define GEMV(name, routine, integer, bytes, real)                                                                      \
  CS_BLAS_PUBLIC(name, (struct cs_blas * blas, int op, integer m, integer n, const void *alpha, const void *a,         \
                        integer lda, const void *x, integer incx, const void *beta, void *y, integer incy))            \
  CS_BLAS_ROUTINE(routine, CS_BLAS_OP(op), CS_BLAS_N(m), CS_BLAS_N(n), CS_BLAS_SCALE(alpha, bytes), CS_BLAS_AT(a),     \
                  CS_BLAS_LD(lda, m), CS_BLAS_AT(x), CS_BLAS_INC(incx), CS_BLAS_SCALE(beta, bytes), CS_BLAS_AT(y),     \
                  CS_BLAS_INC(incy))
CS_BLAS_ALL(GEMV, gemv, "gemv", _v2)

#define GEMV_BATCHED(name, routine, integer, bytes, real)                                                              \
  CS_BLAS_PUBLIC(name,                                                                                                 \
                 (struct cs_blas * blas, int op, integer m, integer n, const void *alpha, const void *a, integer lda,  \
                  const void *x, integer incx, const void *beta, const void *y, integer incy, integer count))          \
  CS_BLAS_BATCH(routine, count, CS_BLAS_OP(op), CS_BLAS_N(m), CS_BLAS_N(n), CS_BLAS_SCALE(alpha, bytes),               \
                CS_BLAS_OF(a), CS_BLAS_LD(lda, m), CS_BLAS_OF(x), CS_BLAS_INC(incx), CS_BLAS_SCALE(beta, bytes),       \
                CS_BLAS_OF(y), CS_BLAS_INC(incy))
CS_BLAS_ALL(GEMV_BATCHED, gemvBatched, "gemv", )

#define GEMV_STRIDED(name, routine, integer, bytes, real)                                                              \
  CS_BLAS_PUBLIC(name, (struct cs_blas * blas, int op, integer m, integer n, const void *alpha, const void *a,         \
                        integer lda, long long stride_a, const void *x, integer incx, long long stride_x,              \
                        const void *beta, void *y, integer incy, long long stride_y, integer count))                   \
  CS_BLAS_BATCH(routine, count, CS_BLAS_OP(op), CS_BLAS_N(m), CS_BLAS_N(n), CS_BLAS_SCALE(alpha, bytes),               \
                CS_BLAS_EACH(a, stride_a *(bytes)), CS_BLAS_LD(lda, m), CS_BLAS_EACH(x, stride_x *(bytes)),            \
                CS_BLAS_INC(incx), CS_BLAS_SCALE(beta, bytes), CS_BLAS_EACH(y, stride_y *(bytes)), CS_BLAS_INC(incy))
CS_BLAS_ALL(GEMV_STRIDED, gemvStridedBatched, "gemv", )

#define GBMV(name, routine, integer, bytes, real)                                                                      \
  CS_BLAS_PUBLIC(name,                                                                                                 \
                 (struct cs_blas * blas, int op, integer m, integer n, integer kl, integer ku, const void *alpha,      \
                  const void *a, integer lda, const void *x, integer incx, const void *beta, void *y, integer incy))   \
  CS_BLAS_ROUTINE(routine, CS_BLAS_OP(op), CS_BLAS_N(m), CS_BLAS_N(n), CS_BLAS_N(kl), CS_BLAS_N(ku),                   \
                  CS_BLAS_SCALE(alpha, bytes), CS_BLAS_AT(a), CS_BLAS_LD(lda, (int64_t)kl + ku + 1), CS_BLAS_AT(x),    \
                  CS_BLAS_INC(incx), CS_BLAS_SCALE(beta, bytes), CS_BLAS_AT(y), CS_BLAS_INC(incy))
CS_BLAS_ALL(GBMV, gbmv, "gbmv", _v2)

#define GER(name, routine, integer, bytes, real)                                                                       \
  CS_BLAS_PUBLIC(name, (struct cs_blas * blas, integer m, integer n, const void *alpha, const void *x, integer incx,   \
                        const void *y, integer incy, void *a, integer lda))                                            \
  CS_BLAS_ROUTINE(routine, CS_BLAS_N(m), CS_BLAS_N(n), CS_BLAS_SCALE(alpha, bytes), CS_BLAS_AT(x), CS_BLAS_INC(incx),  \
                  CS_BLAS_AT(y), CS_BLAS_INC(incy), CS_BLAS_AT(a), CS_BLAS_LD(lda, m))
CS_BLAS_REAL(GER, ger, "ger", _v2)
CS_BLAS_COMPLEX(GER, geru, "geru", _v2)
CS_BLAS_COMPLEX(GER, gerc, "gerc", _v2)

#define SYMV(name, routine, integer, bytes, real)                                                                      \
  CS_BLAS_PUBLIC(name, (struct cs_blas * blas, int uplo, integer n, const void *alpha, const void *a, integer lda,     \
                        const void *x, integer incx, const void *beta, void *y, integer incy))                         \
  CS_BLAS_ROUTINE(routine, CS_BLAS_UPLO(uplo), CS_BLAS_N(n), CS_BLAS_SCALE(alpha, bytes), CS_BLAS_AT(a),               \
                  CS_BLAS_LD(lda, n), CS_BLAS_AT(x), CS_BLAS_INC(incx), CS_BLAS_SCALE(beta, bytes), CS_BLAS_AT(y),     \
                  CS_BLAS_INC(incy))
CS_BLAS_ALL(SYMV, symv, "symv", _v2)
CS_BLAS_COMPLEX(SYMV, hemv, "hemv", _v2)

#define SBMV(name, routine, integer, bytes, real)                                                                      \
  CS_BLAS_PUBLIC(name, (struct cs_blas * blas, int uplo, integer n, integer k, const void *alpha, const void *a,       \
                        integer lda, const void *x, integer incx, const void *beta, void *y, integer incy))            \
  CS_BLAS_ROUTINE(routine, CS_BLAS_UPLO(uplo), CS_BLAS_N(n), CS_BLAS_N(k), CS_BLAS_SCALE(alpha, bytes), CS_BLAS_AT(a), \
                  CS_BLAS_LD(lda, (int64_t)k + 1), CS_BLAS_AT(x), CS_BLAS_INC(incx), CS_BLAS_SCALE(beta, bytes),       \
                  CS_BLAS_AT(y), CS_BLAS_INC(incy))
CS_BLAS_REAL(SBMV, sbmv, "sbmv", _v2)
CS_BLAS_COMPLEX(SBMV, hbmv, "hbmv", _v2)

#define SPMV(name, routine, integer, bytes, real)                                                                      \
  CS_BLAS_PUBLIC(name, (struct cs_blas * blas, int uplo, integer n, const void *alpha, const void *a, const void *x,   \
                        integer incx, const void *beta, void *y, integer incy))                                        \
  CS_BLAS_ROUTINE(routine, CS_BLAS_UPLO(uplo), CS_BLAS_N(n), CS_BLAS_SCALE(alpha, bytes), CS_BLAS_AT(a),               \
                  CS_BLAS_AT(x), CS_BLAS_INC(incx), CS_BLAS_SCALE(beta, bytes), CS_BLAS_AT(y), CS_BLAS_INC(incy))
CS_BLAS_REAL(SPMV, spmv, "spmv", _v2)
CS_BLAS_COMPLEX(SPMV, hpmv, "hpmv", _v2)

#define TRMV(name, routine, integer, bytes, real)                                                                      \
  CS_BLAS_PUBLIC(name, (struct cs_blas * blas, int uplo, int op, int diag, integer n, const void *a, integer lda,      \
                        void *x, integer incx))                                                                        \
  CS_BLAS_ROUTINE(routine, CS_BLAS_UPLO(uplo), CS_BLAS_OP(op), CS_BLAS_DIAG(diag), CS_BLAS_N(n), CS_BLAS_AT(a),        \
                  CS_BLAS_LD(lda, n), CS_BLAS_AT(x), CS_BLAS_INC(incx))
CS_BLAS_ALL(TRMV, trmv, "trmv", _v2)
CS_BLAS_ALL(TRMV, trsv, "trsv", _v2)

#define TBMV(name, routine, integer, bytes, real)                                                                      \
  CS_BLAS_PUBLIC(name, (struct cs_blas * blas, int uplo, int op, int diag, integer n, integer k, const void *a,        \
                        integer lda, void *x, integer incx))                                                           \
  CS_BLAS_ROUTINE(routine, CS_BLAS_UPLO(uplo), CS_BLAS_OP(op), CS_BLAS_DIAG(diag), CS_BLAS_N(n), CS_BLAS_N(k),         \
                  CS_BLAS_AT(a), CS_BLAS_LD(lda, (int64_t)k + 1), CS_BLAS_AT(x), CS_BLAS_INC(incx))
CS_BLAS_ALL(TBMV, tbmv, "tbmv", _v2)
CS_BLAS_ALL(TBMV, tbsv, "tbsv", _v2)

#define TPMV(name, routine, integer, bytes, real)                                                                      \
  CS_BLAS_PUBLIC(name,                                                                                                 \
                 (struct cs_blas * blas, int uplo, int op, int diag, integer n, const void *a, void *x, integer incx)) \
  CS_BLAS_ROUTINE(routine, CS_BLAS_UPLO(uplo), CS_BLAS_OP(op), CS_BLAS_DIAG(diag), CS_BLAS_N(n), CS_BLAS_AT(a),        \
                  CS_BLAS_AT(x), CS_BLAS_INC(incx))
CS_BLAS_ALL(TPMV, tpmv, "tpmv", _v2)
CS_BLAS_ALL(TPMV, tpsv, "tpsv", _v2)

#define SYR(name, routine, integer, bytes, real)                                                                       \
  CS_BLAS_PUBLIC(name, (struct cs_blas * blas, int uplo, integer n, const void *alpha, const void *x, integer incx,    \
                        void *a, integer lda))                                                                         \
  CS_BLAS_ROUTINE(routine, CS_BLAS_UPLO(uplo), CS_BLAS_N(n), CS_BLAS_SCALE(alpha, bytes), CS_BLAS_AT(x),               \
                  CS_BLAS_INC(incx), CS_BLAS_AT(a), CS_BLAS_LD(lda, n))
#define HER(name, routine, integer, bytes, real) SYR(name, routine, integer, real, real)
CS_BLAS_ALL(SYR, syr, "syr", _v2)
CS_BLAS_COMPLEX(HER, her, "her", _v2)

#define SPR(name, routine, integer, bytes, real)                                                                       \
  CS_BLAS_PUBLIC(                                                                                                      \
      name, (struct cs_blas * blas, int uplo, integer n, const void *alpha, const void *x, integer incx, void *a))     \
  CS_BLAS_ROUTINE(routine, CS_BLAS_UPLO(uplo), CS_BLAS_N(n), CS_BLAS_SCALE(alpha, real), CS_BLAS_AT(x),                \
                  CS_BLAS_INC(incx), CS_BLAS_AT(a))
CS_BLAS_REAL(SPR, spr, "spr", _v2)
CS_BLAS_COMPLEX(SPR, hpr, "hpr", _v2)

#define SYR2(name, routine, integer, bytes, real)                                                                      \
  CS_BLAS_PUBLIC(name, (struct cs_blas * blas, int uplo, integer n, const void *alpha, const void *x, integer incx,    \
                        const void *y, integer incy, void *a, integer lda))                                            \
  CS_BLAS_ROUTINE(routine, CS_BLAS_UPLO(uplo), CS_BLAS_N(n), CS_BLAS_SCALE(alpha, bytes), CS_BLAS_AT(x),               \
                  CS_BLAS_INC(incx), CS_BLAS_AT(y), CS_BLAS_INC(incy), CS_BLAS_AT(a), CS_BLAS_LD(lda, n))
CS_BLAS_REAL(SYR2, syr2, "syr2", _v2)
CS_BLAS_COMPLEX(SYR2, her2, "her2", _v2)

#define SPR2(name, routine, integer, bytes, real)                                                                      \
  CS_BLAS_PUBLIC(name, (struct cs_blas * blas, int uplo, integer n, const void *alpha, const void *x, integer incx,    \
                        const void *y, integer incy, void *a))                                                         \
  CS_BLAS_ROUTINE(routine, CS_BLAS_UPLO(uplo), CS_BLAS_N(n), CS_BLAS_SCALE(alpha, bytes), CS_BLAS_AT(x),               \
                  CS_BLAS_INC(incx), CS_BLAS_AT(y), CS_BLAS_INC(incy), CS_BLAS_AT(a))
CS_BLAS_REAL(SPR2, spr2, "spr2", _v2)
CS_BLAS_COMPLEX(SPR2, hpr2, "hpr2", _v2)
