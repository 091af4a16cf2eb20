/* host_task.c: runs host functions of the program on the executor. */
#include "cpu/cuda/work/host_task.h"
#include "cpu/cuda/base/shadow.h"
#include "cpu/cuda/base/threads.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/executor.h"

struct host_task {
  struct cs_cpu_task task;
  CUhostFn function;
  CUstreamCallback callback;
  CUstream stream;
  void *data;
};

static CUresult run_host(struct cs_cpu_task *task) {
  struct host_task *host = (struct host_task *)task;
  cs_cpu_thread_enter_host();
  if (host->function)
    host->function(host->data);
  else
    host->callback(host->stream, cs_cpu_context_error(task->context), host->data);
  cs_cpu_thread_leave_host();
  cs_cpu_shadow_unseen(); /* a library's work is a host function */
  return CUDA_SUCCESS;
}

struct cs_cpu_task *cs_cpu_host_task(CUhostFn function, CUstreamCallback callback, CUstream stream, void *data) {
  struct host_task *task = cs_cpu_task_new(sizeof *task, run_host);
  if (!task)
    return NULL;
  task->function = function;
  task->callback = callback;
  task->stream = stream;
  task->data = data;
  task->task.always = callback != NULL; /* callbacks receive the error; functions are not run after one */
  return &task->task;
}
