/* changes.h: counts the events after which CuSafe may no longer treat a launch as it has treated an equal one before
 * (launch/repeat.h). Any thread, without a lock. */
#ifndef CUSAFE_HOST_BASE_CHANGES_H
#define CUSAFE_HOST_BASE_CHANGES_H

#include "cusafe/layout.h"

/* Both counts in one word, which a launch reads once: changes in the upper half, ends in the lower. Never 0. */
extern cs_u64 cs_host_changes __attribute__((visibility("hidden")));

static inline cs_u64 cs_host_changes_now(void) {
  return __atomic_load_n(&cs_host_changes, __ATOMIC_SEQ_CST);
}

/* The choice of a form may differ from now on. */
static inline void cs_host_changed(void) {
  __atomic_fetch_add(&cs_host_changes, 1ull << 32, __ATOMIC_SEQ_CST);
}

/* What was noted of earlier launches is about to be forgotten because they have ended, or a buffer is new: an equal
 * launch notes it again. A launch counts itself before it reads the word, so the caller that reads the count of
 * launches after this call either finds the launch, or the launch finds the change. */
static inline void cs_host_ended(void) {
  __atomic_fetch_add(&cs_host_changes, 1, __ATOMIC_SEQ_CST);
}

#endif
