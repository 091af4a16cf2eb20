/* init.h: the shadow of buffers (cusafe/init.h): which bytes are uninitialised, from allocation on.
 *
 * Only on the CPU device, whose memory the host can access, and only after cs_host_init_map(). Any thread, with any
 * lock. */
#ifndef CUSAFE_HOST_HEAP_INIT_H
#define CUSAFE_HOST_HEAP_INIT_H

#include "cusafe/layout.h"
#include "host/heap/buffer.h"

/* Maps the shadow: returns 1, 0 if it was mapped, or -1, after a message the first time. One thread at a time. Buffers
 * are listed from then on, so that other programs do not pay for it: the caller adds those that exist, which count as
 * initialised. */
int cs_host_init_map(void);
void cs_host_init_add(const struct cs_host_heap_buffer *buffer, void *data);

/* The buffer is uninitialised from now on, if `call` (enum cs_host_allocator, with flags) allocates such memory. */
void cs_host_init_allocated(cs_u64 address, cs_u64 bytes, cs_u32 call);
void cs_host_init_freed(cs_u64 address, cs_u64 bytes);

#endif
