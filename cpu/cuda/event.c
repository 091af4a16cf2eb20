/* event.c: events. Recording is a task that takes the time; waiting is a ticket. */
#include "cpu/cuda/graph.h"
#include <time.h>

struct event {
  uint32_t magic;
  unsigned flags;
  atomic_int destroyed;
  struct cs_cpu_context *context;
  atomic_ullong ticket;    /* of the last record; 0 before the first */
  atomic_ullong time;      /* nanoseconds, when that record ran */
  atomic_int references;   /* the handle and each record that has not run */
  struct cs_cpu_mark mark; /* the last record was captured: what it stands for */
};

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void unreference(struct event *event) {
  if (atomic_fetch_sub(&event->references, 1) == 1)
    cs_cpu_object_delete(event);
}

static CUresult event_of(CUevent handle, struct event **event) {
  *event = (struct event *)handle;
  CUresult result = cs_cpu_check_init();
  if (result != CUDA_SUCCESS)
    return result;
  return cs_cpu_object_is(handle, CS_CPU_EVENT) && !atomic_load(&(*event)->destroyed) ? CUDA_SUCCESS
                                                                                      : CUDA_ERROR_INVALID_HANDLE;
}

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
  struct event *event = cs_cpu_object_new(CS_CPU_EVENT, sizeof *event);
  if (!event)
    return CUDA_ERROR_OUT_OF_MEMORY;
  event->context = context;
  event->flags = flags;
  atomic_store(&event->references, 1);
  *out = (CUevent)event;
  return CUDA_SUCCESS;
}

/* The handle ends now; the object when its last record has run. */
CUresult cuEventDestroy_v2(CUevent handle) {
  struct event *event;
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_current(&context);
  if (result == CUDA_SUCCESS)
    result = event_of(handle, &event);
  if (result != CUDA_SUCCESS)
    return result;
  if (atomic_exchange(&event->destroyed, 1))
    return CUDA_ERROR_INVALID_HANDLE;
  cs_cpu_mark_clear(&event->mark);
  unreference(event);
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent event) {
  return cuEventDestroy_v2(event);
}

struct record_task {
  struct cs_cpu_task task;
  struct event *event;
};

static CUresult run_record(struct cs_cpu_task *task) {
  struct event *event = ((struct record_task *)task)->event;
  atomic_store(&event->time, now());
  unreference(event);
  return CUDA_SUCCESS;
}

int cs_cpu_event_is(CUevent handle) {
  struct event *event;
  return event_of(handle, &event) == CUDA_SUCCESS;
}

CUresult cs_cpu_event_record(struct cs_cpu_stream *stream, CUevent handle) {
  struct event *event;
  uint64_t ticket;
  CUresult result = event_of(handle, &event);
  if (result != CUDA_SUCCESS)
    return result;
  if (event->context != stream->context)
    return CUDA_ERROR_INVALID_HANDLE;
  struct record_task *task = cs_cpu_task_new(sizeof *task, run_record);
  if (!task)
    return CUDA_ERROR_OUT_OF_MEMORY;
  cs_cpu_mark_clear(&event->mark);
  task->task.always = 1;
  task->event = event;
  atomic_fetch_add(&event->references, 1);
  result = cs_cpu_submit(stream, &task->task, &ticket);
  if (result == CUDA_SUCCESS)
    atomic_store(&event->ticket, ticket);
  else
    unreference(event);
  return result;
}

/* In a capture, an event marks where other streams may fork off or join; only an external one becomes a node. */
static CUresult capture_record(struct cs_cpu_stream *stream, CUevent handle, int external) {
  struct event *event;
  struct cs_cpu_node *node;
  CUresult result = event_of(handle, &event);
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

/* For calls that need the event's own time or end, which one in a capture does not have. */
static CUresult recorded(CUevent handle, struct event **event) {
  CUresult result = event_of(handle, event);
  return result == CUDA_SUCCESS && (*event)->mark.capture ? CUDA_ERROR_CAPTURED_EVENT : result;
}

CUresult cuEventQuery(CUevent handle) {
  struct event *event;
  CUresult result = recorded(handle, &event);
  if (result != CUDA_SUCCESS)
    return result;
  if (!cs_cpu_done(event->context->device, atomic_load(&event->ticket)))
    return CUDA_ERROR_NOT_READY;
  return cs_cpu_context_error(event->context);
}

CUresult cuEventSynchronize(CUevent handle) {
  struct event *event;
  CUresult result = recorded(handle, &event);
  if (result != CUDA_SUCCESS)
    return result;
  if (cs_cpu_in_executor())
    return CUDA_ERROR_NOT_PERMITTED;
  cs_cpu_wait(event->context->device, atomic_load(&event->ticket));
  return cs_cpu_context_error(event->context);
}

CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start_handle, CUevent end_handle) {
  struct event *start, *end;
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

struct wait_task {
  struct cs_cpu_task task;
  struct cs_cpu_device *device;
  uint64_t ticket;
};

/* Tickets waited for were handed out before this task was submitted, so executors cannot wait for each other in a ring. */
static CUresult run_wait(struct cs_cpu_task *task) {
  struct wait_task *wait = (struct wait_task *)task;
  cs_cpu_wait(wait->device, wait->ticket);
  return CUDA_SUCCESS;
}

CUresult cs_cpu_wait_in(struct cs_cpu_stream *stream, struct cs_cpu_device *device, uint64_t ticket) {
  struct wait_task *task = cs_cpu_task_new(sizeof *task, run_wait);
  if (!task)
    return CUDA_ERROR_OUT_OF_MEMORY;
  task->device = device;
  task->ticket = ticket;
  return cs_cpu_submit(stream, &task->task, NULL);
}

CUresult cs_cpu_event_wait(struct cs_cpu_stream *stream, CUevent handle) {
  struct event *event;
  CUresult result = event_of(handle, &event);
  if (result != CUDA_SUCCESS)
    return result;
  uint64_t ticket = atomic_load(&event->ticket);
  struct cs_cpu_device *device = event->context->device;
  return cs_cpu_done(device, ticket) ? CUDA_SUCCESS : cs_cpu_wait_in(stream, device, ticket);
}

static CUresult capture_wait(struct cs_cpu_stream *stream, CUevent handle, int external) {
  struct cs_cpu_node *node;
  if (!external) { /* an event from outside says nothing when the graph is launched */
    cs_cpu_capture_invalidate(stream->capture);
    return CUDA_ERROR_STREAM_CAPTURE_ISOLATION;
  }
  CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT, .eventWait = {.event = handle}};
  return cs_cpu_capture_node(stream, &params, &node);
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent event_handle, unsigned int flags) {
  struct cs_cpu_stream *stream;
  struct event *event;
  int external = (flags & CU_EVENT_WAIT_EXTERNAL) != 0;
  CUresult result = cs_cpu_enter_stream(handle, NULL, &stream);
  if (result == CUDA_SUCCESS && (flags & ~(unsigned)CU_EVENT_WAIT_EXTERNAL))
    return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    result = event_of(event_handle, &event);
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
