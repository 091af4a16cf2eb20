/* pool.c: memory pools. They cache nothing: freed memory returns to the heap. */
#include "cpu/cuda/memory/pool.h"
#include "cpu/cuda/base/objects.h"
#include "cpu/cuda/base/options.h"
#include "cpu/cuda/base/unsupported.h"
#include "cpu/cuda/memory/allocation.h"
#include "cpu/cuda/work/devices.h"

int cs_cpu_pools_start(struct cs_cpu_device *device) {
  struct cs_cpu_pool *pool = cs_cpu_object_new(CS_CPU_POOL, sizeof *pool);
  if (!pool)
    return -1;
  pool->device = device;
  for (int i = 0; i < 3; i++)
    atomic_store(&pool->reuse[i], 1);
  device->pool = device->default_pool = (CUmemoryPool)pool;
  return 0;
}

static void released(struct cs_cpu_allocation *allocation) {
  struct cs_cpu_pool *pool = allocation->owner;
  atomic_fetch_sub(&pool->used, allocation->range.size);
}

void cs_cpu_pool_free(struct cs_cpu_allocation *allocation) {
  if (allocation->released != released)
    return;
  released(allocation);
  allocation->released = NULL;
}

static void raise(atomic_size_t *high, size_t used) {
  size_t before = atomic_load(high);
  while (used > before && !atomic_compare_exchange_weak(high, &before, used))
    ;
}

static int grow(struct cs_cpu_pool *pool, size_t size) {
  size_t used = atomic_fetch_add(&pool->used, size) + size;
  if (pool->max_size && used > pool->max_size) {
    atomic_fetch_sub(&pool->used, size);
    return -1;
  }
  raise(&pool->used_high, used);
  raise(&pool->reserved_high, used);
  return 0;
}

int cs_cpu_pool_fits(const struct cs_cpu_pool *pool, size_t size) {
  size_t used = atomic_load(&pool->used);
  return size <= cs_cpu_options()->memory &&
         (!pool->max_size || (used <= pool->max_size && size <= pool->max_size - used));
}

CUresult cs_cpu_pool_allocate(struct cs_cpu_pool *pool, struct cs_cpu_context *context, size_t size,
                              struct cs_cpu_allocation **out) {
  if (grow(pool, size) != 0)
    return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult result = cs_cpu_memory_allocate(pool->device->primary, CS_CPU_MEMORY_DEVICE, size, 0, out);
  if (result != CUDA_SUCCESS) {
    atomic_fetch_sub(&pool->used, size);
    return result;
  }
  (*out)->owner = pool;
  (*out)->released = released;
  (*out)->context = context;
  return CUDA_SUCCESS;
}

CUresult cs_cpu_pool_of(CUmemoryPool handle, struct cs_cpu_pool **pool) {
  *pool = (struct cs_cpu_pool *)handle;
  return cs_cpu_check_handle(handle, CS_CPU_POOL, CUDA_ERROR_INVALID_VALUE);
}

/* --- the calls --- */

static CUresult check_device(CUdevice ordinal, const void *out, struct cs_cpu_device **device) {
  CUresult result = cs_cpu_device_of(ordinal, device);
  return result == CUDA_SUCCESS && !out ? CUDA_ERROR_INVALID_VALUE : result;
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
  struct cs_cpu_pool *pool;
  CUresult result = check_device(ordinal, handle, &device);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_pool_of(handle, &pool);
  if (result == CUDA_SUCCESS && pool->device != device)
    return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    device->pool = handle;
  return result;
}

/* The newer forms of the three calls above take a location. */
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
    return CUDA_ERROR_NOT_SUPPORTED; /* as the device's attributes state: callers try */
  if (properties->location.type != CU_MEM_LOCATION_TYPE_DEVICE)
    return cs_cpu_unsupported("a memory pool on the host");
  struct cs_cpu_device *device = cs_cpu_device_at(properties->location.id);
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  struct cs_cpu_pool *pool = cs_cpu_object_new(CS_CPU_POOL, sizeof *pool);
  if (!pool)
    return CUDA_ERROR_OUT_OF_MEMORY;
  pool->device = device;
  pool->max_size = properties->maxSize;
  *out = (CUmemoryPool)pool;
  return CUDA_SUCCESS;
}

/* Live memory still counts against the pool, so the object may not be reused before it is freed; the storage is type-
 * stable and released() only subtracts, which is harmless on a dead pool. */
CUresult cuMemPoolDestroy(CUmemoryPool handle) {
  struct cs_cpu_pool *pool;
  CUresult result = cs_cpu_pool_of(handle, &pool);
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
  (void)keep; /* a pool keeps no free memory */
  struct cs_cpu_pool *pool;
  return cs_cpu_pool_of(handle, &pool);
}

CUresult cuMemPoolSetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute, void *value) {
  struct cs_cpu_pool *pool;
  CUresult result = cs_cpu_pool_of(handle, &pool);
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
    atomic_store(attribute == CU_MEMPOOL_ATTR_USED_MEM_HIGH ? &pool->used_high : &pool->reserved_high,
                 atomic_load(&pool->used));
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuMemPoolGetAttribute(CUmemoryPool handle, CUmemPool_attribute attribute, void *value) {
  struct cs_cpu_pool *pool;
  CUresult result = cs_cpu_pool_of(handle, &pool);
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
    *(cuuint64_t *)value = atomic_load(&pool->reserved_high);
    return CUDA_SUCCESS;
  case CU_MEMPOOL_ATTR_USED_MEM_HIGH:
    *(cuuint64_t *)value = atomic_load(&pool->used_high);
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

/* All devices access all memory; only the pool's own device may not lose its access. */
CUresult cuMemPoolSetAccess(CUmemoryPool handle, const CUmemAccessDesc *accesses, size_t count) {
  struct cs_cpu_pool *pool;
  CUresult result = cs_cpu_pool_of(handle, &pool);
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
  struct cs_cpu_pool *pool;
  CUresult result = cs_cpu_pool_of(handle, &pool);
  if (result != CUDA_SUCCESS)
    return result;
  if (!flags || !location || location->type != CU_MEM_LOCATION_TYPE_DEVICE || !cs_cpu_device_at(location->id))
    return CUDA_ERROR_INVALID_VALUE;
  *flags = CU_MEM_ACCESS_FLAGS_PROT_READWRITE;
  return CUDA_SUCCESS;
}
