/* debugger.h: stops the process at its first finding, for a debugger. */
#ifndef CUSAFE_HOST_DEBUGGER_H
#define CUSAFE_HOST_DEBUGGER_H

/* A finding that counts was reported. With debugger=1, the first one stops the process here: at once if a debugger is there,
 * and otherwise as soon as one comes. The thread is the one that saw the error: for what the host does wrong, the one that does
 * it; for a kernel's error, the one that waited for the kernel. */
void cs_debugger_stop(void);

#endif
