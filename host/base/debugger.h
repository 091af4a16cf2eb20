/* debugger.h: stops the process in a debugger at its first finding (option debugger). */
#ifndef CUSAFE_HOST_BASE_DEBUGGER_H
#define CUSAFE_HOST_BASE_DEBUGGER_H

/* A finding that counts was reported. With debugger=1, the first one stops the process here, waiting for a debugger if
 * there is none. The stopped thread is the one that saw the error: for an error of the host, the one that made it; for
 * a kernel's error, the one that waited for the kernel, unless a thread of the kernel waits at its error
 * (modules/stop.h). */
void cs_host_debugger_stop(void);

/* Whether debugger=1 was given and nothing has been found yet. */
int cs_host_debugger_expected(void);

/* With leave=1, the next finding stops a thread of the kernel instead of this one. cs_host_debugger_left_to_kernel()
 * returns whether that happened since its last call. */
void cs_host_debugger_leave_to_kernel(int leave);
int cs_host_debugger_left_to_kernel(void);

#endif
