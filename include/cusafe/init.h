/* init.h: the shadow that tells which bytes of buffers are uninitialised (cusafe cc --detect=init).
 *
 * Buffers of the heap use the lower half of each tag's addresses (layout.h). The same address in the upper half is the
 * byte's shadow, with a 1 for each uninitialised bit. 0, as in memory that is mapped and was never touched, means
 * initialised.
 *
 * A new buffer is filled with a pattern, and its shadow with CS_INIT_NEVER. The bytes of a granule with that shadow are
 * uninitialised as long as all of them have the pattern: code that does not maintain the shadow, such as a copy by the
 * host, a library or an unchecked kernel, thereby initialises what it writes. What it writes may coincide with the
 * pattern, so fewer than CS_INIT_FEWEST bytes of a granule count as initialised.
 */
#ifndef CUSAFE_INIT_H
#define CUSAFE_INIT_H

#include "cusafe/layout.h"

#define CS_INIT_SHADOW (1ull << (CS_TAG_SHIFT - 1))

/* Not 0xff, the shadow of a byte that was written with an uninitialised value. */
#define CS_INIT_NEVER 0xefu

/* Bytes that are compared with the pattern together, and how many must have it. */
#define CS_INIT_GRANULE 8u
#define CS_INIT_FEWEST 4u

/* What a new buffer contains at an address, a multiple of CS_INIT_GRANULE. No byte is a small number, a character of
 * ASCII or 255, which programs write one by one. */
static inline __attribute__((always_inline)) cs_u64 cs_init_pattern(cs_u64 address) {
  cs_u64 x = address / CS_INIT_GRANULE * 0x9e3779b97f4a7c15ull;
  return ((x ^ x >> 32) | 0x8080808080808080ull) & 0xbfbfbfbfbfbfbfbfull;
}

/* A function of libcusafe, void(void): kernels that use the shadow are registered, and will be loaded. */
#define CS_INIT_EXPECT "cusafe_expect_init"
void cusafe_expect_init(void);

/* Buffers that are larger count as initialised: filling them would take all memory. */
#define CS_INIT_BYTES_MAX (1ull << 32)

#endif
