/* reclaim.h: a thread that returns the memory of buffers freed in stream order to the driver. The driver may wait for
 * all streams in that call, and the thread that freed the buffer must not. Any thread. */
#ifndef CUSAFE_HOST_PROCESS_RECLAIM_H
#define CUSAFE_HOST_PROCESS_RECLAIM_H

/* Lets the thread work, if there is something to reclaim. */
void cs_host_reclaim_soon(void);

#endif
