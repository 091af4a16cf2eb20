/* sync.h: what CuSafe does before device work is queued, and after the program has waited for it. */
#ifndef CUSAFE_HOST_HOOKS_SYNC_H
#define CUSAFE_HOST_HOOKS_SYNC_H

#include "host/base/driver.h"

/* Attaches the libraries that the current context has not seen. Returns whether there is a context. */
int cs_host_attach_libraries(void);

/* Device work is about to be queued: checked modules must know their ring, and metadata words must be up to date.
 * Returns 0, or an error that the call must return instead of queuing work: with stale words, correct accesses would be
 * reported. */
CUresult cs_host_before_work(void);

/* The same before a copy, which is queued in any case. */
void cs_host_before_copy(void);

/* The call waited for device work. Returns its result, or does not return: see drain.h. */
CUresult cs_host_after_sync(CUresult result);
CUresult cs_host_after_poll(CUresult result);
/* Around a call that waits for all work of a context. */
void cs_host_before_all(void);
CUresult cs_host_after_all(CUresult result);

/* After every call. An error that a kernel caused may be the last call before the program crashes, so the records are
 * drained; one that means that the driver stopped a kernel at an invalid address is a finding. */
void cs_host_report_fault(CUresult result, const char *call);

#endif
