/* running.h: in which streams kernels may run. Any thread. */
#ifndef CUSAFE_HOST_LAUNCH_RUNNING_H
#define CUSAFE_HOST_LAUNCH_RUNNING_H

#include <cuda.h>

/* A kernel or a graph is about to be launched in this stream of the current context; a stream is about to be
 * destroyed. */
void cs_host_running_add(CUstream stream);
void cs_host_running_destroyed(CUstream stream);

/* The context was destroyed, after its kernels had ended. */
struct cs_host_context;
void cs_host_running_forget_context(const struct cs_host_context *context);

/* Whether no kernel runs. Never waits. */
int cs_host_running_none(void);

/* Waits for kernels that run, but not for longer than a second: they may wait for the host. Returns 1 if none runs.
 * After a call that gave up, the next ones do not wait until those kernels have ended. No lock may be held. */
int cs_host_running_await(void);

#endif
