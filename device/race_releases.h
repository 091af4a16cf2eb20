/* race_releases.h: the releases of blocks for others (struct cs_release). */
#ifndef CUSAFE_DEVICE_RACE_RELEASES_H
#define CUSAFE_DEVICE_RACE_RELEASES_H

#include "cusafe/abi.h"

/* The block may release for others what it has accessed so far, before this time of its own. Returns the time of the
 * process. */
cs_u64 __cs_race_release(cs_u64 block, cs_u32 before);
/* What the block has released up to a time of the process: what it accessed before this time of its own. */
cs_u32 __cs_race_released(cs_u64 block, cs_u64 time);
/* The first time of the process at which a block may have released what it accessed at a time of its own; ~0: not so
 * far. */
cs_u64 __cs_race_release_time(cs_u64 block, cs_u32 accessed);

#endif
