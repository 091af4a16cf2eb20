/* order.c: uses of stream-ordered memory that no event or synchronisation orders, and the calls that order. */
#include "host/hooks/order.h"
#include "host/findings/drain.h"
#include "host/hooks/arguments.h"
#include "host/hooks/hooks.h"
#include "host/hooks/select.h"
#include "host/hooks/sync.h"
#include "host/launch/running.h"
#include "host/process/order.h"
#include "host/process/stream.h"
#include "host/stacks/stack.h"

struct use {
  const char *call, *kernel;
  CUstream stream;
  cs_u32 stack;
  int may_signal; /* it may access memory that the host accesses */
};

/* The buffer of an address; of a sub-allocation, the one that it is a part of. */
static int find_buffer(cs_u64 address, struct cs_host_heap_buffer *b) {
  struct cs_host_heap *heap = cs_host_process_heap();
  if (!cs_is_tagged(address) || cs_host_heap_find(heap, address, b))
    return -1;
  return cs_host_is_carved(b) ? cs_host_heap_find(heap, b->root, b) : 0;
}

static int is_of_host(const struct cs_host_heap_buffer *b) {
  return cs_host_is_pinned(b->call) || b->call == CS_HOST_BY_MANAGED;
}

static void examine_argument(cs_u64 value, cs_u32 index, int is_whole, void *data) {
  struct use *use = data;
  struct cs_host_heap_buffer b;
  (void)is_whole;
  if (find_buffer(value, &b)) {
    use->may_signal |= value > CS_NULL_BYTES; /* it may be a pointer to memory that CuSafe does not know */
    return;
  }
  use->may_signal |= is_of_host(&b);
  enum cs_order order = cs_host_order_used(b.start, use->stream, use->stack);
  if (order)
    cs_host_found_argument(&(struct cs_host_argument_error){.call = use->call,
                                                            .kernel = use->kernel,
                                                            .pointer = value,
                                                            .index = index,
                                                            .order = order,
                                                            .stack = use->stack});
}

void cs_host_order_launching(const struct cs_host_launch *launch, const char *kernel, cs_u32 stack,
                             const struct cs_host_call *call) {
  struct use use = {call->name, kernel, launch->stream, stack, 0};
  if (!cs_host_order_is_tracked() || cs_host_is_capturing(use.stream))
    return;
  use.stack = stack ? stack : cs_host_stack_here();
  cs_host_order_submitted(use.stream);
  cs_host_arguments_each(launch->function, launch->parameters, launch->extra, examine_argument, &use);
  if (use.may_signal)
    cs_host_order_stream_meets_host(use.stream);
}

static void examine_span(const struct cs_host_span *s, struct use *use) {
  struct cs_host_heap_buffer b;
  if (!s->width || !s->height || !s->depth)
    return;
  int is_known = !find_buffer(s->base, &b);
  use->may_signal |= s->access != CS_ACCESS_READ && (!is_known || is_of_host(&b));
  enum cs_order order = is_known ? cs_host_order_used(b.start, use->stream, use->stack) : CS_ORDER_KEPT;
  if (order)
    cs_host_found_api(&(struct cs_host_api_error){.call = use->call,
                                                  .base = s->base,
                                                  .address = s->base + s->offset,
                                                  .bytes = s->width,
                                                  .access = s->access,
                                                  .order = order,
                                                  .stack = use->stack});
}

/* submit: what the call is to its stream. */
static void examine_spans(const char *call, const struct cs_host_span *spans, size_t count, CUstream stream,
                          void (*submit)(CUstream stream)) {
  struct use use = {call, NULL, stream, 0, 0};
  if (!cs_host_order_is_tracked() || cs_host_is_capturing(use.stream))
    return;
  use.stack = cs_host_stack_here();
  submit(use.stream);
  for (size_t i = 0; i < count; i++)
    examine_span(&spans[i], &use);
  if (use.may_signal)
    cs_host_order_stream_meets_host(use.stream);
}

void cs_host_order_copying(const struct cs_host_call *call, const struct cs_host_span *spans, size_t count,
                           CUstream stream) {
  examine_spans(call->name, spans, count, cs_host_stream_of(call, stream), cs_host_order_submitted);
}

void cs_host_order_awaiting(const struct cs_host_call *call, const struct cs_host_span *spans, size_t count,
                            CUstream stream) {
  examine_spans(call->name, spans, count, cs_host_stream_of(call, stream), cs_host_order_stream_awaits_any);
}

void cs_host_order_waited_copy(const struct cs_host_call *call, const struct cs_host_span *spans, size_t count) {
  CUstream stream = call->is_per_thread ? CU_STREAM_PER_THREAD : CU_STREAM_LEGACY;
  if (!cs_host_order_is_tracked())
    return;
  examine_spans(call->name, spans, count, stream, cs_host_order_submitted);
  cs_host_order_stream_ended(stream);
}

/* ---- what orders ---- */

static CUresult recorded(CUresult result, CUevent event, CUstream stream) {
  if (!result)
    cs_host_order_recorded(event, stream);
  return result;
}

CUresult cs_host_on_cuEventRecord(PFN_cuEventRecord_v2000 real, const struct cs_host_call *call, CUevent event,
                                  CUstream stream) {
  return recorded(real(event, stream), event, cs_host_stream_of(call, stream));
}

CUresult cs_host_on_cuEventRecordWithFlags(PFN_cuEventRecordWithFlags_v11010 real, const struct cs_host_call *call,
                                           CUevent event, CUstream stream, unsigned flags) {
  return recorded(real(event, stream, flags), event, cs_host_stream_of(call, stream));
}

CUresult cs_host_on_cuStreamWaitEvent(PFN_cuStreamWaitEvent_v3020 real, const struct cs_host_call *call,
                                      CUstream stream, CUevent event, unsigned flags) {
  CUresult result = real(stream, event, flags);
  if (!result)
    cs_host_order_awaited(cs_host_stream_of(call, stream), event);
  return result;
}

/* The function may tell the host how far its stream is, and wait for the host. */
static CUresult meets_host(CUresult result, const struct cs_host_call *call, CUstream stream) {
  if (!result)
    cs_host_order_stream_meets_host(cs_host_stream_of(call, stream));
  return result;
}

static CUresult stream_ended(CUresult result, const struct cs_host_call *call, CUstream stream) {
  if (!result)
    cs_host_order_stream_ended(cs_host_stream_of(call, stream));
  return result;
}

/* It may wait for any stream. */
static CUresult awaits_any(CUresult result, const struct cs_host_call *call, CUstream stream) {
  if (!result)
    cs_host_order_stream_awaits_any(cs_host_stream_of(call, stream));
  return result;
}

CUresult cs_host_on_cuStreamBatchMemOp(PFN_cuStreamBatchMemOp_v8000 real, const struct cs_host_call *call,
                                       CUstream stream, unsigned count, CUstreamBatchMemOpParams *list,
                                       unsigned flags) {
  return meets_host(awaits_any(real(stream, count, list, flags), call, stream), call, stream);
}

CUresult cs_host_on_cuStreamBatchMemOp_v2(PFN_cuStreamBatchMemOp_v11070 real, const struct cs_host_call *call,
                                          CUstream stream, unsigned count, CUstreamBatchMemOpParams *list,
                                          unsigned flags) {
  return meets_host(awaits_any(real(stream, count, list, flags), call, stream), call, stream);
}

CUresult cs_host_on_cuWaitExternalSemaphoresAsync(PFN_cuWaitExternalSemaphoresAsync_v10000 real,
                                                  const struct cs_host_call *call, const CUexternalSemaphore *list,
                                                  const CUDA_EXTERNAL_SEMAPHORE_WAIT_PARAMS *how, unsigned count,
                                                  CUstream stream) {
  return awaits_any(real(list, how, count, stream), call, stream);
}

/* ---- handles ---- */

static CUresult stream_created(CUresult result, const CUstream *stream) {
  if (!result && stream) {
    cs_host_order_stream_created(*stream);
    cs_host_select_stream_ended(*stream);
  }
  return result;
}

CUresult cs_host_on_cuStreamCreate(PFN_cuStreamCreate_v2000 real, const struct cs_host_call *call, CUstream *stream,
                                   unsigned flags) {
  (void)call;
  return stream_created(real(stream, flags), stream);
}

CUresult cs_host_on_cuStreamCreateWithPriority(PFN_cuStreamCreateWithPriority_v5050 real,
                                               const struct cs_host_call *call, CUstream *stream, unsigned flags,
                                               int priority) {
  (void)call;
  return stream_created(real(stream, flags, priority), stream);
}

CUresult cs_host_on_cuGreenCtxStreamCreate(PFN_cuGreenCtxStreamCreate_v12050 real, const struct cs_host_call *call,
                                           CUstream *stream, CUgreenCtx context, unsigned flags, int priority) {
  (void)call;
  return stream_created(real(stream, context, flags, priority), stream);
}

static CUresult event_created(CUresult result, const CUevent *event) {
  if (!result && event)
    cs_host_order_event_created(*event);
  return result;
}

CUresult cs_host_on_cuEventCreate(PFN_cuEventCreate_v2000 real, const struct cs_host_call *call, CUevent *event,
                                  unsigned flags) {
  (void)call;
  return event_created(real(event, flags), event);
}

CUresult cs_host_on_cuIpcOpenEventHandle(PFN_cuIpcOpenEventHandle_v4010 real, const struct cs_host_call *call,
                                         CUevent *event, CUipcEventHandle handle) {
  (void)call;
  return event_created(real(event, handle), event);
}

CUresult cs_host_on_cuEventDestroy_v2(PFN_cuEventDestroy_v4000 real, const struct cs_host_call *call, CUevent event) {
  (void)call;
  cs_host_order_destroyed(event);
  return real(event);
}

CUresult cs_host_on_cuStreamDestroy_v2(PFN_cuStreamDestroy_v4000 real, const struct cs_host_call *call,
                                       CUstream stream) {
  (void)call;
  cs_host_order_stream_destroyed(stream);
  cs_host_select_stream_ended(stream);
  cs_host_running_destroyed(stream);
  return real(stream);
}

CUresult cs_host_on_cuLaunchHostFunc(PFN_cuLaunchHostFunc_v10000 real, const struct cs_host_call *call, CUstream stream,
                                     CUhostFn function, void *data) {
  return meets_host(real(stream, function, data), call, stream);
}

CUresult cs_host_on_cuStreamAddCallback(PFN_cuStreamAddCallback_v5000 real, const struct cs_host_call *call,
                                        CUstream stream, CUstreamCallback callback, void *data, unsigned flags) {
  return meets_host(real(stream, callback, data, flags), call, stream);
}

CUresult cs_host_on_cuStreamSynchronize(PFN_cuStreamSynchronize_v2000 real, const struct cs_host_call *call,
                                        CUstream stream) {
  return cs_host_after_sync(stream_ended(real(stream), call, stream));
}

CUresult cs_host_on_cuStreamQuery(PFN_cuStreamQuery_v2000 real, const struct cs_host_call *call, CUstream stream) {
  return cs_host_after_poll(stream_ended(real(stream), call, stream));
}

static CUresult ended(CUresult result, CUevent event) {
  if (!result)
    cs_host_order_event_ended(event);
  return result;
}

CUresult cs_host_on_cuEventSynchronize(PFN_cuEventSynchronize_v2000 real, const struct cs_host_call *call,
                                       CUevent event) {
  (void)call;
  return cs_host_after_sync(ended(real(event), event));
}

CUresult cs_host_on_cuEventQuery(PFN_cuEventQuery_v2000 real, const struct cs_host_call *call, CUevent event) {
  (void)call;
  return cs_host_after_poll(ended(real(event), event));
}
