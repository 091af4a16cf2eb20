/* pending.h: buffers freed in stream order: the stream clears the word, and the memory goes back when the stream has got
 * there. Until then the buffer counts as freed for whoever frees it again. Any thread. */
#ifndef CUSAFE_HOST_PROCESS_PENDING_H
#define CUSAFE_HOST_PROCESS_PENDING_H

#include "host/process/process.h"

/* address: claimed with cs_host_heap_claim_free(). Returns 0 or the driver's CUresult; then the buffer was not freed. */
int cs_host_pending_add(cs_u64 address, CUstream stream, cs_u32 stack);

/* Frees what the streams are done with. force: wait for the rest. */
void cs_host_pending_collect(int force);

/* Whether the buffer that starts here waits for its stream; then also where it was freed. */
int cs_host_pending_find(cs_u64 address, cs_u32 *stack);

#endif
