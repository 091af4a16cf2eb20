/* drain.h: from the device's records to findings on the report stream.
 *
 * With halt_on_error these functions do not return once something was found: the process ends with exitcode. */
#ifndef CUSAFE_HOST_DRAIN_H
#define CUSAFE_HOST_DRAIN_H

#include "cusafe/abi.h"

/* Reads all rings. Cheap when they hold nothing new. */
void cs_drain(void);

/* The process ends: passes over unfinished records, and prints the totals once. */
void cs_drain_last(void);

/* A bad free, found on the host. call: the driver call; stack: where. */
void cs_found_bad_free(cs_u64 address, const char *call, cs_u32 stack);

#endif
