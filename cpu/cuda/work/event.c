/* event.c: events. Recording is a task that stores the time; waiting is for a ticket. */
#include "cpu/cuda/work/event.h"
#include "cpu/cuda/base/node_set.h"
#include "cpu/cuda/base/objects.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/devices.h"
#include "cpu/cuda/work/executor.h"
#include <time.h>

static uint64_t now(void) {
  struct timespec time;
  clock_gettime(CLOCK_MONOTONIC, &time);
  return (uint64_t)time.tv_sec * 1000000000u + (uint64_t)time.tv_nsec;
}

static void unreference(struct cs_cpu_event *event) {
  if (atomic_fetch_sub(&event->references, 1) == 1)
    cs_cpu_object_delete(event);
}

CUresult cs_cpu_event_of(CUevent handle, struct cs_cpu_event **event) {
  *event = (struct cs_cpu_event *)handle;
  CUresult result = cs_cpu_check_handle(handle, CS_CPU_EVENT, CUDA_ERROR_INVALID_HANDLE);
  return result == CUDA_SUCCESS && atomic_load(&(*event)->destroyed) ? CUDA_ERROR_INVALID_HANDLE : result;
}

int cs_cpu_event_is(CUevent handle) {
  struct cs_cpu_event *event;
  return cs_cpu_event_of(handle, &event) == CUDA_SUCCESS;
}

struct cs_cpu_event *cs_cpu_event_new(struct cs_cpu_context *context, unsigned flags) {
  struct cs_cpu_event *event = cs_cpu_object_new(CS_CPU_EVENT, sizeof *event);
  if (!event)
    return NULL;
  event->context = context;
  event->flags = flags;
  atomic_store(&event->references, 1);
  return event;
}

int cs_cpu_event_destroy(struct cs_cpu_event *event) {
  if (atomic_exchange(&event->destroyed, 1))
    return 0;
  cs_cpu_mark_clear(&event->mark);
  unreference(event);
  return 1;
}

void cs_cpu_mark_clear(struct cs_cpu_mark *mark) {
  cs_cpu_node_set_clear(&mark->nodes);
  mark->capture = 0;
}

struct record_task {
  struct cs_cpu_task task;
  struct cs_cpu_event *event;
};

static CUresult run_record(struct cs_cpu_task *task) {
  struct cs_cpu_event *event = ((struct record_task *)task)->event;
  atomic_store(&event->time, now());
  unreference(event);
  return CUDA_SUCCESS;
}

CUresult cs_cpu_event_record(struct cs_cpu_stream *stream, CUevent handle) {
  struct cs_cpu_event *event;
  uint64_t ticket;
  CUresult result = cs_cpu_event_of(handle, &event);
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

CUresult cs_cpu_event_wait(struct cs_cpu_stream *stream, CUevent handle) {
  struct cs_cpu_event *event;
  CUresult result = cs_cpu_event_of(handle, &event);
  if (result != CUDA_SUCCESS)
    return result;
  uint64_t ticket = atomic_load(&event->ticket);
  struct cs_cpu_device *device = event->context->device;
  return cs_cpu_done(device, ticket) ? CUDA_SUCCESS : cs_cpu_submit_wait(stream, device, ticket);
}
