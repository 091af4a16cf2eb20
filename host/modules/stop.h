/* stop.h: threads of the device that wait at their first error, so that a debugger finds them there (cusafe/abi.h, enum cs_stop).
 * All but the first are for whoever holds the lock of drain.c. */
#ifndef CUSAFE_HOST_FINDINGS_STOP_H
#define CUSAFE_HOST_FINDINGS_STOP_H

#include "cusafe/abi.h"

/* With debugger=1, asks threads to wait; and the CPU device for code that does so. */
void cs_host_stop_arm(struct cs_ring *ring);
void cs_host_stop_prepare_driver(void);

/* Does a thread wait for an answer? Has one got it, and stands in the debugger? */
int cs_host_stop_waits(const struct cs_ring *ring);
int cs_host_stop_is_stopped(const struct cs_ring *ring);

/* Around the report of a record: if its thread waits, that is what stops for the debugger, and not the host. */
void cs_host_stop_begin(const struct cs_ring *ring, cs_u32 record);
void cs_host_stop_end(void);

/* The first so many records are told: a thread that waits at one of them stops, or goes on. */
void cs_host_stop_answer(struct cs_ring *ring, cs_u32 told);

#endif
