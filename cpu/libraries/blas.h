/* blas.h: the calls of cuBLAS that the CPU device has. OpenBLAS computes them, through Fortran's interface, in which
 * every argument is an address: a call of cuBLAS becomes a list of arguments in the order of the routine. */
#ifndef CUSAFE_CPU_LIBRARIES_BLAS_H
#define CUSAFE_CPU_LIBRARIES_BLAS_H

#include "cpu/libraries/blas_refuse.h"
#include "cpu/libraries/work.h"
#include <stdint.h>

/* cublasStatus_t, with the values of cublas_api.h. */
enum {
  CS_BLAS_SUCCESS = 0,
  CS_BLAS_NOT_INITIALIZED = 1,
  CS_BLAS_ALLOC_FAILED = 3,
  CS_BLAS_INVALID_VALUE = 7,
  CS_BLAS_MAPPING_ERROR = 11,
  CS_BLAS_EXECUTION_FAILED = 13,
  CS_BLAS_NOT_SUPPORTED = 15
};

/* A cublasHandle_t. */
struct cs_blas {
  CUstream stream;
  int is_device; /* factors and results of reductions are in device memory */
  int math, atomics, multiprocessors;
};

/* One argument of a routine. */
struct cs_blas_argument {
  enum cs_blas_kind {
    CS_BLAS_OPERATION, /* cublasOperation_t, as a letter; not `other`, unless that is 0 */
    CS_BLAS_FILL,
    CS_BLAS_DIAGONAL,
    CS_BLAS_SIDE,
    CS_BLAS_SIZE,     /* at least 0 */
    CS_BLAS_DISTANCE, /* between columns: at least `other`, and 1 */
    CS_BLAS_STEP,     /* between elements: not 0 */
    CS_BLAS_NUMBER,   /* any */
    CS_BLAS_FACTOR,   /* `other` bytes, in host or device memory as the handle says */
    CS_BLAS_MEMORY,   /* in a batch, `other` bytes apart */
    CS_BLAS_ARRAY     /* an array of addresses, one for each of a batch */
  } kind;
  int64_t number, other;
  const void *pointer;
};
#define CS_BLAS_OP(x) {CS_BLAS_OPERATION, x, 0, NULL}
#define CS_BLAS_OP_BUT(x, other) {CS_BLAS_OPERATION, x, other, NULL}
#define CS_BLAS_UPLO(x) {CS_BLAS_FILL, x, 0, NULL}
#define CS_BLAS_DIAG(x) {CS_BLAS_DIAGONAL, x, 0, NULL}
#define CS_BLAS_LEFT(x) {CS_BLAS_SIDE, x, 0, NULL}
#define CS_BLAS_N(x) {CS_BLAS_SIZE, x, 0, NULL}
#define CS_BLAS_LD(x, least) {CS_BLAS_DISTANCE, x, least, NULL}
#define CS_BLAS_INC(x) {CS_BLAS_STEP, x, 0, NULL}
#define CS_BLAS_ANY(x) {CS_BLAS_NUMBER, x, 0, NULL}
#define CS_BLAS_SCALE(p, bytes) {CS_BLAS_FACTOR, 0, bytes, p}
#define CS_BLAS_AT(p) {CS_BLAS_MEMORY, 0, 0, p}
#define CS_BLAS_EACH(p, stride) {CS_BLAS_MEMORY, 0, stride, p}
#define CS_BLAS_OF(p) {CS_BLAS_ARRAY, 0, 0, p}

/* The longest list, with the lengths of its letters, which Fortran passes as well: gemm, and trsm. */
enum { CS_BLAS_ARGUMENTS = 16 };

/* A routine of OpenBLAS, such as "sgemm_", for the call of cuBLAS that uses it. */
struct cs_blas_routine {
  const char *call, *name;
  _Atomic(void *) function;
};

/* What cs_blas_call() would return for these arguments, without calling the routine. */
int cs_blas_check(const struct cs_blas *blas, const char *call, const struct cs_blas_argument *arguments, int count);

/* Calls the routine `batch` times, in the order of the handle's stream. Returns a cublasStatus_t. */
int cs_blas_call(struct cs_blas *blas, struct cs_blas_routine *routine, int64_t batch,
                 const struct cs_blas_argument *arguments, int count);

/* The routine's function; NULL if OpenBLAS is not installed, and the call is refused. */
void *cs_blas_function(struct cs_blas_routine *routine);

/* A factor that a call of cuBLAS has, as it is when the call is made or when its work is done. */
struct cs_blas_factor {
  const void *device; /* or NULL */
  _Alignas(16) unsigned char value[40];
};
struct cs_blas_factor cs_blas_factor(const struct cs_blas *blas, const void *pointer, size_t bytes);
static inline const void *cs_blas_value(const struct cs_blas_factor *factor) {
  return factor->device ? factor->device : factor->value;
}

/* Whether a number fits Fortran's integers; the call is refused if it does not. */
int cs_blas_fits(const char *call, int64_t number);

/* The status of a call without a handle. If OpenBLAS is missing, no handle was created for that reason, and the call is
 * refused. */
int cs_blas_no_handle(const char *call);

/* Declares and starts the definition of a public function. */
#define CS_BLAS_PUBLIC(name, parameters)                                                                               \
  int name parameters;                                                                                                 \
  int name parameters

#endif
