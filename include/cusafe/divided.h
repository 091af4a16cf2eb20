/* divided.h: buffers of which only some bytes may be accessed: poisoned ranges, and memory that a pool has not handed
 * out.
 *
 * Included by the device runtime and the host runtime; freestanding. The word of a divided buffer grants nothing, so
 * every check fails, and the cold path reads the shadow: one bit for each byte of the window, 1 if it may be accessed.
 * Only with CS_PLACEMENT_TABLE. */
#ifndef CUSAFE_DIVIDED_H
#define CUSAFE_DIVIDED_H

#include "cusafe/layout.h"

#define CS_SHADOW_BASE (44ull << CS_TAG_SHIFT)

/* p: any address in the window. No other word has a start and no size. */
static inline cs_u64 cs_divided_word(cs_u64 p) {
  return cs_meta_word_at(p, CS_START_UNIT, 0);
}

/* The address of the 64 bits that contain an address's bit, which is bit address % 64. */
static inline cs_u64 cs_shadow_word(cs_u64 address) {
  return CS_SHADOW_BASE + (address >> 6 << 3);
}

_Static_assert(CS_SHADOW_BASE >= CS_TABLE_BASE + CS_TABLE_BYTES, "the shadow follows the table");

#endif
