/* own_stream.h: CuSafe's own copies, in a stream of the current context that waits for no work of the program, and that no capture of
 * the program records or forbids. Functions return 0 or a CUresult. Any thread, also with locks held. */
#ifndef CUSAFE_HOST_PROCESS_OWN_STREAM_H
#define CUSAFE_HOST_PROCESS_OWN_STREAM_H

#include "cusafe/layout.h"

/* Queued; `from` must stay unchanged until cs_host_own_settle(). */
int cs_host_own_write(cs_u64 to, const void *from, cs_u64 bytes);
int cs_host_own_zero(cs_u64 to, cs_u64 bytes);
/* Waits for the copies above. */
int cs_host_own_settle(void);

/* The same, done when they return. */
int cs_host_own_put(cs_u64 to, const void *from, cs_u64 bytes);
int cs_host_own_get(void *to, cs_u64 from, cs_u64 bytes);

#endif
