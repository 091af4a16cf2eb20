/* library.c: calls of NVIDIA's closed libraries, each generated from its line of library.inc: compares the operands with their buffers, as
 * those of a copy are, and then calls the library. */
#include "host/hooks/library.h"
#include "host/base/inside.h"
#include "host/collect/compilers.h"
#include "host/hooks/copy.h"
#include "host/hooks/fft.h"
#include "host/hooks/start.h"
#include <stdint.h>
#include <string.h>

/* The libraries' results for a library that is not there, and for an operand that is refused. */
static const struct {
  int missing, refused;
} results[] = {[CS_HOST_CUBLAS] = {1, 7}, [CS_HOST_CURAND] = {102, 104}, [CS_HOST_CUFFT] = {5, 4}};

/* Matrices of rows x columns, `stride` elements apart. Nothing for arguments that the library rejects. */
static struct cs_host_span matrices(enum cs_access access, cs_u64 base, int64_t rows, int64_t columns, int64_t distance,
                                    cs_u64 bytes, int64_t stride, int64_t count) {
  int is_valid = rows > 0 && columns > 0 && distance >= rows && count > 0 && (stride >= 0 || count == 1);
  if (!is_valid || !base)
    return (struct cs_host_span){0};
  return (struct cs_host_span){base,
                               0,
                               cs_host_items(bytes, (cs_u64)rows),
                               cs_host_items(bytes, (cs_u64)distance),
                               (cs_u64)columns,
                               cs_host_items(bytes, (cs_u64)stride),
                               (cs_u64)count,
                               access};
}

/* A vector with a negative increment starts at its last element: the pointer is its lowest address in both cases. */
static struct cs_host_span vector(enum cs_access access, cs_u64 base, cs_u64 n, int64_t increment, cs_u64 bytes) {
  cs_u64 distance = increment < 0 ? 0 - (cs_u64)increment : (cs_u64)increment;
  if (!base || (int64_t)n <= 0)
    return (struct cs_host_span){0};
  return (struct cs_host_span){base, 0, bytes, cs_host_items(bytes, distance), n, 0, 1, access};
}

#define MATRICES(access, p, rows, columns, distance, bytes, stride, count)                                             \
  matrices(CS_ACCESS_##access, CS_HOST_PLAIN(p), rows, columns, distance, bytes, stride, count)
#define MATRIX(access, p, rows, columns, distance, bytes) MATRICES(access, p, rows, columns, distance, bytes, 0, 1)
#define VECTOR(access, p, n, increment, bytes)                                                                         \
  vector(CS_ACCESS_##access, CS_HOST_PLAIN(p), (cs_u64)(n), (int64_t)(increment), bytes)
/* A factor of a product: rows x columns after its operation. It is not read if the product is empty, which `other` decides. */
#define FACTORS(p, operation, rows, columns, other, distance, bytes, stride, count)                                    \
  MATRICES(READ, p, (operation) ? (columns) : (rows), (other) > 0 ? ((operation) ? (rows) : (columns)) : 0, distance,  \
           bytes, stride, count)
#define FACTOR(p, operation, rows, columns, other, distance, bytes)                                                    \
  FACTORS(p, operation, rows, columns, other, distance, bytes, 0, 1)
#define SCALED(handle, alpha, bytes, span) (is_scaled(handle, alpha, bytes) ? (span) : (struct cs_host_span){0})

/* Whether alpha is known not to be 0. In device memory it is not known. */
static int is_scaled(void *handle, const void *alpha, cs_u64 bytes) {
  int (*mode_of)(void *, int *) =
      (int (*)(void *, int *))cs_host_compiler_function(CS_HOST_CUBLAS, "cublasGetPointerMode_v2");
  int is_device = 1;
  const unsigned char *byte = alpha;
  if (!alpha || !mode_of || mode_of(handle, &is_device) || is_device)
    return 0;
  for (cs_u64 i = 0; i < bytes; i++)
    if (byte[i] & (i % 2 ? 0x7f : 0xff)) /* -0 is 0 */
      return 1;
  return 0;
}

/* cudaDataType, library_types.h. */
static cs_u64 type_bytes(int type) {
  static const unsigned char bytes[] = {4, 8, 2, 1, 8, 16, 4, 2, 1, 2, 4, 8, 4, 8, 2, 4};
  enum { FP8_E4M3 = 28, FP8_E5M2 = 29 };
  if (type == FP8_E4M3 || type == FP8_E5M2)
    return 1;
  return type >= 0 && type < (int)sizeof bytes ? bytes[type] : 0;
}

/* The bytes of alpha: of a cublasComputeType_t, or of the type that older releases passed; a complex result has a complex alpha. */
static cs_u64 scale_bytes(int compute, int type_c) {
  enum { C_32F = 4, C_64F = 5, COMPUTE_16F = 64, COMPUTE_32F = 68, COMPUTE_64F = 70, COMPUTE_32I = 72 };
  cs_u64 times = type_c == C_32F || type_c == C_64F ? 2 : 1;
  if (compute < COMPUTE_16F)
    return type_bytes(compute);
  if (compute < COMPUTE_32F)
    return 2;
  return times * (compute == COMPUTE_64F || compute == COMPUTE_64F + 1 ? 8 : 4);
}

/* Whether a call of the program is to be compared: not one that a library makes inside a driver call. */
static int begin(void) {
  if (cs_host_inside() || cs_host_start_inherited)
    return 0;
  cs_host_inside_enter();
  return 1;
}

#define CS_HOST_LIBRARY_CALL(library, name, parameters, arguments, ...)                                                \
  CALL(library, name, parameters, arguments, __VA_ARGS__)
#define CALL(library, name, parameters, arguments, ...)                                                                \
  int name parameters;                                                                                                 \
  __attribute__((visibility("default"))) int name parameters {                                                         \
    int(*real) parameters = (int(*) parameters)cs_host_compiler_function(library, #name);                              \
    if (!real)                                                                                                         \
      return results[library].missing;                                                                                 \
    if (begin()) {                                                                                                     \
      const struct cs_host_span spans[] = {__VA_ARGS__};                                                               \
      CUresult refused = cs_host_copy_refused(#name, spans, sizeof spans / sizeof *spans);                             \
      cs_host_inside_leave();                                                                                          \
      if (refused)                                                                                                     \
        return results[library].refused;                                                                               \
    }                                                                                                                  \
    return real arguments;                                                                                             \
  }
#include "host/hooks/library.inc"

static const struct replaced {
  const char *name;
  enum cs_host_compiler library;
  void (*function)(void);
} replaced[] = {
#define CS_HOST_LIBRARY_CALL(library, name, parameters, arguments, ...) ENTRY(library, name)
#define ENTRY(library, name) {#name, library, (void (*)(void))name},
#include "host/hooks/library.inc"
#define CS_HOST_PLAN(name, parameters, arguments, plan_number, is_new, ...)                                            \
  {#name, CS_HOST_CUFFT, (void (*)(void))name},
#include "host/hooks/fft.inc"
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
  return found != ours && cs_host_compiler_has(r->library, found) ? ours : NULL;
}
