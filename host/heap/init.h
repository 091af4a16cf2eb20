/* init.h: the shadow of buffers (cusafe/init.h): which bytes are uninitialised, from allocation on.
 *
 * Only on the CPU device, whose memory the host can access, and only after cs_host_init_expect(). Any thread, with any
 * lock. */
#ifndef CUSAFE_HOST_HEAP_INIT_H
#define CUSAFE_HOST_HEAP_INIT_H

#include "cusafe/layout.h"

/* Maps the shadow, unless it is mapped. Buffers that exist count as initialised. Returns 0, or -1 after a message:
 * kernels that use the shadow must not run. */
int cs_host_init_expect(void);

/* The buffer is uninitialised from now on, if `call` (enum cs_host_allocator, with flags) allocates such memory. */
void cs_host_init_allocated(cs_u64 address, cs_u64 bytes, cs_u32 call);
void cs_host_init_freed(cs_u64 address, cs_u64 bytes);

#endif
