/* current.h: contexts and streams as data, and which context the calling thread works in. context.c creates and
 * destroys contexts.
 *
 * Threads and locks. Every cu* function may be called from any thread. Locks, in the order in which they may be taken:
 *   0. lifecycle in primary.c, only around its own file's work; library->lock: lifting kernels, making instances
 *   1. cs_cpu_context_lock()  lists of streams, modules, libraries and arrays
 *   2. module->lock           building a module
 *   3. cs_cpu_memory_lock()   ranges, the heap, reservations, physical handles, pools
 *   4. device->lock           the executor's queue and tickets
 * No lock is held while a kernel, a copy or a host function of the program runs. */
#ifndef CUSAFE_CPU_CURRENT_H
#define CUSAFE_CPU_CURRENT_H

#include "cpu/cuda/base/node_set.h"
#include <cuda.h>
#include <stdatomic.h>
#include <stdint.h>

struct cs_cpu_capture;
struct cs_cpu_context;
struct cs_cpu_device;

struct cs_cpu_stream {
  uint32_t magic;
  uint32_t flags;
  int priority;
  struct cs_cpu_context *context;
  unsigned long long id;
  atomic_ullong last;                 /* ticket of the last task */
  struct cs_cpu_capture *capture;     /* the capture that records its work, or NULL */
  struct cs_cpu_node_set tail;        /* while capturing: what the next node depends on */
  CUlaunchAttributeValue *attributes; /* attribute.c's; NULL until one is set */
  struct cs_cpu_stream *next;
};

#define CS_CPU_LIMIT_COUNT (CU_LIMIT_MAX)

struct cs_cpu_context {
  uint32_t magic;
  atomic_int alive;
  atomic_int error; /* CUresult that ended the context's work; every later call returns it */
  struct cs_cpu_device *device;
  int is_primary, retains;
  unsigned flags;
  unsigned long long id;
  CUfunc_cache cache;
  atomic_size_t limits[CS_CPU_LIMIT_COUNT];
  atomic_uint peers; /* bit d: access to device d enabled */
  struct cs_cpu_stream legacy;
  struct cs_cpu_stream inner;           /* for the driver's own work, independent of the program's streams */
  struct cs_cpu_stream *streams;        /* under cs_cpu_context_lock(); legacy and per-thread ones are not listed */
  struct cs_cpu_loaded_module *modules; /* under cs_cpu_context_lock() */
  int unloading; /* modules that threads have taken out of the list, and delete; under cs_cpu_context_lock() */
  struct cs_cpu_listed *arrays; /* mipmapped ones, too; under cs_cpu_context_lock() */
  atomic_int captures;          /* capturing streams that would wait for the legacy stream */
  atomic_ullong last, last_blocking;
  struct cs_cpu_context *next;
};

void cs_cpu_context_lock(void);
void cs_cpu_context_unlock(void);
/* With the lock: releases it until another thread calls cs_cpu_context_wake(). */
void cs_cpu_context_wait(void);
void cs_cpu_context_wake(void);

/* The calling thread's context, ready for work: initialised, current, alive, not failed, not inside a callback. */
CUresult cs_cpu_enter(struct cs_cpu_context **context);
/* Without the test for failure, for calls that must work on a failed context. */
CUresult cs_cpu_current(struct cs_cpu_context **context);
CUresult cs_cpu_context_error(const struct cs_cpu_context *context);
/* A context argument; NULL means the current one. */
CUresult cs_cpu_context_check(CUcontext handle, struct cs_cpu_context **context);

/* The calling thread's stack of contexts. CUDA_ERROR_OUT_OF_MEMORY when it is full. */
CUresult cs_cpu_context_push(struct cs_cpu_context *context);
/* Pops the context if it is current. */
void cs_cpu_context_pop_if(const struct cs_cpu_context *context);

#endif
