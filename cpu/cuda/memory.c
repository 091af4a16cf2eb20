/* memory.c: the registry of live memory, and the calls that allocate and free device and managed memory. */
#include "cpu/cuda/internal.h"
#include <stdlib.h>

struct cs_cpu_ranges cs_cpu_allocations;
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;

void cs_cpu_memory_lock(void) {
  pthread_mutex_lock(&lock);
}

void cs_cpu_memory_unlock(void) {
  pthread_mutex_unlock(&lock);
}

int cs_cpu_memory_charge(struct cs_cpu_device *device, size_t bytes) {
  size_t used = atomic_load(&device->used);
  do {
    if (bytes > cs_cpu_options()->memory || used > cs_cpu_options()->memory - bytes)
      return -1;
  } while (!atomic_compare_exchange_weak(&device->used, &used, used + bytes));
  return 0;
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
  /* Somebody registered host memory, freed it without unregistering, and the system reused the address. */
  cs_cpu_heap_free(allocation->range.start, allocation->range.size, allocation->chunk);
  return -1;
}

CUresult cs_cpu_memory_allocate(struct cs_cpu_context *context, enum cs_cpu_memory_kind kind, size_t size,
                                unsigned flags, struct cs_cpu_allocation **out) {
  struct cs_cpu_allocation *allocation = new_allocation(context, kind, size, flags);
  if (!allocation)
    return CUDA_ERROR_OUT_OF_MEMORY;
  size_t charge = kind == CS_CPU_MEMORY_HOST ? 0 : (size + CS_CPU_PITCH - 1) / CS_CPU_PITCH * CS_CPU_PITCH;
  if (charge < (kind == CS_CPU_MEMORY_HOST ? 0 : size) || cs_cpu_memory_charge(context->device, charge) != 0) {
    free(allocation);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  allocation->charged = charge;
  cs_cpu_memory_lock();
  int failed = obtain(allocation);
  cs_cpu_memory_unlock();
  if (failed) {
    cs_cpu_memory_refund(context->device, charge);
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

/* Under the lock. */
static void release(struct cs_cpu_allocation *allocation) {
  cs_cpu_ranges_remove(&cs_cpu_allocations, &allocation->range);
  if (is_heap(allocation->kind))
    cs_cpu_heap_free(allocation->range.start, allocation->range.size, allocation->chunk);
}

static void settle(struct cs_cpu_allocation *allocation) {
  if (allocation->charged)
    cs_cpu_memory_refund(cs_cpu_device_at(allocation->device), allocation->charged);
  if (is_heap(allocation->kind) && allocation->owner)
    cs_cpu_pool_freed(allocation->owner, allocation->range.size);
  cs_cpu_advice_free(allocation->advice);
  free(allocation);
}

void cs_cpu_memory_release(struct cs_cpu_allocation *allocation) {
  cs_cpu_memory_lock();
  release(allocation);
  cs_cpu_memory_unlock();
  settle(allocation);
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
      release(allocation);
    }
    cs_cpu_memory_unlock();
    if (!allocation)
      return;
    settle(allocation);
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

/* Neighbouring mappings make one range, as they do on a GPU. */
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

static CUresult allocate(enum cs_cpu_memory_kind kind, size_t size, unsigned flags, CUdeviceptr *out) {
  struct cs_cpu_context *context;
  struct cs_cpu_allocation *allocation;
  CUresult result = cs_cpu_enter(&context);
  if (result != CUDA_SUCCESS)
    return result;
  if (!out || size == 0)
    return CUDA_ERROR_INVALID_VALUE;
  result = cs_cpu_capture_unsafe();
  if (result != CUDA_SUCCESS)
    return result;
  result = cs_cpu_memory_allocate(context, kind, size, flags, &allocation);
  if (result == CUDA_SUCCESS)
    *out = allocation->range.start;
  return result;
}

CUresult cuMemAlloc_v2(CUdeviceptr *pointer, size_t size) {
  return allocate(CS_CPU_MEMORY_DEVICE, size, 0, pointer);
}

CUresult cuMemAllocPitch_v2(CUdeviceptr *pointer, size_t *pitch, size_t width, size_t height, unsigned int element) {
  if (!pitch || !width || !height || (element != 4 && element != 8 && element != 16))
    return CUDA_ERROR_INVALID_VALUE;
  size_t row = (width + CS_CPU_PITCH - 1) / CS_CPU_PITCH * CS_CPU_PITCH, total;
  if (row < width || __builtin_mul_overflow(row, height, &total))
    return CUDA_ERROR_INVALID_VALUE;
  CUresult result = allocate(CS_CPU_MEMORY_DEVICE, total, 0, pointer);
  if (result == CUDA_SUCCESS)
    *pitch = row;
  return result;
}

CUresult cuMemAllocManaged(CUdeviceptr *pointer, size_t size, unsigned int flags) {
  if (flags != CU_MEM_ATTACH_GLOBAL && flags != CU_MEM_ATTACH_HOST)
    return CUDA_ERROR_INVALID_VALUE;
  return allocate(CS_CPU_MEMORY_MANAGED, size, flags, pointer);
}

/* Frees what starts exactly there and is of a kind that cuMemFree takes. Kernels that use it have ended by then. */
CUresult cuMemFree_v2(CUdeviceptr pointer) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_enter(&context);
  if (result == CUDA_SUCCESS && pointer)
    result = cs_cpu_capture_unsafe();
  if (result != CUDA_SUCCESS || pointer == 0)
    return result;
  cs_cpu_memory_lock();
  struct cs_cpu_allocation *allocation = cs_cpu_memory_find(pointer);
  int ours = allocation && allocation->range.start == pointer && !allocation->freeing &&
             (allocation->kind == CS_CPU_MEMORY_DEVICE || allocation->kind == CS_CPU_MEMORY_MANAGED) &&
             (!allocation->graphs || allocation->live);
  cs_cpu_memory_unlock();
  if (!ours)
    return CUDA_ERROR_INVALID_VALUE;
  cs_cpu_wait_all();
  /* Look again: another thread may have freed the same pointer meanwhile. */
  cs_cpu_memory_lock();
  ours = cs_cpu_memory_find(pointer) == allocation;
  int kept = ours && allocation->live && cs_cpu_memory_free_graph(allocation);
  if (ours && !kept)
    release(allocation);
  cs_cpu_memory_unlock();
  if (!ours)
    return CUDA_ERROR_INVALID_VALUE;
  if (kept)
    return cs_cpu_context_error(context);
  settle(allocation);
  return cs_cpu_context_error(context);
}

CUresult cuMemGetInfo_v2(size_t *available, size_t *total) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_enter(&context);
  if (result != CUDA_SUCCESS)
    return result;
  if (!available || !total)
    return CUDA_ERROR_INVALID_VALUE;
  *total = cs_cpu_options()->memory;
  *available = *total - atomic_load(&context->device->used);
  return CUDA_SUCCESS;
}
