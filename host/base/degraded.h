/* degraded.h: counts what this process did not check, by reason (report/degraded.inc). Any thread, and signal handlers. */
#ifndef CUSAFE_HOST_BASE_DEGRADED_H
#define CUSAFE_HOST_BASE_DEGRADED_H

#include "report/degraded.h"

void cs_host_degraded(enum cs_degraded reason);
int cs_host_is_degraded(void);
void cs_host_degraded_counts(cs_u64 counts[CS_DEGRADED_COUNT]);

#endif
