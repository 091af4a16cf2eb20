/* pending.h: buffers freed in stream order. The stream clears the metadata word, and the heap gets the memory back once
 * the stream has reached that point. Until then a second free of the buffer is an error. Any thread. */
#ifndef CUSAFE_HOST_PROCESS_PENDING_H
#define CUSAFE_HOST_PROCESS_PENDING_H

#include "host/process/context.h"
#include "host/process/process.h"

/* address: claimed with cs_host_heap_claim_free(). Returns 0, or the driver's CUresult if the buffer was not freed. */
int cs_host_pending_add(cs_u64 address, CUstream stream, cs_u32 stack);

/* From now on, calls before_free with each buffer that a stream has freed, before the heap gets its memory back. */
void cs_host_pending_watch(void (*before_free)(cs_u64 address, cs_u32 stack));

/* Frees the buffers whose streams have reached the free, of the CS_HOST_PENDING_TESTS oldest. force: all, and waits for
 * them. */
enum { CS_HOST_PENDING_TESTS = 16 };
void cs_host_pending_collect(int force);

/* The context may be about to be destroyed: collects, and waits for other threads that test its events. */
void cs_host_pending_context_ending(const struct cs_host_context *context);
/* The context was destroyed, and with it the events of the buffers that could not be waited for: the heap gets those
 * now. */
void cs_host_pending_context_gone(const struct cs_host_context *context);

/* Whether the buffer that starts at this address waits for its stream; if so, sets the stack that freed it. */
int cs_host_pending_find(cs_u64 address, cs_u32 *stack);

/* Whether the address is in a freed buffer, or at its end; a buffer that waits for its stream counts as freed. */
int cs_host_is_stale(cs_u64 address);

#endif
