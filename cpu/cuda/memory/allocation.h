/* allocation.h: the registry of live memory: allocations, registered host memory, variables of modules, and
 * mappings. */
#ifndef CUSAFE_CPU_ALLOCATION_H
#define CUSAFE_CPU_ALLOCATION_H

#include "cpu/cuda/base/limits.h"
#include "cpu/cuda/base/ranges.h"
#include <cuda.h>
#include <stddef.h>
#include <stdint.h>

struct cs_cpu_advice;
struct cs_cpu_context;
struct cs_cpu_device;

enum cs_cpu_memory_kind {
  CS_CPU_MEMORY_DEVICE,
  CS_CPU_MEMORY_MANAGED,
  CS_CPU_MEMORY_HOST,       /* cuMemHostAlloc */
  CS_CPU_MEMORY_REGISTERED, /* cuMemHostRegister */
  CS_CPU_MEMORY_MODULE,     /* a variable of a module */
  CS_CPU_MEMORY_MAPPED      /* cuMemMap */
};

struct cs_cpu_allocation {
  struct cs_cpu_range range; /* first, so that a range found is an allocation */
  enum cs_cpu_memory_kind kind;
  unsigned flags;
  struct cs_cpu_context *context; /* NULL for mappings */
  int device;
  unsigned long long id;
  void *owner;                                   /* physical handle or pool, by kind */
  void (*released)(struct cs_cpu_allocation *a); /* settles what pool.c or advice.c keeps with it; NULL: nothing */
  void *chunk;                                   /* heap memory: the chunk that holds it */
  size_t charged;                                /* bytes counted against the device */
  unsigned char access[CS_CPU_MAX_DEVICES];      /* mappings: CUmemAccess_flags for each device */
  unsigned char host_access;
  unsigned char backed; /* mappings: a part of the device's file is mapped at the address */
  unsigned sync_memops;
  int freeing;                  /* a call frees it, and waits for its stream or for kernels */
  int graphs;                   /* memory of a graph: how many graphs, and executable ones, hold its address */
  int live;                     /* memory of a graph: whether it is allocated now */
  struct cs_cpu_advice *advice; /* managed memory; NULL until there is any */
};

void cs_cpu_memory_lock(void);
void cs_cpu_memory_unlock(void);
extern struct cs_cpu_ranges cs_cpu_allocations; /* under cs_cpu_memory_lock() */

/* Charges device memory; 0, or -1 when that would exceed the limit. Waits for memory that leaves (leaving.h) if there
 * is no other; under no lock. */
int cs_cpu_memory_charge(struct cs_cpu_device *device, size_t bytes);
/* Waits until memory that was unmapped before has left (leaving.h). Under no lock. Returns whether there was any. */
int cs_cpu_memory_wait_for_leaving(void);
void cs_cpu_memory_refund(struct cs_cpu_device *device, size_t bytes);
/* Allocates and registers. The address is 512-byte aligned, page aligned for host memory. */
CUresult cs_cpu_memory_allocate(struct cs_cpu_context *context, enum cs_cpu_memory_kind kind, size_t size,
                                unsigned flags, struct cs_cpu_allocation **out);
/* Registers memory that the caller owns (modules, host registration). NULL: out of memory or overlap. */
struct cs_cpu_allocation *cs_cpu_memory_register(struct cs_cpu_context *context, enum cs_cpu_memory_kind kind,
                                                 uint64_t start, size_t size, unsigned flags);
/* Unregisters and releases; under no lock. */
void cs_cpu_memory_release(struct cs_cpu_allocation *allocation);
/* The two halves of that, for callers that hold cs_cpu_memory_lock() around the first. */
void cs_cpu_memory_release_locked(struct cs_cpu_allocation *allocation);
void cs_cpu_memory_settle(struct cs_cpu_allocation *allocation);
/* Releases all allocations of a context. */
void cs_cpu_memory_release_context(struct cs_cpu_context *context);
/* The allocation that contains the address or NULL. Under cs_cpu_memory_lock(). */
struct cs_cpu_allocation *cs_cpu_memory_find(uint64_t address);

/* What an address range is, for copies and fills. */
enum cs_cpu_memory_class { CS_CPU_CLASS_PAGEABLE, CS_CPU_CLASS_PINNED, CS_CPU_CLASS_DEVICE };
/* CUDA_ERROR_INVALID_VALUE when the range starts in known memory and leaves it, or has no access. */
CUresult cs_cpu_memory_classify(uint64_t start, size_t size, enum cs_cpu_memory_class *class);

#endif
