/* thread.h: threads of CuSafe's own. */
#ifndef CUSAFE_HOST_BASE_THREAD_H
#define CUSAFE_HOST_BASE_THREAD_H

/* Starts a thread that runs `work` for ever. The program's threads handle its signals, and driver calls of this one are not
 * interposed. Returns 0, or -1 if there is no thread. */
int cs_host_thread_start(void (*work)(void));

#endif
