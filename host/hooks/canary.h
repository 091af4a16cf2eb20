/* canary.h: launches of kernels without checks, and where the bytes next to buffers are inspected
 * (modules/canary.h). */
#ifndef CUSAFE_HOST_HOOKS_CANARY_H
#define CUSAFE_HOST_HOOKS_CANARY_H

#include "host/launch/forms.h"
#include "host/modules/canary.h"
#include "host/process/context.h"

struct cs_host_call;

/* Around the launch of a kernel, by the same thread. */
void cs_host_canary_launching(const struct cs_host_launch *launch, const struct cs_host_launch_note *note,
                              const struct cs_host_call *call);
void cs_host_canary_launched(CUresult result);
/* A graph is about to be launched, which may have kernels without checks. */
void cs_host_canary_launching_graph(void);

/* The context is about to end, or the process. */
void cs_host_canary_ending(struct cs_host_context *context);

#endif
