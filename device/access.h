/* access.h: what the fast path and the cold path share: which start offsets keep an access in bounds. check.h encodes an
 * access. */
#ifndef CUSAFE_DEVICE_ACCESS_H
#define CUSAFE_DEVICE_ACCESS_H

#include "cusafe/abi.h"
#include "cusafe/check.h"

/* The number of start offsets at which an access of `bytes` stays inside a buffer of `size`. */
static inline __attribute__((always_inline)) cs_u64 cs_access_limit(cs_u64 size, cs_u64 bytes) {
  return size >= bytes ? size - (bytes - 1) : 0;
}

/* The limit, or 0 when the address is misaligned: the comparison then fails, and the cold path finds out why. */
static inline __attribute__((always_inline)) cs_u64 cs_access_aligned(cs_u64 limit, cs_u64 address, cs_u64 alignment) {
  return (address & (alignment - 1)) == 0 ? limit : 0;
}

#endif
