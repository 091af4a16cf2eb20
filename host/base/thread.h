/* thread.h: threads of CuSafe's own. */
#ifndef CUSAFE_HOST_BASE_THREAD_H
#define CUSAFE_HOST_BASE_THREAD_H

/* Each starts a thread that runs `work`, once or again and again. The program's own threads handle its signals, and
 * driver calls of the new thread are not interposed. Returns 0, or -1 if there is no thread. */
int cs_host_thread_once(void (*work)(void));
int cs_host_thread_for_ever(void (*work)(void));

#endif
