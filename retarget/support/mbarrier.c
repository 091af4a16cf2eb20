/* mbarrier.c: barriers that are objects in shared memory. An object's word holds, from bit 0: the arrivals that a phase
 * needs, those that the current phase still needs, the bytes that it still expects (biased, since they may arrive
 * first), and its parity. */
#include "support.h"

enum { COUNT_BITS = 20, PENDING = 20, BYTES = 40, PARITY = 63 };
#define MASK ((1ull << COUNT_BITS) - 1)
#define NO_BYTES (1ull << 21)

static u64 field(u64 word, u32 shift, u64 mask) {
  return word >> shift & mask;
}

void __cr_mbarrier_init(u64 *barrier, u32 count) {
  __cr_moves();
  *barrier = count | (u64)count << PENDING | NO_BYTES << BYTES;
}

/* Adds to the word. The thread after which nothing is pending begins the next phase: no other may arrive before it has
 * begun. */
static u64 change(u64 *barrier, u64 by) {
  __cr_moves();
  u64 old = __atomic_fetch_add(barrier, by, __ATOMIC_SEQ_CST), now = old + by;
  if (!field(now, PENDING, MASK) && field(now, BYTES, 2 * NO_BYTES - 1) == NO_BYTES)
    __atomic_fetch_add(barrier, field(now, 0, MASK) << PENDING | 1ull << PARITY, __ATOMIC_SEQ_CST);
  return old;
}

/* The state that is returned is the word before. */
u64 __cr_mbarrier_arrive(u64 *barrier, u32 count) {
  return change(barrier, 0 - ((u64)count << PENDING));
}
u64 __cr_mbarrier_arrive_drop(u64 *barrier, u32 count) {
  return change(barrier, 0 - ((u64)count << PENDING | count));
}
u64 __cr_mbarrier_arrive_expect(u64 *barrier, u32 bytes) {
  return change(barrier, ((u64)bytes << BYTES) - (1ull << PENDING));
}
void __cr_mbarrier_expect(u64 *barrier, u32 bytes) {
  __cr_moves();
  __atomic_fetch_add(barrier, (u64)bytes << BYTES, __ATOMIC_SEQ_CST);
}
void __cr_mbarrier_complete(u64 *barrier, u32 bytes) {
  change(barrier, 0 - ((u64)bytes << BYTES));
}
u32 __cr_mbarrier_pending(u64 state) {
  return (u32)field(state, PENDING, MASK);
}

/* The threads that have to arrive may run only if this one yields. */
u32 __cr_mbarrier_passed_parity(u64 *barrier, u32 parity) {
  u32 passed = __cr_awaited((u32)(*(volatile u64 *)barrier >> PARITY) != (parity & 1));
  if (!passed)
    __cr_yield();
  else
    __cr_moves();
  return passed;
}
u32 __cr_mbarrier_passed(u64 *barrier, u64 state) {
  return __cr_mbarrier_passed_parity(barrier, (u32)(state >> PARITY));
}
