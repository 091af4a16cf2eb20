/* degraded.h: counts what this process did not check, by reason (report/degraded.inc). Any thread, and signal handlers.
 *
 * One rule: what gives up checking counts it here, where it gives up. A failure that takes no check away (a report with
 * less detail, an attempt that is repeated later, a stream that stays checked) is excused with cs_host_nothing_lost()
 * in that place.
 *
 * Builds with CUSAFE_LOCK_CHECKS enforce the rule: a failure that a test injects (CUSAFE_CPU_ANOMALY,
 * tests/anomaly/allocations.c) while a call of the program is inside CuSafe must have been counted or excused when the
 * call ends, or the call itself fails. Otherwise the process ends with abort(). */
#ifndef CUSAFE_HOST_BASE_DEGRADED_H
#define CUSAFE_HOST_BASE_DEGRADED_H

#include "report/degraded.h"

void cs_host_degraded(enum cs_degraded reason);
int cs_host_is_degraded(void);
void cs_host_degraded_counts(cs_u64 counts[CS_DEGRADED_COUNT]);

#ifdef CUSAFE_LOCK_CHECKS
void cs_host_nothing_lost(void);
/* This thread has met an injected failure. */
void cs_host_owes(void);
/* A call of the program ends. */
void cs_host_owes_nothing(const char *call, int failed);
#else
static inline void cs_host_nothing_lost(void) {}
static inline void cs_host_owes_nothing(const char *call, int failed) {
  (void)call, (void)failed;
}
#endif

#endif
