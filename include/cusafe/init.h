/* init.h: the shadow that tells which bytes of buffers are uninitialised (cusafe cc --detect=init).
 *
 * Buffers of the heap use the lower half of each tag's addresses (layout.h). The same address in the upper half is the
 * byte's shadow, with a 1 for each uninitialised bit. 0, as in memory that is mapped and was never touched, means
 * initialised.
 *
 * A new buffer is filled with a pattern, and its shadow with CS_INIT_NEVER. A byte with that shadow is uninitialised as
 * long as it has its pattern: code that does not maintain the shadow, such as a copy by the host, a library or an
 * unchecked kernel, thereby initialises what it writes. */
#ifndef CUSAFE_INIT_H
#define CUSAFE_INIT_H

#include "cusafe/layout.h"

#define CS_INIT_SHADOW (1ull << (CS_TAG_SHIFT - 1))

/* Not 0xff, the shadow of a byte that was written with an uninitialised value. */
#define CS_INIT_NEVER 0xefu

/* Bytes that are compared with the pattern together: writes of single bytes may coincide with it. */
#define CS_INIT_GRANULE 8u

/* What a new buffer contains at an address, a multiple of CS_INIT_GRANULE. */
static inline __attribute__((always_inline)) cs_u64 cs_init_pattern(cs_u64 address) {
  cs_u64 x = address / CS_INIT_GRANULE * 0x9e3779b97f4a7c15ull;
  return x ^ x >> 32;
}

/* A function of libcusafe, void(void): kernels that use the shadow are registered, and will be loaded. */
#define CS_INIT_EXPECT "cusafe_expect_init"
void cusafe_expect_init(void);

/* Buffers that are larger count as initialised: filling them would take all memory. */
#define CS_INIT_BYTES_MAX (1ull << 32)

#endif
