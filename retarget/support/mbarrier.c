/* mbarrier.c: barriers that are objects in shared memory. */
#include "mbarrier.h"

#define NO_BYTES (1ull << 21)

static u64 bytes_of(u64 word) {
  return word >> MBARRIER_BYTES & (2 * NO_BYTES - 1);
}

void __cr_mbarrier_init(u64 *barrier, u32 count) {
  __cr_moves();
  *barrier = count | (u64)count << MBARRIER_PENDING | NO_BYTES << MBARRIER_BYTES;
}

/* The memory is free for other uses. */
void __cr_mbarrier_inval(u64 *barrier) {
  (void)barrier;
}

/* Adds to the word. The thread after which nothing is pending begins the next phase: no other may arrive before it has
 * begun. */
static u64 change(u64 *barrier, u64 by) {
  __cr_moves();
  u64 old = __atomic_fetch_add(barrier, by, __ATOMIC_SEQ_CST), now = old + by;
  if (!mbarrier_pending(now) && bytes_of(now) == NO_BYTES)
    __atomic_fetch_add(barrier, (now & MBARRIER_COUNTS) << MBARRIER_PENDING | 1ull << MBARRIER_PARITY,
                       __ATOMIC_SEQ_CST);
  return old;
}

/* The state that is returned is the word before. */
u64 __cr_mbarrier_arrive(u64 *barrier, u32 count) {
  return change(barrier, 0 - ((u64)count << MBARRIER_PENDING));
}
u64 __cr_mbarrier_arrive_drop(u64 *barrier, u32 count) {
  return change(barrier, 0 - ((u64)count << MBARRIER_PENDING | count));
}
/* .noComplete: others arrive later in this phase. */
u64 __cr_mbarrier_arrive_some(u64 *barrier, u32 count) {
  return __cr_mbarrier_arrive(barrier, count);
}
u64 __cr_mbarrier_drop_some(u64 *barrier, u32 count) {
  return __cr_mbarrier_arrive_drop(barrier, count);
}
u64 __cr_mbarrier_arrive_expect(u64 *barrier, u32 bytes) {
  return change(barrier, ((u64)bytes << MBARRIER_BYTES) - (1ull << MBARRIER_PENDING));
}
void __cr_mbarrier_expect(u64 *barrier, u32 bytes) {
  __cr_moves();
  __atomic_fetch_add(barrier, (u64)bytes << MBARRIER_BYTES, __ATOMIC_SEQ_CST);
}
void __cr_mbarrier_complete(u64 *barrier, u32 bytes) {
  change(barrier, 0 - ((u64)bytes << MBARRIER_BYTES));
}
u32 __cr_mbarrier_pending(u64 state) {
  return mbarrier_pending(state);
}

/* The threads that have to arrive may run only if this one yields. */
u32 __cr_mbarrier_passed_parity(u64 *barrier, u32 parity) {
  u32 passed = __cr_awaited((u32)(*(volatile u64 *)barrier >> MBARRIER_PARITY) != (parity & 1));
  if (!passed)
    __cr_yield();
  else
    __cr_moves();
  return passed;
}
u32 __cr_mbarrier_passed(u64 *barrier, u64 state) {
  return __cr_mbarrier_passed_parity(barrier, (u32)(state >> MBARRIER_PARITY));
}
