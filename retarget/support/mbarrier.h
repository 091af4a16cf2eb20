/* mbarrier.h: the word of an mbarrier. It holds, from bit 0: the arrivals that a phase needs, those that the current
 * phase still needs, the bytes that it still expects (biased, since they may arrive first), and its parity. */
#ifndef CUSAFE_RETARGET_SUPPORT_MBARRIER_H
#define CUSAFE_RETARGET_SUPPORT_MBARRIER_H

#include "support.h"

enum { MBARRIER_COUNT_BITS = 20, MBARRIER_PENDING = 20, MBARRIER_BYTES = 40, MBARRIER_PARITY = 63 };
#define MBARRIER_COUNTS ((1ull << MBARRIER_COUNT_BITS) - 1)

static inline u32 mbarrier_pending(u64 word) {
  return (u32)(word >> MBARRIER_PENDING & MBARRIER_COUNTS);
}

#endif
