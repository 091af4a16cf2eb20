/* stop.h: threads of the device that wait at their first error, so that a debugger finds them there (cusafe/abi.h, enum
 * cs_stop). All functions but the first two require the lock of drain.c. */
#ifndef CUSAFE_HOST_MODULES_STOP_H
#define CUSAFE_HOST_MODULES_STOP_H

#include "cusafe/abi.h"

/* With debugger=1: makes threads wait. The CPU device loads code that does so, because cusafe_debugger_requested()
 * tells it to. */
void cs_host_stop_arm(struct cs_ring *ring);

/* Whether a thread waits for an answer; whether one has got it, and is stopped in the debugger. */
int cs_host_stop_waits(const struct cs_ring *ring);
int cs_host_stop_is_stopped(const struct cs_ring *ring);

/* Around the report of a record: if its thread waits, that thread stops for the debugger instead of the host's. */
void cs_host_stop_begin(const struct cs_ring *ring, cs_u32 record);
void cs_host_stop_end(void);

/* The first `reported` records are reported: a thread that waits at one of them stops, or continues. */
void cs_host_stop_answer(struct cs_ring *ring, cs_u32 reported);

#endif
