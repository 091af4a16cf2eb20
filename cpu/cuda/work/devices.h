/* devices.h: the devices of the process, and whether the driver is initialised. init.c brings them up. */
#ifndef CUSAFE_CPU_DEVICES_H
#define CUSAFE_CPU_DEVICES_H

#include "cpu/cuda/base/objects.h"
#include <cuda.h>
#include <pthread.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct cs_cpu_context;
struct cs_cpu_task;

struct cs_cpu_device {
  int ordinal;
  struct cs_cpu_context *primary;
  struct cs_cpu_queue *queue;
  pthread_mutex_t lock;
  pthread_cond_t work, done;
  struct cs_cpu_task *first, **last; /* under lock */
  uint64_t submitted, running;       /* under lock; running: the ticket of the task in progress, or 0 */
  atomic_ullong completed;           /* written under lock */
  atomic_int failed;                 /* CUresult: the executor is lost and no task can run on it */
  struct cs_print *print;            /* the executor's own */
  struct cs_heap *heap;              /* the executor's own; NULL until a kernel is launched */
  atomic_size_t used;                /* bytes of device memory */
  CUmemoryPool pool, default_pool;
};

/* CUDA_ERROR_NOT_INITIALIZED before cuInit. */
CUresult cs_cpu_check_init(void);
/* The same, and the error `otherwise` if the handle names no live object of the kind. */
CUresult cs_cpu_check_handle(const void *handle, enum cs_cpu_magic magic, CUresult otherwise);
/* Whether this process is a child of one that used the driver. */
int cs_cpu_inherited(void);
int cs_cpu_device_count(void);
struct cs_cpu_device *cs_cpu_device_at(int ordinal); /* NULL when there is none */
/* Checks a device argument, and that the driver is initialised. */
CUresult cs_cpu_device_of(CUdevice ordinal, struct cs_cpu_device **device);
/* Ends all work on all devices with the error. Any thread but an executor. */
void cs_cpu_devices_fail(CUresult error);

/* For init.c. The storage of a device, which may not be counted yet. */
struct cs_cpu_device *cs_cpu_device_storage(int ordinal);
void cs_cpu_devices_set_count(int count);
/* Opens or closes the driver for calls. */
void cs_cpu_devices_set_initialised(int initialised);
/* Closes it for good, in a child of fork(). */
void cs_cpu_devices_inherit(void);

#endif
