/* host_task.h: host functions of the program as tasks. */
#ifndef CUSAFE_CPU_HOST_TASK_H
#define CUSAFE_CPU_HOST_TASK_H

#include <cuda.h>

struct cs_cpu_task;

/* Either a function or a callback, which also gets the stream. NULL when out of memory. */
struct cs_cpu_task *cs_cpu_host_task(CUhostFn function, CUstreamCallback callback, CUstream stream, void *data);

#endif
