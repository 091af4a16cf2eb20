/* debugger.h: stops the process at its first finding, for a debugger. */
#ifndef CUSAFE_HOST_FINDINGS_DEBUGGER_H
#define CUSAFE_HOST_FINDINGS_DEBUGGER_H

/* A finding that counts was reported. With debugger=1, the first one stops the process here: at once if a debugger is there,
 * and otherwise as soon as one comes. The thread is the one that saw the error: for what the host does wrong, the one that does
 * it; for a kernel's error, the one that waited for the kernel, unless a thread of the kernel waits at its error (stop.h). */
void cs_host_debugger_stop(void);

/* Whether debugger=1 was given and nothing has been found yet. */
int cs_host_debugger_expected(void);

/* 1: the finding that comes next is a kernel's to stop at, and not ours. Whether one came and so it was, since the last call. */
void cs_host_debugger_leave_to_kernel(int leave);
int cs_host_debugger_left_to_kernel(void);

#endif
