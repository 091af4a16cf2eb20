/* executor.h: the thread of each device that runs its tasks.
 *
 * Tasks run in the order of submission, which satisfies every stream, event and default-stream rule. Submission hands
 * out tickets 1, 2, 3...; device->completed is the last one that has ended. A host thread always waits for a ticket: a
 * stream's last, an event's, a context's last. */
#ifndef CUSAFE_CPU_EXECUTOR_H
#define CUSAFE_CPU_EXECUTOR_H

#include <cuda.h>
#include <stddef.h>
#include <stdint.h>

struct cs_cpu_context;
struct cs_cpu_device;
struct cs_cpu_stream;

struct cs_cpu_task {
  struct cs_cpu_task *next;
  /* Runs on the executor thread. An error ends the context's work. The task is freed afterwards with free(). */
  CUresult (*run)(struct cs_cpu_task *task);
  struct cs_cpu_context *context;
  uint64_t ticket;
  int always; /* run even when the context has failed, because something must be released */
};

int cs_cpu_executor_start(struct cs_cpu_device *device);
/* A zeroed task of the given size, which includes struct cs_cpu_task as its first member. */
void *cs_cpu_task_new(size_t size, CUresult (*run)(struct cs_cpu_task *));
/* Takes ownership of the task in all cases. ticket may be NULL. */
CUresult cs_cpu_submit(struct cs_cpu_stream *stream, struct cs_cpu_task *task, uint64_t *ticket);
/* Submits a task and waits for it. */
CUresult cs_cpu_submit_and_wait(struct cs_cpu_stream *stream, struct cs_cpu_task *task);
/* The stream's next task waits until the ticket of the other device is done. */
CUresult cs_cpu_submit_wait(struct cs_cpu_stream *stream, struct cs_cpu_device *device, uint64_t ticket);

/* The last ticket that was handed out. */
uint64_t cs_cpu_submitted(struct cs_cpu_device *device);
int cs_cpu_done(struct cs_cpu_device *device, uint64_t ticket);
void cs_cpu_wait(struct cs_cpu_device *device, uint64_t ticket);
/* Waits for everything that was submitted to the device, or to every device, before the call. */
void cs_cpu_wait_device(struct cs_cpu_device *device);
void cs_cpu_wait_all(void);

/* At exit: lets running tasks end and starts no more, so that none calls an engine that is shutting down. -1 when a
 * task is still running after `seconds`. */
int cs_cpu_executors_stop(int seconds);

#endif
