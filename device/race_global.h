/* race_global.h: the race detector's part for global memory, which threads of several blocks access. */
#ifndef CUSAFE_DEVICE_RACE_GLOBAL_H
#define CUSAFE_DEVICE_RACE_GLOBAL_H

#include "cusafe/abi.h"
#include "cusafe/race.h"

struct cs_race_call;

/* 1 for a __device__ variable or a buffer. Other addresses may be those of local variables. */
int __cs_race_is_global(const struct cs_race_call *call);
void __cs_race_access_global(struct cs_races *races, const struct cs_race_call *call);

#endif
