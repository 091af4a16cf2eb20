/* access.h: which start offsets and indices keep an access in bounds: for the fast path, the cold path, and the host
 * before a launch. check.h encodes an access. */
#ifndef CUSAFE_ACCESS_H
#define CUSAFE_ACCESS_H

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

/* How many indices from 0 on are in bounds, for accesses at distance + index * 2^shift from a buffer's start. A
 * negative distance is a large one: only the cold path decides there. */
static inline __attribute__((always_inline)) cs_u64 cs_access_indices(cs_u64 distance, cs_u32 shift, cs_u64 limit) {
  return limit > distance ? ((limit - distance - 1) >> shift) + 1 : 0;
}

#endif
