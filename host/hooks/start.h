/* start.h: when CuSafe begins and ends in a process. */
#ifndef CUSAFE_HOST_HOOKS_START_H
#define CUSAFE_HOST_HOOKS_START_H

/* 1 in a child of a process that used the driver, which cannot be used there: CuSafe stays out of the way, with locks that nobody
 * may be left to open. */
extern int cs_host_start_inherited __attribute__((visibility("hidden")));

/* At the first interposed call. Cheap afterwards. */
void cs_host_start(void);
/* The driver is in use. */
void cs_host_start_driver(void);

/* Exit handlers run last-registered first, so this is called again whenever the driver may have registered its own: CuSafe's
 * last look at the rings must come before the driver goes away. */
void cs_host_start_watch_exit(void);

/* The process ends with this status, by exit or quick_exit; or leaves, by _exit. They return the status to use: errors that were
 * found make a failure of a success. Work is done at the first call only. */
int cs_host_start_ending(int status);
int cs_host_start_leaving(int status);

#endif
