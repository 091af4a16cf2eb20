/* race_global.h: the race detector's part for global memory, which threads of several blocks access. */
#ifndef CUSAFE_DEVICE_RACE_GLOBAL_H
#define CUSAFE_DEVICE_RACE_GLOBAL_H

#include "cusafe/abi.h"
#include "cusafe/race.h"

/* The arguments of __cs_race_access. */
struct cs_race_call {
  void *pointer;
  struct cs_clocks *clocks;
  cs_u32 thread;
  cs_u64 block, value;
  void *start;
  cs_u64 size;
  cs_u32 what, site;
};

/* 1 for a __device__ variable or a buffer. Other addresses may be those of local variables. */
int __cs_race_is_global(const struct cs_race_call *call);
void __cs_race_access_global(struct cs_races *races, const struct cs_race_call *call);

/* A thread of the block, which has passed that many barriers, may release what its block has accessed so far. */
void __cs_race_release(cs_u64 block, cs_u32 barriers);
/* The time of the last release so far. */
cs_u64 __cs_race_now(void);

#endif
