/* pool.c: stream-ordered allocation and memory pools. Pools keep nothing: memory goes back to the heap when it is freed. */
#include "cpu/cuda/graph.h"
#include <stdlib.h>

struct pool {
  uint32_t magic;
  struct cs_cpu_device *device;
  size_t most; /* 0: no limit of its own */
  atomic_size_t used, used_high;
  atomic_ullong threshold;
  atomic_int reuse[3];
};

int cs_cpu_pools_start(struct cs_cpu_device *device) {
  struct pool *pool = cs_cpu_object_new(CS_CPU_POOL, sizeof *pool);
  if (!pool)
    return -1;
  pool->device = device;
  for (int i = 0; i < 3; i++)
    atomic_store(&pool->reuse[i], 1);
  device->pool = device->default_pool = (CUmemoryPool)pool;
  return 0;
}

void cs_cpu_pool_freed(void *owner, size_t size) {
  struct pool *pool = owner;
  atomic_fetch_sub(&pool->used, size);
}

static int pool_grow(struct pool *pool, size_t size) {
  size_t used = atomic_fetch_add(&pool->used, size) + size;
  if (pool->most && used > pool->most) {
    atomic_fetch_sub(&pool->used, size);
    return -1;
  }
  size_t high = atomic_load(&pool->used_high);
  while (used > high && !atomic_compare_exchange_weak(&pool->used_high, &high, used))
    ;
  return 0;
}

static CUresult pool_of(CUmemoryPool handle, struct pool **pool) {
  CUresult result = cs_cpu_check_init();
  if (result != CUDA_SUCCESS)
    return result;
  if (!cs_cpu_object_is(handle, CS_CPU_POOL))
    return CUDA_ERROR_INVALID_VALUE;
  *pool = (struct pool *)handle;
  return CUDA_SUCCESS;
}

/* --- pools --- */

static CUresult check_device(CUdevice ordinal, const void *out, struct cs_cpu_device **device) {
  CUresult result = cs_cpu_check_init();
  if (result != CUDA_SUCCESS)
    return result;
  *device = cs_cpu_device_at(ordinal);
  if (!*device)
    return CUDA_ERROR_INVALID_DEVICE;
  return out ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuDeviceGetDefaultMemPool(CUmemoryPool *pool, CUdevice ordinal) {
  struct cs_cpu_device *device;
  CUresult result = check_device(ordinal, pool, &device);
  if (result == CUDA_SUCCESS)
    *pool = device->default_pool;
  return result;
}

CUresult cuDeviceGetMemPool(CUmemoryPool *pool, CUdevice ordinal) {
  struct cs_cpu_device *device;
  CUresult result = check_device(ordinal, pool, &device);
  if (result == CUDA_SUCCESS)
    *pool = device->pool;
  return result;
}

CUresult cuDeviceSetMemPool(CUdevice ordinal, CUmemoryPool handle) {
  struct cs_cpu_device *device;
  struct pool *pool;
  CUresult result = check_device(ordinal, handle, &device);
  if (result == CUDA_SUCCESS)
    result = pool_of(handle, &pool);
  if (result == CUDA_SUCCESS && pool->device != device)
    return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    device->pool = handle;
  return result;
}

/* The newer spelling of the three calls above takes a location. */
static CUresult location_device(const CUmemLocation *location, CUmemAllocationType type, CUdevice *device) {
  if (!location || type != CU_MEM_ALLOCATION_TYPE_PINNED)
    return CUDA_ERROR_INVALID_VALUE;
  if (location->type != CU_MEM_LOCATION_TYPE_DEVICE)
    return cs_cpu_unsupported("a memory pool on the host");
  *device = location->id;
  return CUDA_SUCCESS;
}

CUresult cuMemGetDefaultMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type) {
  CUdevice device = CU_DEVICE_INVALID;
  CUresult result = location_device(location, type, &device);
  return result == CUDA_SUCCESS ? cuDeviceGetDefaultMemPool(pool, device) : result;
}

CUresult cuMemGetMemPool(CUmemoryPool *pool, CUmemLocation *location, CUmemAllocationType type) {
  CUdevice device = CU_DEVICE_INVALID;
  CUresult result = location_device(location, type, &device);
  return result == CUDA_SUCCESS ? cuDeviceGetMemPool(pool, device) : result;
}

CUresult cuMemSetMemPool(CUmemLocation *location, CUmemAllocationType type, CUmemoryPool pool) {
  CUdevice device = CU_DEVICE_INVALID;
  CUresult result = location_device(location, type, &device);
  return result == CUDA_SUCCESS ? cuDeviceSetMemPool(device, pool) : result;
}

CUresult cuMemPoolCreate(CUmemoryPool *out, const CUmemPoolProps *properties) {
  CUresult result = cs_cpu_check_init();
  if (result != CUDA_SUCCESS)
    return result;
  if (!out || !properties || properties->allocType != CU_MEM_ALLOCATION_TYPE_PINNED)
    return CUDA_ERROR_INVALID_VALUE;
  if (properties->handleTypes != CU_MEM_HANDLE_TYPE_NONE)
    return cs_cpu_unsupported("cuMemPoolCreate with shareable handles");
  if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
    return cs_cpu_unsupported("a memory pool on the host");
  struct cs_cpu_device *device = cs_cpu_device_at(properties->location.id);
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  struct pool *pool = cs_cpu_object_new(CS_CPU_POOL, sizeof *pool);
  if (!pool)
    return CUDA_ERROR_OUT_OF_MEMORY;
  pool->device = device;
  pool->most = properties->maxSize;
  *out = (CUmemoryPool)pool;
  return CUDA_SUCCESS;
}

/* Memory that is still out keeps counting against the pool, so the object may not be reused before it is back; its
 * storage is type-stable and cs_cpu_pool_freed only subtracts, which is harmless on a dead pool. */
CUresult cuMemPoolDestroy(CUmemoryPool handle) {
  struct pool *pool;
  CUresult result = pool_of(handle, &pool);
  if (result != CUDA_SUCCESS)
    return result;
  if (handle == pool->device->default_pool)
    return CUDA_ERROR_INVALID_VALUE;
  if (pool->device->pool == handle)
    pool->device->pool = pool->device->default_pool;
  if (atomic_load(&pool->used) == 0)
    cs_cpu_object_delete(pool);
  else
    __atomic_store_n(&pool->magic, CS_CPU_DEAD, __ATOMIC_RELEASE);
  return CUDA_SUCCESS;
}

CUresult cuMemPoolTrimTo(CUmemoryPool handle, size_t keep) {
  (void)keep; /* nothing beyond what is in use is ever kept */
  struct pool *pool;
  return pool_of(handle, &pool);
}

CUresult cuMemPoolSetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute, void *value) {
  struct pool *pool;
  CUresult result = pool_of(handle, &pool);
  if (result != CUDA_SUCCESS || !value)
    return result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
  case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
    atomic_store(&pool->reuse[attribute - 1], *(int *)value);
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
    atomic_store(&pool->threshold, *(cuuint64_t *)value);
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH: /* may only be reset */
    if (*(cuuint64_t *)value != 0)
      return CUDA_ERROR_INVALID_VALUE;
    atomic_store(&pool->used_high, atomic_load(&pool->used));
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuMemPoolGetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute, void *value) {
  struct pool *pool;
  CUresult result = pool_of(handle, &pool);
  if (result != CUDA_SUCCESS || !value)
    return result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_VALUE;
  switch (attribute) {
  case CU_MEMPOOL_ATTR_REUSE_FOLLOW_EVENT_DEPENDENCIES:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_OPPORTUNISTIC:
  case CU_MEMPOOL_ATTR_REUSE_ALLOW_INTERNAL_DEPENDENCIES:
    *(int *)value = atomic_load(&pool->reuse[attribute - 1]);
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RELEASE_THRESHOLD:
    *(cuuint64_t *)value = atomic_load(&pool->threshold);
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_CURRENT:
  case CU_MEMPOOL_ATTR_USED_MEM_CURRENT:
    *(cuuint64_t *)value = atomic_load(&pool->used);
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_RESERVED_MEM_HIGH:
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    *(cuuint64_t *)value = atomic_load(&pool->used_high);
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

/* All devices reach all memory; only a pool's own device may not be shut out. */
CUresult cuMemPoolSetAccess(CUmemoryPool handle, const CUmemAccessDesc *accesses, size_t count) {
  struct pool *pool;
  CUresult result = pool_of(handle, &pool);
  if (result != CUDA_SUCCESS || !accesses)
    return result != CUDA_SUCCESS ? result : CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; i++) {
    struct cs_cpu_device *device = cs_cpu_device_at(accesses[i].location.id);
    if (accesses[i].location.type != CU_MEM_LOCATION_TYPE_DEVICE || !device)
      return CUDA_ERROR_INVALID_VALUE;
    if (device == pool->device && accesses[i].flags != CU_MEM_ACCESS_FLAGS_PROT_READWRITE)
      return CUDA_ERROR_INVALID_VALUE;
  }
  return CUDA_SUCCESS;
}

CUresult cuMemPoolGetAccess(CUmemAccess_flags *flags, CUmemoryPool handle, CUmemLocation *location) {
  struct pool *pool;
  CUresult result = pool_of(handle, &pool);
  if (result != CUDA_SUCCESS)
    return result;
  if (!flags || !location || location->type != CU_MEM_LOCATION_TYPE_DEVICE || !cs_cpu_device_at(location->id))
    return CUDA_ERROR_INVALID_VALUE;
  *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return CUDA_SUCCESS;
}

/* --- stream-ordered allocation --- */

CUresult cuMemAllocFromPoolAsync(CUdeviceptr *out, size_t size, CUmemoryPool handle, CUstream stream_handle) {
  struct cs_cpu_context *context;
  struct cs_cpu_stream *stream;
  struct pool *pool;
  struct cs_cpu_allocation *allocation;
  CUresult result = cs_cpu_enter_work(stream_handle, &context, &stream);
  if (result == CUDA_SUCCESS)
    result = pool_of(handle, &pool);
  if (result != CUDA_SUCCESS)
    return result;
  if (!out || size == 0)
    return CUDA_ERROR_INVALID_VALUE;
  if (stream->capture)
    return cs_cpu_capture_allocate(stream, pool->device, size, out);
  if (pool_grow(pool, size) != 0)
    return CUDA_ERROR_OUT_OF_MEMORY;
  result = cs_cpu_memory_allocate(pool->device->primary, CS_CPU_MEMORY_DEVICE, size, 0, &allocation);
  if (result != CUDA_SUCCESS) {
    cs_cpu_pool_freed(pool, size);
    return result;
  }
  allocation->owner = pool;
  allocation->context = context;
  *out = allocation->range.start;
  return CUDA_SUCCESS;
}

CUresult cuMemAllocAsync(CUdeviceptr *out, size_t size, CUstream handle) {
  struct cs_cpu_context *context;
  struct cs_cpu_stream *stream;
  CUresult result = cs_cpu_enter_work(handle, &context, &stream);
  return result == CUDA_SUCCESS ? cuMemAllocFromPoolAsync(out, size, stream->context->device->pool, handle) : result;
}

struct free_task {
  struct cs_cpu_task task;
  struct cs_cpu_allocation *allocation;
};

static CUresult run_free(struct cs_cpu_task *task) {
  cs_cpu_memory_release(((struct free_task *)task)->allocation);
  return CUDA_SUCCESS;
}

CUresult cuMemFreeAsync(CUdeviceptr pointer, CUstream handle) {
  struct cs_cpu_stream *stream;
  CUresult result = cs_cpu_enter_work(handle, NULL, &stream);
  if (result != CUDA_SUCCESS || pointer == 0)
    return result;
  if (stream->capture)
    return cs_cpu_capture_free(stream, pointer);
  cs_cpu_memory_lock();
  struct cs_cpu_allocation *allocation = cs_cpu_memory_find(pointer);
  /* A second free of the same pointer must fail even before the first has run. */
  int ours = allocation && allocation->range.start == pointer && allocation->kind == CS_CPU_MEMORY_DEVICE &&
             !allocation->freeing;
  int graph = ours && (allocation->graphs || allocation->live);
  ours = ours && (!graph || allocation->live);
  int done = ours && graph && cs_cpu_memory_free_graph(allocation);
  if (ours && !done)
    allocation->freeing = 1;
  cs_cpu_memory_unlock();
  if (!ours || done)
    return ours ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  struct free_task *task = cs_cpu_task_new(sizeof *task, run_free);
  if (!task)
    return CUDA_ERROR_OUT_OF_MEMORY;
  task->task.always = 1;
  task->allocation = allocation;
  return cs_cpu_submit(stream, &task->task, NULL);
}
