/* event_calls.c: the calls on events: tasks, or marks in a capture. */
#include "cpu/cuda/base/threads.h"
#include "cpu/cuda/base/unsupported.h"
#include "cpu/cuda/graph/capture_nodes.h"
#include "cpu/cuda/work/capture.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/event.h"
#include "cpu/cuda/work/executor.h"
#include "cpu/cuda/work/stream.h"
#include <stdatomic.h>
#include <stdint.h>

#define EVENT_FLAGS (CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS)

CUresult cuEventCreate(CUevent *out, unsigned int flags) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_enter(&context);
  if (result != CUDA_SUCCESS)
    return result;
  if (!out || (flags & ~(unsigned)EVENT_FLAGS))
    return CUDA_ERROR_INVALID_VALUE;
  if (flags & CU_EVENT_INTERPROCESS)
    return cs_cpu_unsupported("CU_EVENT_INTERPROCESS");
  struct cs_cpu_event *event = cs_cpu_event_new(context, flags);
  if (!event)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *out = (CUevent)event;
  return CUDA_SUCCESS;
}

/* The handle ends now, the object when its last record has run. */
CUresult cuEventDestroy_v2(CUevent handle) {
  struct cs_cpu_event *event;
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_current(&context);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_event_of(handle, &event);
  if (result != CUDA_SUCCESS)
    return result;
  return cs_cpu_event_destroy(event) ? CUDA_SUCCESS : CUDA_ERROR_INVALID_HANDLE;
}

CUresult cuEventDestroy(CUevent event) {
  return cuEventDestroy_v2(event);
}

/* In a capture, an event marks where other streams may fork or join; only an external one becomes a node. */
static CUresult capture_record(struct cs_cpu_stream *stream, CUevent handle, int external) {
  struct cs_cpu_event *event;
  struct cs_cpu_node *node;
  CUresult result = cs_cpu_event_of(handle, &event);
  if (result != CUDA_SUCCESS || !external)
    return result == CUDA_SUCCESS ? cs_cpu_capture_mark(stream, &event->mark) : result;
  CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD, .eventRecord = {.event = handle}};
  return cs_cpu_capture_node(stream, &params, &node);
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream handle, unsigned int flags) {
  struct cs_cpu_stream *stream;
  if (flags & ~(unsigned)CU_EVENT_RECORD_EXTERNAL)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult result = cs_cpu_enter_work(handle, NULL, &stream);
  if (result == CUDA_SUCCESS && stream->capture)
    return capture_record(stream, event, (flags & CU_EVENT_RECORD_EXTERNAL) != 0);
  return result == CUDA_SUCCESS ? cs_cpu_event_record(stream, event) : result;
}

CUresult cuEventRecord(CUevent event, CUstream stream) {
  return cuEventRecordWithFlags(event, stream, CU_EVENT_RECORD_DEFAULT);
}

/* For calls that need the event's time or completion, which an event in a capture does not have. */
static CUresult recorded(CUevent handle, struct cs_cpu_event **event) {
  CUresult result = cs_cpu_event_of(handle, event);
  return result == CUDA_SUCCESS && (*event)->mark.capture ? CUDA_ERROR_CAPTURED_EVENT : result;
}

CUresult cuEventQuery(CUevent handle) {
  struct cs_cpu_event *event;
  CUresult result = recorded(handle, &event);
  if (result != CUDA_SUCCESS)
    return result;
  if (!cs_cpu_done(event->context->device, atomic_load(&event->ticket)))
    return CUDA_ERROR_NOT_READY;
  return cs_cpu_context_error(event->context);
}

CUresult cuEventSynchronize(CUevent handle) {
  struct cs_cpu_event *event;
  CUresult result = recorded(handle, &event);
  if (result != CUDA_SUCCESS)
    return result;
  if (cs_cpu_in_executor())
    return CUDA_ERROR_NOT_PERMITTED;
  cs_cpu_wait(event->context->device, atomic_load(&event->ticket));
  return cs_cpu_context_error(event->context);
}

CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start_handle, CUevent end_handle) {
  struct cs_cpu_event *start, *end;
  CUresult result = recorded(start_handle, &start);
  if (result == CUDA_SUCCESS)
    result = recorded(end_handle, &end);
  if (result != CUDA_SUCCESS)
    return result;
  if (!milliseconds)
    return CUDA_ERROR_INVALID_VALUE;
  if (((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING) || !atomic_load(&start->ticket) ||
      !atomic_load(&end->ticket))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!cs_cpu_done(start->context->device, atomic_load(&start->ticket)) ||
      !cs_cpu_done(end->context->device, atomic_load(&end->ticket)))
    return CUDA_ERROR_NOT_READY;
  result = cs_cpu_context_error(end->context);
  if (result == CUDA_SUCCESS)
    *milliseconds = (float)((double)(int64_t)(atomic_load(&end->time) - atomic_load(&start->time)) * 1e-6);
  return result;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  return cuEventElapsedTime_v2(milliseconds, start, end);
}

/* --- waiting in a stream --- */

static CUresult capture_wait(struct cs_cpu_stream *stream, CUevent handle, int external) {
  struct cs_cpu_node *node;
  if (!external) { /* an event from outside the capture has no meaning when the graph is launched */
    cs_cpu_capture_invalidate(stream->capture);
    return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
  }
  CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT, .eventWait = {.event = handle}};
  return cs_cpu_capture_node(stream, &params, &node);
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent event_handle, unsigned int flags) {
  struct cs_cpu_stream *stream;
  struct cs_cpu_event *event;
  int external = (flags & CU_EVENT_WAIT_EXTERNAL) != 0;
  CUresult result = cs_cpu_enter_stream(handle, NULL, &stream);
  if (result == CUDA_SUCCESS && (flags & ~(unsigned)CU_EVENT_WAIT_EXTERNAL))
    return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    result = cs_cpu_event_of(event_handle, &event);
  if (result != CUDA_SUCCESS)
    return result;
  if (event->mark.capture && !external)
    return cs_cpu_capture_join(stream, &event->mark);
  result = cs_cpu_enter_work(handle, NULL, &stream);
  if (result == CUDA_SUCCESS && stream->capture)
    return capture_wait(stream, event_handle, external);
  return result == CUDA_SUCCESS ? cs_cpu_event_wait(stream, event_handle) : result;
}

CUresult cuCtxRecordEvent(CUcontext handle, CUevent event) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_context_check(handle, &context);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_context_error(context);
  return result == CUDA_SUCCESS ? cs_cpu_event_record(&context->legacy, event) : result;
}

CUresult cuCtxWaitEvent(CUcontext handle, CUevent event) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_context_check(handle, &context);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_context_error(context);
  return result == CUDA_SUCCESS ? cs_cpu_event_wait(&context->legacy, event) : result;
}
