/* access.h: what the fast path and the cold path share: how an access is encoded in one argument, and which start offsets keep it
 * in bounds. */
#ifndef CUSAFE_DEVICE_ACCESS_H
#define CUSAFE_DEVICE_ACCESS_H

#include "cusafe/abi.h"

#define CS_WHAT(bytes, align_log2, access) ((bytes) | (align_log2) << 24 | (cs_u32)(access) << 28)
#define CS_WHAT_BYTES(what) ((what) & 0xffffffu)
#define CS_WHAT_ALIGN(what) (1u << ((what) >> 24 & 15))
#define CS_WHAT_ACCESS(what) ((what) >> 28 & 7)
#define CS_WHAT_FORGED                                                                                                 \
  (1u << 31) /* the root was built from an integer: the access alone decides which buffer it belongs to */

/* The number of start offsets at which an access of `bytes` stays inside a buffer of `size`. */
static inline __attribute__((always_inline)) cs_u64 cs_access_limit(cs_u64 size, cs_u64 bytes) {
  return size >= bytes ? size - (bytes - 1) : 0;
}

/* The limit, or 0 when the address is misaligned: the comparison then fails, and the cold path finds out why. */
static inline __attribute__((always_inline)) cs_u64 cs_access_aligned(cs_u64 limit, cs_u64 address, cs_u64 alignment) {
  return (address & (alignment - 1)) == 0 ? limit : 0;
}

#endif
