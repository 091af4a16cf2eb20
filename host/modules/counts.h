/* counts.h: the counters that a checked module keeps on the device. Callers hold the lock of drain.c. */
#ifndef CUSAFE_HOST_MODULES_COUNTS_H
#define CUSAFE_HOST_MODULES_COUNTS_H

#include "host/modules/checked.h"

/* Reads the errors at each site. Returns 0, or -1 if they cannot be read: its context is dead. */
int cs_host_checked_refresh(struct cs_host_checked *checked);

/* Writes the counts that the host knows back to the device, so that errors which the host discarded are recorded when
 * they happen again. Nothing may be running. Returns 0, or -1 as above. */
int cs_host_checked_rearm(const struct cs_host_checked *checked);

/* Reads the counter of executed checks, for cs_host_checks_executed(). */
void cs_host_checked_refresh_checks(struct cs_host_checked *checked);

/* Checks executed so far, in modules that count them. */
struct cs_host_checks {
  cs_u64 executed;
  cs_u32 modules, counting; /* all checked modules; those that count and could be read */
  cs_u32 silent;            /* those that count but can no longer be read: the device has stopped */
};
struct cs_host_checks cs_host_checks_executed(void);
/* The module is about to be deleted: its checks still count. */
void cs_host_checks_keep(const struct cs_host_checked *checked);

#endif
