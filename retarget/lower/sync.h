/* sync.h: the checks of barriers that not all threads provably reach together, for barriers.c. */
#ifndef CUSAFE_RETARGET_LOWER_SYNC_H
#define CUSAFE_RETARGET_LOWER_SYNC_H

#include "retarget/unit/unit.h"

struct cs_rt_sync {
  struct cs_rt_unit *unit;
  LLVMBuilderRef builder;
  LLVMValueRef places;         /* a shared array: the place of each thread (support/sync.c); NULL: nothing is checked */
  LLVMValueRef where, skipped; /* on the stack: where the thread waits, and the barriers that it has skipped */
};

/* The shared array with the place of each thread. */
LLVMValueRef cs_rt_sync_places(struct cs_rt_unit *unit);

/* Starts to check those barriers of the function that the pass has given a site. The builder is before the first
 * instruction of the function. */
struct cs_rt_sync cs_rt_sync_begin(struct cs_rt_unit *unit, LLVMBuilderRef builder, LLVMValueRef function,
                                   LLVMValueRef *barriers, unsigned count);

/* At the builder's position: the thread waits at this call, the function's barrier `index`; call NULL: at what is not
 * checked. */
void cs_rt_sync_waits(struct cs_rt_sync *sync, LLVMValueRef call, unsigned index);
void cs_rt_sync_ends(struct cs_rt_sync *sync);

/* Before the barrier of the engine: makes the thread's place known to others. */
void cs_rt_sync_arrives(struct cs_rt_sync *sync);
/* After it: 1 (i1) if the places of the warp's threads may differ. */
LLVMValueRef cs_rt_sync_differs(struct cs_rt_sync *sync);
/* Compares them, and records what differs. */
void cs_rt_sync_compare(struct cs_rt_sync *sync);

#endif
