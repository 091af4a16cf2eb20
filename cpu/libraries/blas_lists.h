/* blas_lists.h: defines functions of cuBLAS from families: FAMILY(name, routine, integer, bytes, real) defines one of
 * them, where `bytes` are those of an element, and `real` those of its real part. Each exists with 32-bit and with
 * 64-bit integers. */
#ifndef CUSAFE_CPU_LIBRARIES_BLAS_LISTS_H
#define CUSAFE_CPU_LIBRARIES_BLAS_LISTS_H

#include "cpu/libraries/blas.h"

#define CS_BLAS_BOTH(FAMILY, name, routine, bytes, real)                                                               \
  FAMILY(name, routine, int, bytes, real) FAMILY(name##_64, routine, int64_t, bytes, real)
/* `base` is the name without its type, `end` "_v2" or nothing. */
#define CS_BLAS_REAL(FAMILY, base, routine, end)                                                                       \
  CS_BLAS_BOTH(FAMILY, cublasS##base##end, "s" routine "_", 4, 4)                                                      \
  CS_BLAS_BOTH(FAMILY, cublasD##base##end, "d" routine "_", 8, 8)
#define CS_BLAS_COMPLEX(FAMILY, base, routine, end)                                                                    \
  CS_BLAS_BOTH(FAMILY, cublasC##base##end, "c" routine "_", 8, 4)                                                      \
  CS_BLAS_BOTH(FAMILY, cublasZ##base##end, "z" routine "_", 16, 8)
#define CS_BLAS_ALL(FAMILY, base, routine, end)                                                                        \
  CS_BLAS_REAL(FAMILY, base, routine, end)                                                                             \
  CS_BLAS_COMPLEX(FAMILY, base, routine, end)

/* The body of a function that is a routine of OpenBLAS. */
#define CS_BLAS_BATCH(routine, batch, ...)                                                                             \
  {                                                                                                                    \
    static struct cs_blas_routine here = {__func__, routine, NULL};                                                    \
    const struct cs_blas_argument list[] = {__VA_ARGS__};                                                              \
    return cs_blas_call(blas, &here, batch, list, sizeof list / sizeof *list);                                         \
  }
#define CS_BLAS_ROUTINE(routine, ...) CS_BLAS_BATCH(routine, 1, __VA_ARGS__)

#endif
