/* drain.h: from the device's records, and from what the host found, to findings on the report stream.
 *
 * With on_error=halt these functions do not return once something was found: the process ends with exitcode. */
#ifndef CUSAFE_HOST_FINDINGS_DRAIN_H
#define CUSAFE_HOST_FINDINGS_DRAIN_H

#include "host/findings/finding.h"

/* Reads all rings. Cheap when they hold nothing new. */
void cs_host_drain(void);

/* Whether the device has written anything that was not read yet. Never waits. */
int cs_host_drain_pending(void);
/* Whether a thread of the device waits for that (stop.h). Never waits. */
int cs_host_drain_awaited(void);
/* Reads what a kernel has written that is still running: without its counts, which would have to wait for it. */
void cs_host_drain_running(void);

/* Reads them, and then forgets the modules of this module or library handle, or of a context that is gone. */
void cs_host_drain_unloading(void *owner);
void cs_host_drain_context_gone(struct cs_host_context *context);

/* From now on, errors in kernels are thrown away, or count again. Nothing may be running. */
void cs_host_drain_ignore(int ignore);

/* The process ends: passes over unfinished records, and prints the totals once. */
void cs_host_drain_last(void);

/* The same, without the exit handlers: nothing is waited for, and leaks are not looked for. */
void cs_host_drain_leaving(void);

/* What the host found itself. Each place is reported once, and then only counted. */
void cs_host_found_bad_free(cs_u64 address, const char *call, cs_u32 stack);
void cs_host_found_api(const struct cs_host_api_error *error);
void cs_host_found_argument(const struct cs_host_argument_error *error);
/* Only the first one is told, and only if nothing that was found before explains it. */
void cs_host_found_fault(const struct cs_host_fault_error *error);
void cs_host_found_leaks(void);

/* Whether anything was found so far. */
int cs_host_found_any(void);

#endif
