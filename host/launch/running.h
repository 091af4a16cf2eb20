/* running.h: in which streams kernels may run. Never waits. Any thread. */
#ifndef CUSAFE_HOST_LAUNCH_RUNNING_H
#define CUSAFE_HOST_LAUNCH_RUNNING_H

#include <cuda.h>

/* A kernel or a graph is about to be launched in this stream of the current context; a stream is about to be destroyed. */
void cs_host_running_add(CUstream stream);
void cs_host_running_destroyed(CUstream stream);

/* The context was destroyed, after its kernels had ended. */
struct cs_host_context;
void cs_host_running_forget_context(const struct cs_host_context *context);

/* Whether no kernel runs at all; or none in another stream than this one of the current context. */
int cs_host_running_none(void);
int cs_host_running_only(CUstream stream);

#endif
