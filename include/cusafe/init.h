/* init.h: the shadow that tells which bytes of memory are uninitialised (cusafe cc --detect=init).
 *
 * Buffers of the heap use the lower half of each tag's addresses (layout.h). The same address in the upper half is the
 * byte's shadow, with a 1 for each uninitialised bit. 0, as in memory that is mapped and was never touched, means
 * initialised.
 *
 * A new buffer is filled with a pattern, and its shadow with CS_INIT_NEVER. The bytes of a granule with that shadow are
 * uninitialised as long as all of them have the pattern: code that does not maintain the shadow, such as a copy by the
 * host, a library or an unchecked kernel, thereby initialises what it writes. What it writes may coincide with the
 * pattern, so fewer than CS_INIT_FEWEST bytes of a granule count as initialised.
 *
 * Shared memory of the CPU device is where the system maps memory, on stacks of the engine. Its shadow is at a constant
 * distance, too. The first thread of a block that enters a function with a shared variable marks that variable. What is
 * at such an address but not in shared memory of the block counts as initialised, whatever its shadow has.
 */
#ifndef CUSAFE_INIT_H
#define CUSAFE_INIT_H

#include "cusafe/layout.h"

#define CS_INIT_SHADOW (1ull << (CS_TAG_SHIFT - 1))

/* Addresses 0x7000'0000'0000 to 0x7fff'ffff'ffff, and what an address of these differs from that of its shadow in. */
#define CS_INIT_NEAR_LOG2 44
#define CS_INIT_NEAR_SHADOW (1ull << CS_INIT_NEAR_LOG2)
#define CS_INIT_NEAR_START (7ull << CS_INIT_NEAR_LOG2)
static inline __attribute__((always_inline)) int cs_init_is_near(cs_u64 address) {
  return address >> CS_INIT_NEAR_LOG2 == CS_INIT_NEAR_START >> CS_INIT_NEAR_LOG2;
}

/* The address of the shadow of an address that has one. */
static inline __attribute__((always_inline)) cs_u64 cs_init_shadow(cs_u64 address) {
  return cs_init_is_near(address) ? address ^ CS_INIT_NEAR_SHADOW : address | CS_INIT_SHADOW;
}

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

/* A shared variable, in shared memory itself: what the first thread of a block leaves there. */
struct cs_init_shared {
  cs_u64 block;        /* that has marked the variable (__cs_race_block) */
  cs_u64 start, bytes; /* of the variable */
  cs_u64 next;         /* another variable of the block, or 0 */
  cs_u64 site;         /* which has the variable's name */
};

/* The last load of uninitialised bytes by any thread of a block. */
struct cs_init_loaded {
  cs_u64 block;   /* 0: none */
  cs_u64 address; /* of such a byte, or 0: of a local variable */
  cs_u64 site;
  cs_u64 thread; /* its number in the block */
};

/* The variables that a block has marked. */
struct cs_init_marked {
  cs_u64 block;
  cs_u64 first; /* struct cs_init_shared, or 0 */
  struct cs_init_loaded loaded;
};

/* A function of libcusafe, void(void): kernels that use the shadow are registered, and will be loaded. */
#define CS_INIT_EXPECT "cusafe_expect_init"
void cusafe_expect_init(void);

/* What else writes to memory, as the CPU device's driver executes it: see cpu/cuda/base/shadow.h. */
#define CS_INIT_COPIED "cusafe_init_copied"
#define CS_INIT_FILLED "cusafe_init_filled"
#define CS_INIT_LAUNCHING "cusafe_init_launching"
#define CS_INIT_UNSEEN "cusafe_init_unseen"
typedef void cs_init_copied(cs_u64 to, cs_u64 from, cs_u64 bytes);
typedef void cs_init_filled(cs_u64 to, cs_u64 bytes);
typedef void cs_init_event(void);
cs_init_copied cusafe_init_copied;
cs_init_filled cusafe_init_filled;
cs_init_event cusafe_init_launching, cusafe_init_unseen;

/* The address of a cs_u32 that a kernel sets to 1 after it has loaded uninitialised bytes, so that it may have stored
 * such values: the shadow of the last byte of user space, which holds nothing. */
#define CS_INIT_LOADED ((CS_INIT_NEAR_START ^ CS_INIT_NEAR_SHADOW) + CS_INIT_NEAR_SHADOW - 8)

/* Buffers that are larger count as initialised: filling them would take all memory. */
#define CS_INIT_BYTES_MAX (1ull << 32)

#endif
