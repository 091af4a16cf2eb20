/* watch.h: a thread that reports errors when the program's threads do not: those of kernels that do not finish, and the
 * last ones of a process that leaves in a signal handler. */
#ifndef CUSAFE_HOST_FINDINGS_WATCH_H
#define CUSAFE_HOST_FINDINGS_WATCH_H

/* Starts the thread, once the driver is in use. Cheap afterwards. */
void cs_host_watch(void);

/* The process ends without exit handlers: has the thread report all errors so far, and waits for it, but not for ever.
 * A signal handler may call it: it takes no lock and no memory, and the interrupted thread may hold a lock that the
 * report needs. Returns 0, or -1 if the report is not complete. */
int cs_host_watch_leave(void);

#endif
