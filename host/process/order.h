/* order.h: what the program's events and waits order, for stream-ordered memory (option stream_order). Any thread.
 *
 * Every operation of a stream gets the stream's next time. A stream's clock has, for each stream, the time up to which
 * that stream's operations are known to have ended before the stream's next one; an event has the clock of its stream
 * when it was recorded, and the host that of all it has waited for. What is not known to be unordered counts as
 * ordered: a host function or a kernel with a pointer to host memory may have told the host how far its stream is, and
 * may wait for the host, as a wait for a value in memory does: for any stream, and for work that is submitted later, so
 * that a free after it may come after that work. With more streams than a clock has times, the option is off from then
 * on. */
#ifndef CUSAFE_HOST_PROCESS_ORDER_H
#define CUSAFE_HOST_PROCESS_ORDER_H

#include "cusafe/layout.h"
#include "host/base/driver.h"
#include "host/process/context.h"
#include "report/finding.h"

/* Whether the option is on and there was a stream-ordered allocation. Cheap. */
int cs_host_order_is_tracked(void);

/* Stream-ordered memory. cs_host_order_freed() sets the stack of the use that may come after the free. */
void cs_host_order_allocated(cs_u64 start, CUstream stream);
enum cs_order cs_host_order_freed(cs_u64 start, CUstream stream, cs_u32 *use);
void cs_host_order_forget(cs_u64 start); /* the memory is gone */
void cs_host_order_forget_freed(void);   /* a device's buffers are gone */

/* A launch, copy or fill was submitted; then, for every pointer that it uses, what is missing. start: of the buffer. */
void cs_host_order_submitted(CUstream stream);
enum cs_order cs_host_order_used(cs_u64 start, CUstream stream, cs_u32 stack);

/* The driver has given out this handle just now: what had it before is gone, whether CuSafe saw that or not. */
void cs_host_order_stream_created(CUstream stream);
void cs_host_order_event_created(CUevent event);
/* The context has ended all its work, and was destroyed with its streams and events. */
void cs_host_order_context_gone(const struct cs_host_context *context);

/* What orders. */
void cs_host_order_recorded(CUevent event, CUstream stream);
void cs_host_order_awaited(CUstream stream, CUevent event);
void cs_host_order_event_ended(CUevent event); /* the host has waited for it */
void cs_host_order_destroyed(CUevent event);
void cs_host_order_stream_destroyed(CUstream stream);
void cs_host_order_stream_ended(CUstream stream); /* the host has waited for it */
/* What was submitted may tell the host how far the stream is, and may wait for the host. */
void cs_host_order_stream_meets_host(CUstream stream);
void cs_host_order_all_ended(void); /* the host has waited for all work */
void cs_host_order_stream_awaits_any(CUstream stream);
void cs_host_order_graph_launched(CUstream stream); /* its nodes may record events */

#endif
