/* race_flags.h: what threads release, and learn of others' releases, through flags. flag: an address, or 0 for any.
 * in_block: for the threads of the block only. */
#ifndef CUSAFE_DEVICE_RACE_FLAGS_H
#define CUSAFE_DEVICE_RACE_FLAGS_H

#include "cusafe/abi.h"
#include "cusafe/race.h"

void __cs_race_fence_of(struct cs_clocks *clocks, cs_u32 thread, cs_u64 block, cs_u32 in_block);
void __cs_race_publish_of(struct cs_clocks *clocks, cs_u32 thread, const void *flag, cs_u32 in_block);
void __cs_race_observe_of(struct cs_clocks *clocks, cs_u32 thread, const void *flag, cs_u32 in_block);
/* After a compare-and-swap that has taken a lock of this name; 0: it has not. */
void __cs_race_lock_of(struct cs_clocks *clocks, cs_u32 thread, const void *flag, cs_u64 name);

#endif
