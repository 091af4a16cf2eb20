/* library.c: calls of NVIDIA's closed libraries, each generated from its line of library.inc: compares the operands
 * with their buffers, as those of a copy are, and then calls the library. */
#include "host/libraries/library.h"
#include "host/base/inside.h"
#include "host/collect/nvidia.h"
#include "host/libraries/batched.h"
#include "host/libraries/described.h"
#include "host/libraries/fft.h"
#include "host/libraries/operands.h"
#include "host/libraries/values.h"
#include <library_types.h>
#include <string.h>

/* The libraries' results for a library that is not there, and for an operand that is refused. */
static const struct {
  int missing, refused;
} results[] = {[CS_HOST_CUBLAS] = {CUBLAS_STATUS_NOT_INITIALIZED, CUBLAS_STATUS_INVALID_VALUE},
               [CS_HOST_CUBLASLT] = {CUBLAS_STATUS_NOT_INITIALIZED, CUBLAS_STATUS_INVALID_VALUE},
               [CS_HOST_CUFFT] = {CUFFT_INTERNAL_ERROR, CUFFT_INVALID_VALUE},
               [CS_HOST_CURAND] = {CURAND_STATUS_ALLOCATION_FAILED, CURAND_STATUS_OUT_OF_RANGE},
               [CS_HOST_CUSPARSE] = {CUSPARSE_STATUS_NOT_INITIALIZED, CUSPARSE_STATUS_INVALID_VALUE},
               [CS_HOST_CUSOLVER] = {CUSOLVER_STATUS_NOT_INITIALIZED, CUSOLVER_STATUS_INVALID_VALUE}};

#define MATRICES(access, p, rows, columns, distance, bytes, stride, count)                                             \
  cs_host_matrices(CS_ACCESS_##access, CS_HOST_PLAIN(p), rows, columns, distance, bytes, stride, count)
#define MATRIX(access, p, rows, columns, distance, bytes) MATRICES(access, p, rows, columns, distance, bytes, 0, 1)
#define VECTOR(access, p, n, increment, bytes)                                                                         \
  cs_host_vector(CS_ACCESS_##access, CS_HOST_PLAIN(p), (cs_u64)(n), (int64_t)(increment), bytes)
/* A factor of a product: rows x columns after its operation. It is not read if the product is empty, which `other`
 * decides. */
#define FACTORS(p, operation, rows, columns, other, distance, bytes, stride, count)                                    \
  MATRICES(READ, p, (operation) ? (columns) : (rows), (other) > 0 ? ((operation) ? (rows) : (columns)) : 0, distance,  \
           bytes, stride, count)
#define FACTOR(p, operation, rows, columns, other, distance, bytes)                                                    \
  FACTORS(p, operation, rows, columns, other, distance, bytes, 0, 1)
#define TRIANGLE(p, upper, unit, n, distance, bytes) cs_host_triangle(CS_HOST_PLAIN(p), upper, unit, n, distance, bytes)
#define MULTIPLIER(p, side, upper, unit, m, n, distance, bytes)                                                        \
  TRIANGLE(p, upper, unit, (m) > 0 && (n) > 0 ? ((side) ? (n) : (m)) : 0, distance, bytes)
/* Calls that do nothing with an increment below 1. */
#define FORWARD(access, p, n, increment, bytes) VECTOR(access, p, (increment) > 0 ? (n) : 0, increment, bytes)
#define BATCHED(handle, one, count) cs_host_batched(handle, one, count)
#define SCALED(handle, alpha, bytes, span) only_if(is_scaled(handle, alpha, bytes), span)

/* Pointers lose their marks in any case. */
static struct cs_host_span only_if(int is_used, struct cs_host_span span) {
  return is_used ? span : (struct cs_host_span){0};
}

static int is_scaled(void *handle, const void *alpha, cs_u64 bytes) {
  static void *slot;
  return cs_host_is_scaled(
      (int (*)(void *, int *))cs_host_nvidia_function_once(CS_HOST_CUBLAS, "cublasGetPointerMode_v2", &slot), handle,
      alpha, bytes);
}

/* The bytes of alpha: of a cublasComputeType_t, or of the type that older releases passed; a complex result has a
 * complex alpha. */
static cs_u64 scale_bytes(int compute, int type_c) {
  cs_u64 times = type_c == CUDA_C_32F || type_c == CUDA_C_64F ? 2 : 1;
  if (compute < CUBLAS_COMPUTE_16F)
    return cs_host_type_bytes(compute);
  if (compute < CUBLAS_COMPUTE_32F)
    return 2;
  return times * (compute == CUBLAS_COMPUTE_64F || compute == CUBLAS_COMPUTE_64F_PEDANTIC ? 8 : 4);
}

/* The rows of cuSOLVER's U and VT: of a job that does not write them, none. */
static int64_t rows_of(int job, int64_t all, int64_t some) {
  return job == 'A' ? all : job == 'S' ? some : 0;
}
static int64_t least_of(int64_t a, int64_t b) {
  return a < b ? a : b;
}
static int64_t larger_of(int64_t a, int64_t b) {
  return a > b ? a : b;
}

/* Whether a call of the program is to be compared: not one that a library makes inside a driver call. */
static int begin(void) {
  if (cs_host_inside() || cs_host_inherited)
    return 0;
  cs_host_inside_enter();
  return 1;
}

#define CS_HOST_LIBRARY_CALL(library, name, parameters, arguments, ...)                                                \
  CALL(library, name, parameters, arguments, __VA_ARGS__)
#define CALL(library, name, parameters, arguments, ...)                                                                \
  int name parameters;                                                                                                 \
  __attribute__((visibility("default"))) int name parameters {                                                         \
    static void *slot;                                                                                                 \
    int(*real) parameters = (int(*) parameters)cs_host_nvidia_function_once(library, #name, &slot);                    \
    if (!real)                                                                                                         \
      return cs_host_nvidia_missing(library, #name, results[library].missing);                                         \
    if (begin()) {                                                                                                     \
      const struct cs_host_span spans[] = {__VA_ARGS__};                                                               \
      CUresult refused = cs_host_span_refused(#name, spans, sizeof spans / sizeof *spans);                             \
      cs_host_inside_leave();                                                                                          \
      if (refused)                                                                                                     \
        return results[library].refused;                                                                               \
    }                                                                                                                  \
    return real arguments;                                                                                             \
  }
#include "host/libraries/library.inc"

static const struct replaced {
  const char *name;
  enum cs_host_nvidia library;
  void (*function)(void);
} replaced[] = {
#define CS_HOST_LIBRARY_CALL(library, name, parameters, arguments, ...) ENTRY(library, name)
#define ENTRY(library, name) {#name, library, (void (*)(void))name},
#include "host/libraries/library.inc"
#define CS_HOST_PLAN(name, parameters, arguments, plan_number, is_new, ...)                                            \
  {#name, CS_HOST_CUFFT, (void (*)(void))name},
#include "host/libraries/fft.inc"
};

static const struct replaced *named(const char *name) {
  for (size_t i = 0; i < sizeof replaced / sizeof *replaced; i++)
    if (strcmp(replaced[i].name, name) == 0)
      return &replaced[i];
  return NULL;
}

int cs_host_library_has(const char *name) {
  return named(name) != NULL;
}

void *cs_host_library_instead(const char *name, void *found) {
  const struct replaced *r = named(name);
  void *ours = (void *)r->function;
  return found != ours && cs_host_nvidia_has(r->library, found) ? ours : NULL;
}
