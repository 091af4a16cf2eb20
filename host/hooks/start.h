/* start.h: CuSafe's start and end in a process. */
#ifndef CUSAFE_HOST_HOOKS_START_H
#define CUSAFE_HOST_HOOKS_START_H

/* At the first interposed call. Cheap afterwards. */
void cs_host_start(void);
/* The driver is in use. */
void cs_host_start_driver(void);

/* Exit handlers run in reverse order of registration, so this is called again whenever the driver may have registered
 * one: CuSafe must read the rings for the last time before the driver shuts down. */
void cs_host_start_watch_exit(void);

/* The process ends with this status, by exit or quick_exit (ending), or by _exit (leaving). Both return the status to
 * use: after errors, 0 becomes exitcode. Only the first call has an effect. */
int cs_host_start_ending(int status);
int cs_host_start_leaving(int status);
/* Whether one of them was called: what ends from now on ends with the process. */
int cs_host_start_is_over(void);

#endif
