/* watch.h: a thread that reports errors of kernels which do not finish. */
#ifndef CUSAFE_HOST_FINDINGS_WATCH_H
#define CUSAFE_HOST_FINDINGS_WATCH_H

/* Starts the thread, once a checked module is loaded and if the options need it. Cheap afterwards. */
void cs_host_watch(void);

#endif
