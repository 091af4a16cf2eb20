/* event.c: events. Recording is a task that takes the time; waiting is a ticket. */
#include "cpu/cuda/internal.h"
#include <time.h>

struct event {
  uint32_t magic;
  unsigned flags;
  atomic_int destroyed;
  struct cs_context *context;
  atomic_ullong ticket;  /* of the last record; 0 before the first */
  atomic_ullong time;    /* nanoseconds, when that record ran */
  atomic_int references; /* the handle and each record that has not run */
};

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void unreference(struct event *event) {
  if (atomic_fetch_sub(&event->references, 1) == 1)
    cs_object_delete(event);
}

static CUresult event_of(CUevent handle, struct event **event) {
  *event = (struct event *)handle;
  return cs_object_is(handle, CS_EVENT) && !atomic_load(&(*event)->destroyed) ? CUDA_SUCCESS
                                                                              : CUDA_ERROR_INVALID_HANDLE;
}

#define EVENT_FLAGS (CU_EVENT_BLOCKING_SYNC | CU_EVENT_DISABLE_TIMING | CU_EVENT_INTERPROCESS)

CUresult cuEventCreate(CUevent *out, unsigned int flags) {
  struct cs_context *context;
  CUresult result = cs_enter(&context);
  if (result != CUDA_SUCCESS)
    return result;
  if (!out || (flags & ~(unsigned)EVENT_FLAGS))
    return CUDA_ERROR_INVALID_VALUE;
  if (flags & CU_EVENT_INTERPROCESS)
    return cs_unsupported("CU_EVENT_INTERPROCESS");
  struct event *event = cs_object_new(CS_EVENT, sizeof *event);
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
  struct cs_context *context;
  CUresult result = cs_current(&context);
  if (result == CUDA_SUCCESS)
    result = event_of(handle, &event);
  if (result != CUDA_SUCCESS)
    return result;
  if (atomic_exchange(&event->destroyed, 1))
    return CUDA_ERROR_INVALID_HANDLE;
  unreference(event);
  return CUDA_SUCCESS;
}

CUresult cuEventDestroy(CUevent event) {
  return cuEventDestroy_v2(event);
}

struct record_task {
  struct cs_task task;
  struct event *event;
};

static CUresult run_record(struct cs_task *task) {
  struct event *event = ((struct record_task *)task)->event;
  atomic_store(&event->time, now());
  unreference(event);
  return CUDA_SUCCESS;
}

static CUresult record(struct cs_stream *stream, CUevent handle) {
  struct event *event;
  uint64_t ticket;
  CUresult result = event_of(handle, &event);
  if (result != CUDA_SUCCESS)
    return result;
  if (event->context != stream->context)
    return CUDA_ERROR_INVALID_HANDLE;
  struct record_task *task = cs_task_new(sizeof *task, run_record);
  if (!task)
    return CUDA_ERROR_OUT_OF_MEMORY;
  task->task.always = 1;
  task->event = event;
  atomic_fetch_add(&event->references, 1);
  result = cs_submit(stream, &task->task, &ticket);
  if (result == CUDA_SUCCESS)
    atomic_store(&event->ticket, ticket);
  else
    unreference(event);
  return result;
}

CUresult cuEventRecord(CUevent event, CUstream handle) {
  struct cs_stream *stream;
  CUresult result = cs_enter_stream(handle, NULL, &stream);
  return result == CUDA_SUCCESS ? record(stream, event) : result;
}

CUresult cuEventRecordWithFlags(CUevent event, CUstream stream, unsigned int flags) {
  return flags & ~(unsigned)CU_EVENT_RECORD_EXTERNAL ? CUDA_ERROR_INVALID_VALUE : cuEventRecord(event, stream);
}

CUresult cuEventQuery(CUevent handle) {
  struct event *event;
  CUresult result = event_of(handle, &event);
  if (result != CUDA_SUCCESS)
    return result;
  if (!cs_done(event->context->device, atomic_load(&event->ticket)))
    return CUDA_ERROR_NOT_READY;
  return cs_context_error(event->context);
}

CUresult cuEventSynchronize(CUevent handle) {
  struct event *event;
  CUresult result = event_of(handle, &event);
  if (result != CUDA_SUCCESS)
    return result;
  if (cs_in_executor())
    return CUDA_ERROR_NOT_PERMITTED;
  cs_wait(event->context->device, atomic_load(&event->ticket));
  return cs_context_error(event->context);
}

CUresult cuEventElapsedTime_v2(float *milliseconds, CUevent start_handle, CUevent end_handle) {
  struct event *start, *end;
  CUresult result = event_of(start_handle, &start);
  if (result == CUDA_SUCCESS)
    result = event_of(end_handle, &end);
  if (result != CUDA_SUCCESS)
    return result;
  if (!milliseconds)
    return CUDA_ERROR_INVALID_VALUE;
  if (((start->flags | end->flags) & CU_EVENT_DISABLE_TIMING) || !atomic_load(&start->ticket) ||
      !atomic_load(&end->ticket))
    return CUDA_ERROR_INVALID_HANDLE;
  if (!cs_done(start->context->device, atomic_load(&start->ticket)) ||
      !cs_done(end->context->device, atomic_load(&end->ticket)))
    return CUDA_ERROR_NOT_READY;
  result = cs_context_error(end->context);
  if (result == CUDA_SUCCESS)
    *milliseconds = (float)((double)(int64_t)(atomic_load(&end->time) - atomic_load(&start->time)) * 1e-6);
  return result;
}

CUresult cuEventElapsedTime(float *milliseconds, CUevent start, CUevent end) {
  return cuEventElapsedTime_v2(milliseconds, start, end);
}

/* --- waiting in a stream --- */

struct wait_task {
  struct cs_task task;
  struct cs_device *device;
  uint64_t ticket;
};

/* Tickets waited for were handed out before this task was submitted, so executors cannot wait for each other in a ring. */
static CUresult run_wait(struct cs_task *task) {
  struct wait_task *wait = (struct wait_task *)task;
  cs_wait(wait->device, wait->ticket);
  return CUDA_SUCCESS;
}

static CUresult wait_in(struct cs_stream *stream, CUevent handle) {
  struct event *event;
  CUresult result = event_of(handle, &event);
  if (result != CUDA_SUCCESS)
    return result;
  uint64_t ticket = atomic_load(&event->ticket);
  struct cs_device *device = event->context->device;
  if (cs_done(device, ticket))
    return CUDA_SUCCESS;
  struct wait_task *task = cs_task_new(sizeof *task, run_wait);
  if (!task)
    return CUDA_ERROR_OUT_OF_MEMORY;
  task->device = device;
  task->ticket = ticket;
  return cs_submit(stream, &task->task, NULL);
}

CUresult cuStreamWaitEvent(CUstream handle, CUevent event, unsigned int flags) {
  struct cs_stream *stream;
  CUresult result = cs_enter_stream(handle, NULL, &stream);
  if (result == CUDA_SUCCESS && (flags & ~(unsigned)CU_EVENT_WAIT_EXTERNAL))
    return CUDA_ERROR_INVALID_VALUE;
  return result == CUDA_SUCCESS ? wait_in(stream, event) : result;
}

CUresult cuCtxRecordEvent(CUcontext handle, CUevent event) {
  struct cs_context *context;
  CUresult result = cs_context_check(handle, &context);
  if (result == CUDA_SUCCESS)
    result = cs_context_error(context);
  return result == CUDA_SUCCESS ? record(&context->legacy, event) : result;
}

CUresult cuCtxWaitEvent(CUcontext handle, CUevent event) {
  struct cs_context *context;
  CUresult result = cs_context_check(handle, &context);
  if (result == CUDA_SUCCESS)
    result = cs_context_error(context);
  return result == CUDA_SUCCESS ? wait_in(&context->legacy, event) : result;
}
