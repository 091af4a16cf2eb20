/* shared.h: device memory that the checked modules of a context share. The context is current, and the calling thread
 * has its turn to attach modules. */
#ifndef CUSAFE_HOST_PROCESS_SHARED_H
#define CUSAFE_HOST_PROCESS_SHARED_H

#include "host/process/context.h"

/* Makes the bell, the table of variables and the sink, unless they exist. Returns 0 or a CUresult. */
int cs_host_context_open(struct cs_host_context *context);

/* Makes the heap of kernels, unless it exists. Returns 0 or a CUresult. */
int cs_host_context_open_heap(struct cs_host_context *context);
/* Makes the memory of the race detector, unless it exists. Returns 0 or a CUresult. */
int cs_host_context_open_races(struct cs_host_context *context);
/* The context is gone: its kernels' heap is not used again. */
void cs_host_context_close_heap(struct cs_host_context *context);

#endif
