/* executor.c: one thread for each device that runs tasks in the order of submission. */
#include "cpu/cuda/work/executor.h"
#include "cpu/cuda/base/anomaly.h"
#include "cpu/cuda/base/threads.h"
#include "cpu/cuda/engine/engine.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/devices.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

static atomic_int stopping;

void *cs_cpu_task_new(size_t size, CUresult (*run)(struct cs_cpu_task *)) {
  struct cs_cpu_task *task = calloc(1, size);
  if (task)
    task->run = run;
  return task;
}

static void run_task(struct cs_cpu_task *task) {
  if (cs_cpu_context_error(task->context) != CUDA_SUCCESS && !task->always)
    return;
  CUresult result = task->run(task);
  int none = CUDA_SUCCESS;
  if (result != CUDA_SUCCESS)
    atomic_compare_exchange_strong(&task->context->error, &none, (int)result);
}

static struct cs_cpu_task *take(struct cs_cpu_device *device) {
  pthread_mutex_lock(&device->lock);
  while (!device->first || atomic_load(&stopping))
    pthread_cond_wait(&device->work, &device->lock);
  struct cs_cpu_task *task = device->first;
  device->first = task->next;
  if (!device->first)
    device->last = &device->first;
  device->running = task->ticket;
  pthread_mutex_unlock(&device->lock);
  return task;
}

static void complete(struct cs_cpu_device *device, uint64_t ticket) {
  pthread_mutex_lock(&device->lock);
  if (ticket > atomic_load(&device->completed)) /* cs_cpu_devices_fail() may have completed all tickets */
    atomic_store(&device->completed, ticket);
  device->running = 0;
  pthread_cond_broadcast(&device->done);
  pthread_mutex_unlock(&device->lock);
}

static void *execute(void *argument) {
  struct cs_cpu_device *device = argument;
  cs_cpu_thread_become_executor();
  for (;;) {
    struct cs_cpu_task *task = take(device);
    uint64_t ticket = task->ticket;
    cs_cpu_anomaly_delay();
    run_task(task);
    free(task);
    complete(device, ticket);
  }
  return NULL;
}

int cs_cpu_executor_start(struct cs_cpu_device *device) {
  pthread_t thread;
  pthread_mutex_init(&device->lock, NULL);
  pthread_cond_init(&device->work, NULL);
  pthread_cond_init(&device->done, NULL);
  device->last = &device->first;
  device->queue = cs_cpu_engine_queue();
  if (!device->queue || pthread_create(&thread, NULL, execute, device) != 0)
    return -1;
  pthread_detach(thread);
  return 0;
}

/* 0, or -1 when the device's task does not end by the deadline. */
static int stop_device(struct cs_cpu_device *device, const struct timespec *deadline) {
  int late = 0;
  pthread_mutex_lock(&device->lock);
  while (device->running && atomic_load(&device->failed) == CUDA_SUCCESS && !late)
    late = pthread_cond_timedwait(&device->done, &device->lock, deadline) != 0;
  pthread_mutex_unlock(&device->lock);
  return late ? -1 : 0;
}

int cs_cpu_executors_stop(int seconds) {
  if (cs_cpu_in_executor())
    return 0; /* a host function of the program called exit() on the executor itself */
  atomic_store(&stopping, 1);
  struct timespec deadline;
  clock_gettime(CLOCK_REALTIME, &deadline);
  deadline.tv_sec += seconds;
  int late = 0;
  for (int i = 0; i < cs_cpu_device_count(); i++)
    late |= stop_device(cs_cpu_device_at(i), &deadline);
  return late;
}

CUresult cs_cpu_submit(struct cs_cpu_stream *stream, struct cs_cpu_task *task, uint64_t *ticket) {
  struct cs_cpu_context *context = stream->context;
  struct cs_cpu_device *device = context->device;
  CUresult failed = atomic_load(&device->failed);
  if (failed != CUDA_SUCCESS) {
    free(task);
    return failed;
  }
  task->context = context;
  pthread_mutex_lock(&device->lock);
  uint64_t mine = task->ticket = ++device->submitted;
  *device->last = task;
  device->last = &task->next;
  atomic_store(&stream->last, mine);
  atomic_store(&context->last, mine);
  if (stream != &context->legacy && !(stream->flags & CU_STREAM_NON_BLOCKING))
    atomic_store(&context->last_blocking, mine);
  pthread_cond_signal(&device->work);
  pthread_mutex_unlock(&device->lock);
  if (ticket)
    *ticket = mine;
  return CUDA_SUCCESS;
}

CUresult cs_cpu_submit_and_wait(struct cs_cpu_stream *stream, struct cs_cpu_task *task) {
  uint64_t ticket;
  struct cs_cpu_context *context = stream->context;
  CUresult result = cs_cpu_submit(stream, task, &ticket);
  if (result != CUDA_SUCCESS)
    return result;
  cs_cpu_wait(context->device, ticket);
  return cs_cpu_context_error(context);
}

int cs_cpu_done(struct cs_cpu_device *device, uint64_t ticket) {
  return atomic_load(&device->completed) >= ticket || atomic_load(&device->failed) != CUDA_SUCCESS;
}

void cs_cpu_wait(struct cs_cpu_device *device, uint64_t ticket) {
  if (cs_cpu_done(device, ticket))
    return;
  pthread_mutex_lock(&device->lock);
  while (!cs_cpu_done(device, ticket))
    pthread_cond_wait(&device->done, &device->lock);
  pthread_mutex_unlock(&device->lock);
}

uint64_t cs_cpu_submitted(struct cs_cpu_device *device) {
  pthread_mutex_lock(&device->lock);
  uint64_t ticket = device->submitted;
  pthread_mutex_unlock(&device->lock);
  return ticket;
}

void cs_cpu_wait_device(struct cs_cpu_device *device) {
  cs_cpu_wait(device, cs_cpu_submitted(device));
}

void cs_cpu_wait_all(void) {
  for (int i = 0; i < cs_cpu_device_count(); i++)
    cs_cpu_wait_device(cs_cpu_device_at(i));
}

/* --- waiting in a stream --- */

struct wait_task {
  struct cs_cpu_task task;
  struct cs_cpu_device *device;
  uint64_t ticket;
};

/* The ticket was handed out before this task was submitted, so executors cannot wait for each other in a cycle. */
static CUresult run_wait(struct cs_cpu_task *task) {
  struct wait_task *wait = (struct wait_task *)task;
  cs_cpu_wait(wait->device, wait->ticket);
  return CUDA_SUCCESS;
}

CUresult cs_cpu_submit_wait(struct cs_cpu_stream *stream, struct cs_cpu_device *device, uint64_t ticket) {
  struct wait_task *task = cs_cpu_task_new(sizeof *task, run_wait);
  if (!task)
    return CUDA_ERROR_OUT_OF_MEMORY;
  task->device = device;
  task->ticket = ticket;
  return cs_cpu_submit(stream, &task->task, NULL);
}
