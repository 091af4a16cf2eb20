/* race.h: what the race detector remembers of accesses to shared memory, and of the threads of a block.
 *
 * A cell describes one word (4 bytes) of shared memory: the last write, and up to two reads since the last barrier.
 * Two reads are enough: they are of different threads, and of different warps if any two are, so that whichever
 * thread writes next, one of them is another's. */
#ifndef CUSAFE_RACE_H
#define CUSAFE_RACE_H

#include "cusafe/layout.h"

/* A clock is what a thread has passed, in 32 bits: barriers of its block, barriers of its warp since the last of
 * these, and whether it has executed a fence since. A count that does not fit stays at its maximum, which orders
 * everything. */
#define CS_CLOCK_FENCE 1u
#define CS_CLOCK_WARP_SHIFT 1
#define CS_CLOCK_WARP_MAX 0x7ffu
#define CS_CLOCK_BLOCK_SHIFT 12
#define CS_CLOCK_BLOCK_MAX 0xfffffu
#define CS_CLOCK_THREADS 1024u

/* How an access takes part in synchronisation. */
enum cs_strength { CS_STRENGTH_PLAIN = 1, CS_STRENGTH_VOLATILE, CS_STRENGTH_ATOMIC };

/* What an access does, in one 32-bit word: bytes, enum cs_access, enum cs_strength, and flags. */
#define CS_RACE_WHAT(bytes, access, strength) ((bytes) | (cs_u32)(access) << 20 | (cs_u32)(strength) << 22)
#define CS_RACE_BYTES(what) ((what) & 0xfffffu)
#define CS_RACE_BYTES_MAX 0xfffffu
#define CS_RACE_ACCESS(what) ((what) >> 20 & 3)
#define CS_RACE_STRENGTH(what) ((what) >> 22 & 3)
#define CS_RACE_HAS_VALUE (1u << 24)   /* a plain write whose value is known */
#define CS_RACE_ANYWHERE (1u << 25)    /* perhaps not to shared memory */
#define CS_RACE_WAS_WRITTEN (1u << 26) /* memory has a value, which accesses without a check may have written */

/* An access in 64 bits: enum cs_strength, thread, site, and the thread's clock without its fence. 0: none. */
#define CS_TRACE_THREAD_SHIFT 2
#define CS_TRACE_SITE_SHIFT 12
#define CS_TRACE_SITE_MAX 0xfffffu /* unknown: a module with more sites */
#define CS_TRACE_CLOCK_SHIFT 32
static inline
    __attribute__((always_inline)) cs_u64 cs_trace(cs_u32 strength, cs_u32 thread, cs_u32 site, cs_u32 clock) {
  cs_u64 known = site < CS_TRACE_SITE_MAX ? site : CS_TRACE_SITE_MAX;
  return strength | thread << CS_TRACE_THREAD_SHIFT | known << CS_TRACE_SITE_SHIFT |
         (cs_u64)(clock & ~CS_CLOCK_FENCE) << CS_TRACE_CLOCK_SHIFT;
}
static inline __attribute__((always_inline)) cs_u32 cs_trace_strength(cs_u64 trace) {
  return trace & 3;
}
static inline __attribute__((always_inline)) cs_u32 cs_trace_thread(cs_u64 trace) {
  return trace >> CS_TRACE_THREAD_SHIFT & (CS_CLOCK_THREADS - 1);
}
static inline __attribute__((always_inline)) cs_u32 cs_trace_site(cs_u64 trace) {
  return trace >> CS_TRACE_SITE_SHIFT & CS_TRACE_SITE_MAX;
}
static inline __attribute__((always_inline)) cs_u32 cs_trace_clock(cs_u64 trace) {
  return (cs_u32)(trace >> CS_TRACE_CLOCK_SHIFT);
}

/* The accesses to a word or a byte that may still race. */
struct cs_traces {
  cs_u64 write, read, other_read;
};

struct cs_cell {
  cs_u64 block; /* the block whose accesses these are; those of an earlier one are void */
  struct cs_traces word;
  cs_u64 is_split; /* a part of the word was accessed: the traces are those of its bytes */
};

/* Cells are found by the page of an address, in a table of pages with open addressing. */
#define CS_RACE_PAGE_LOG2 12
#define CS_RACE_PAGE_CELLS (1u << (CS_RACE_PAGE_LOG2 - 2))
#define CS_RACE_PAGES 1024u
struct cs_race_page {
  struct cs_cell cells[CS_RACE_PAGE_CELLS];
  struct cs_traces bytes[CS_RACE_PAGE_CELLS][4]; /* of the words that are split */
};
struct cs_races {
  cs_u64 keys[CS_RACE_PAGES]; /* address >> CS_RACE_PAGE_LOG2, or 0 */
};
#define CS_RACES_BYTES (sizeof(struct cs_races) + CS_RACE_PAGES * sizeof(struct cs_race_page))

_Static_assert(sizeof(struct cs_cell) == 40, "cs_cell");

#endif
