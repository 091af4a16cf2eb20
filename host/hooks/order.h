/* order.h: uses of stream-ordered memory that no event or synchronisation orders (process/order.h). */
#ifndef CUSAFE_HOST_HOOKS_ORDER_H
#define CUSAFE_HOST_HOOKS_ORDER_H

#include "host/findings/span.h"
#include "host/launch/forms.h"

struct cs_host_call;

/* Work was submitted to a stream: reports the memory that it uses out of order. */
void cs_host_order_launching(const struct cs_host_launch *launch, const char *kernel, cs_u32 stack,
                             const struct cs_host_call *call);
void cs_host_order_copying(const struct cs_host_call *call, const struct cs_host_span *spans, size_t count,
                           CUstream stream);
/* The same for a stream that waits until memory has a value, which any other stream may write. */
void cs_host_order_awaiting(const struct cs_host_call *call, const struct cs_host_span *spans, size_t count,
                            CUstream stream);
/* The same for a copy that the call waits for, in the default stream. */
void cs_host_order_waited_copy(const struct cs_host_call *call, const struct cs_host_span *spans, size_t count);

#endif
