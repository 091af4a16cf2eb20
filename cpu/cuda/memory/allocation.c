/* allocation.c: the registry of live memory. */
#include "cpu/cuda/memory/allocation.h"
#include "cpu/cuda/base/limits.h"
#include "cpu/cuda/base/objects.h"
#include "cpu/cuda/base/options.h"
#include "cpu/cuda/base/ranges.h"
#include "cpu/cuda/memory/heap.h"
#include "cpu/cuda/memory/leaving.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/devices.h"
#include "cpu/cuda/work/executor.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

struct cs_cpu_ranges cs_cpu_allocations;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void cs_cpu_memory_lock(void) {
  pthread_mutex_lock(&lock);
}

void cs_cpu_memory_unlock(void) {
  pthread_mutex_unlock(&lock);
}

static int charge(struct cs_cpu_device *device, size_t bytes) {
  size_t used = atomic_load(&device->used);
  do {
    if (used > cs_cpu_options()->memory - bytes)
      return -1;
  } while (!atomic_compare_exchange_weak(&device->used, &used, used + bytes));
  return 0;
}

int cs_cpu_memory_wait_for_leaving(void) {
  cs_cpu_memory_lock();
  int any = cs_cpu_leaving_any();
  cs_cpu_memory_unlock();
  if (!any)
    return 0;
  cs_cpu_wait_all();
  cs_cpu_memory_lock();
  cs_cpu_leaving_collect();
  cs_cpu_memory_unlock();
  return 1;
}

int cs_cpu_memory_charge(struct cs_cpu_device *device, size_t bytes) {
  if (bytes > cs_cpu_options()->memory)
    return -1;
  return charge(device, bytes) == 0 || (cs_cpu_memory_wait_for_leaving() && charge(device, bytes) == 0) ? 0 : -1;
}

void cs_cpu_memory_refund(struct cs_cpu_device *device, size_t bytes) {
  atomic_fetch_sub(&device->used, bytes);
}

struct cs_cpu_allocation *cs_cpu_memory_find(uint64_t address) {
  return (struct cs_cpu_allocation *)cs_cpu_ranges_find(&cs_cpu_allocations, address);
}

static struct cs_cpu_allocation *new_allocation(struct cs_cpu_context *context, enum cs_cpu_memory_kind kind,
                                                size_t size, unsigned flags) {
  struct cs_cpu_allocation *allocation = calloc(1, sizeof *allocation);
  if (!allocation)
    return NULL;
  allocation->range.size = size;
  allocation->kind = kind;
  allocation->flags = flags;
  allocation->context = context;
  allocation->device = context ? context->device->ordinal : 0;
  allocation->id = cs_cpu_next_id();
  return allocation;
}

static int is_heap(enum cs_cpu_memory_kind kind) {
  return kind == CS_CPU_MEMORY_DEVICE || kind == CS_CPU_MEMORY_MANAGED || kind == CS_CPU_MEMORY_HOST;
}

/* Under the lock: storage and registration, or neither. */
static int obtain(struct cs_cpu_allocation *allocation) {
  size_t alignment = allocation->kind == CS_CPU_MEMORY_HOST ? 4096 : 512;
  allocation->range.start = cs_cpu_heap_allocate(allocation->range.size, alignment, &allocation->chunk);
  if (!allocation->range.start)
    return -1;
  if (cs_cpu_ranges_insert(&cs_cpu_allocations, &allocation->range) == 0)
    return 0;
  /* The program registered host memory and freed it without unregistering, and the system reused the address. */
  cs_cpu_heap_free(allocation->range.start, allocation->range.size, allocation->chunk);
  return -1;
}

CUresult cs_cpu_memory_allocate(struct cs_cpu_context *context, enum cs_cpu_memory_kind kind, size_t size,
                                unsigned flags, struct cs_cpu_allocation **out) {
  struct cs_cpu_allocation *allocation = new_allocation(context, kind, size, flags);
  if (!allocation)
    return CUDA_ERROR_OUT_OF_MEMORY;
  size_t charged = kind == CS_CPU_MEMORY_HOST ? 0 : (size + CS_CPU_PITCH - 1) / CS_CPU_PITCH * CS_CPU_PITCH;
  if (charged < (kind == CS_CPU_MEMORY_HOST ? 0 : size) || cs_cpu_memory_charge(context->device, charged) != 0) {
    free(allocation);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  allocation->charged = charged;
  cs_cpu_memory_lock();
  int failed = obtain(allocation);
  cs_cpu_memory_unlock();
  if (failed) {
    cs_cpu_memory_refund(context->device, charged);
    free(allocation);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  *out = allocation;
  return CUDA_SUCCESS;
}

struct cs_cpu_allocation *cs_cpu_memory_register(struct cs_cpu_context *context, enum cs_cpu_memory_kind kind,
                                                 uint64_t start, size_t size, unsigned flags) {
  struct cs_cpu_allocation *allocation = new_allocation(context, kind, size, flags);
  if (!allocation)
    return NULL;
  allocation->range.start = start;
  cs_cpu_memory_lock();
  int failed = cs_cpu_ranges_insert(&cs_cpu_allocations, &allocation->range);
  cs_cpu_memory_unlock();
  if (failed) {
    free(allocation);
    return NULL;
  }
  return allocation;
}

void cs_cpu_memory_release_locked(struct cs_cpu_allocation *allocation) {
  cs_cpu_ranges_remove(&cs_cpu_allocations, &allocation->range);
  if (is_heap(allocation->kind))
    cs_cpu_heap_free(allocation->range.start, allocation->range.size, allocation->chunk);
}

void cs_cpu_memory_settle(struct cs_cpu_allocation *allocation) {
  if (allocation->charged)
    cs_cpu_memory_refund(cs_cpu_device_at(allocation->device), allocation->charged);
  if (allocation->released)
    allocation->released(allocation);
  free(allocation);
}

void cs_cpu_memory_release(struct cs_cpu_allocation *allocation) {
  cs_cpu_memory_lock();
  cs_cpu_memory_release_locked(allocation);
  cs_cpu_memory_unlock();
  cs_cpu_memory_settle(allocation);
}

static struct cs_cpu_allocation *first_of(struct cs_cpu_context *context, uint64_t from) {
  struct cs_cpu_range *range = cs_cpu_ranges_ceiling(&cs_cpu_allocations, from);
  while (range && ((struct cs_cpu_allocation *)range)->context != context)
    range = cs_cpu_ranges_ceiling(&cs_cpu_allocations, range->start + 1);
  return (struct cs_cpu_allocation *)range;
}

void cs_cpu_memory_release_context(struct cs_cpu_context *context) {
  uint64_t from = 0;
  for (;;) {
    cs_cpu_memory_lock();
    struct cs_cpu_allocation *allocation = first_of(context, from);
    if (allocation) {
      from = allocation->range.start + 1;
      cs_cpu_memory_release_locked(allocation);
    }
    cs_cpu_memory_unlock();
    if (!allocation)
      return;
    cs_cpu_memory_settle(allocation);
  }
}

static int has_access(const struct cs_cpu_allocation *allocation) {
  if (allocation->kind != CS_CPU_MEMORY_MAPPED)
    return 1;
  for (int i = 0; i < cs_cpu_device_count(); i++)
    if (allocation->access[i])
      return 1;
  return allocation->host_access != 0;
}

static enum cs_cpu_memory_class class_of(const struct cs_cpu_allocation *allocation) {
  switch (allocation->kind) {
  case CS_CPU_MEMORY_HOST:
  case CS_CPU_MEMORY_REGISTERED:
    return CS_CPU_CLASS_PINNED;
  default:
    return CS_CPU_CLASS_DEVICE;
  }
}

/* Adjacent mappings form one range, as on a GPU. */
CUresult cs_cpu_memory_classify(uint64_t start, size_t size, enum cs_cpu_memory_class *class) {
  CUresult result = CUDA_SUCCESS;
  cs_cpu_memory_lock();
  struct cs_cpu_allocation *allocation = cs_cpu_memory_find(start);
  *class = allocation ? class_of(allocation) : CS_CPU_CLASS_PAGEABLE;
  uint64_t end = start + size;
  while (allocation && result == CUDA_SUCCESS) {
    uint64_t covered = allocation->range.start + allocation->range.size;
    if (!has_access(allocation))
      result = CUDA_ERROR_INVALID_VALUE;
    if (covered >= end)
      break;
    allocation = allocation->kind == CS_CPU_MEMORY_MAPPED ? cs_cpu_memory_find(covered) : NULL;
    if (!allocation)
      result = CUDA_ERROR_INVALID_VALUE;
  }
  cs_cpu_memory_unlock();
  return end < start ? CUDA_ERROR_INVALID_VALUE : result;
}
