/* operands.c: the memory of vectors and matrices that a library's call names. */
#include "host/libraries/operands.h"
#include <library_types.h>

struct cs_host_span cs_host_matrices(enum cs_access access, cs_u64 base, int64_t rows, int64_t columns,
                                     int64_t distance, cs_u64 bytes, int64_t stride, int64_t count) {
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

struct cs_host_span cs_host_vector(enum cs_access access, cs_u64 base, cs_u64 n, int64_t increment, cs_u64 bytes) {
  cs_u64 distance = increment < 0 ? 0 - (cs_u64)increment : (cs_u64)increment;
  if (!base || (int64_t)n <= 0)
    return (struct cs_host_span){0};
  return (struct cs_host_span){base, 0, bytes, cs_host_items(bytes, distance), n, 0, 1, access};
}

/* Without its diagonal, a triangle starts in its second row or column. */
struct cs_host_span cs_host_triangle(cs_u64 base, int is_upper, int is_unit, int64_t n, int64_t distance,
                                     cs_u64 bytes) {
  int64_t side = is_unit ? n - 1 : n;
  struct cs_host_span span =
      cs_host_matrices(CS_ACCESS_READ, base, side, side, distance >= n ? distance : 0, bytes, 0, 1);
  if (is_unit && span.base)
    span.offset = is_upper ? span.pitch : bytes;
  return span;
}

cs_u64 cs_host_type_bytes(int type) {
  static const unsigned char bytes[] = {[CUDA_R_8I] = 1,      [CUDA_C_8I] = 2,     [CUDA_R_8U] = 1,   [CUDA_C_8U] = 2,
                                        [CUDA_R_16F] = 2,     [CUDA_C_16F] = 4,    [CUDA_R_16BF] = 2, [CUDA_C_16BF] = 4,
                                        [CUDA_R_32F] = 4,     [CUDA_C_32F] = 8,    [CUDA_R_32I] = 4,  [CUDA_C_32I] = 8,
                                        [CUDA_R_32U] = 4,     [CUDA_C_32U] = 8,    [CUDA_R_64F] = 8,  [CUDA_C_64F] = 16,
                                        [CUDA_R_8F_E4M3] = 1, [CUDA_R_8F_E5M2] = 1};
  return type >= 0 && type < (int)sizeof bytes ? bytes[type] : 0;
}

int cs_host_is_nonzero(const void *number, cs_u64 bytes) {
  const unsigned char *byte = number;
  for (cs_u64 i = 0; number && i < bytes; i++)
    if (byte[i] & (i % 2 ? 0x7f : 0xff)) /* -0 is 0 */
      return 1;
  return 0;
}

int cs_host_is_scaled(int (*mode_of)(void *handle, int *is_device), void *handle, const void *alpha, cs_u64 bytes) {
  int is_device = 1;
  return mode_of && !mode_of(handle, &is_device) && !is_device && cs_host_is_nonzero(alpha, bytes);
}
