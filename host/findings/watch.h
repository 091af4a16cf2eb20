/* watch.h: a thread that looks after kernels which err and do not end. */
#ifndef CUSAFE_HOST_FINDINGS_WATCH_H
#define CUSAFE_HOST_FINDINGS_WATCH_H

/* Begins, once. */
void cs_host_watch(void);

#endif
