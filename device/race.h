/* race.h: the functions that the race detector calls in kernels (pass/detect/detect_race.c). */
#ifndef CUSAFE_DEVICE_RACE_H
#define CUSAFE_DEVICE_RACE_H

#include "cusafe/abi.h"
#include "cusafe/race.h"

/* At the start of a kernel, after a barrier of the block, after one of the warp, and before a fence. in_block: for the
 * threads of the block only. */
void __cs_race_begin(void);
void __cs_race_barrier(void);
void __cs_race_warp_barrier(cs_u32 mask);
void __cs_race_fence(cs_u32 in_block);

/* Before and after what other threads may see, or what may see that of others: atomic operations and volatile accesses
 * at `flag`; 0: anywhere. */
void __cs_race_publish(void *flag, cs_u32 in_block);
void __cs_race_observe(void *flag, cs_u32 in_block);

/* After a compare-and-swap, which may have taken a lock: what it found, and its operands. */
void __cs_race_lock(void *flag, cs_u64 found, cs_u64 expected, cs_u64 stored);

/* The clocks of the block's threads, the number of this thread in the block, and one of the block that no other has
 * in the process: for __cs_race_access, so that a kernel computes them once. On the CPU device, only kernels have
 * shared variables. */
struct cs_clocks *__cs_race_clocks(void);
cs_u32 __cs_race_thread(void);
cs_u64 __cs_race_block(void);

/* Before an access at `pointer`, which is in a variable from `start` on, of `size` bytes, if these are known. value:
 * what a plain write of up to 8 bytes stores. */
void __cs_race_access(void *pointer, struct cs_clocks *clocks, cs_u32 thread, cs_u64 block, cs_u64 value, void *start,
                      cs_u64 size, cs_u32 what, cs_u32 site);

#endif
