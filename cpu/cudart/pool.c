/* pool.c: stream-ordered allocation, and memory pools. */
#include "cpu/cudart/runtime.h"

_Static_assert(sizeof(struct cudaMemPoolProps) == sizeof(CUmemPoolProps), "pool properties are passed through");
_Static_assert(sizeof(struct cudaMemAccessDesc) == sizeof(CUmemAccessDesc), "access descriptions, too");
_Static_assert((int)cudaMemPoolAttrUsedMemHigh == (int)CU_MEMPOOL_ATTR_USED_MEM_HIGH, "attributes, too");

cudaError_t cudaMallocAsync(void **out, size_t size, cudaStream_t stream) {
  CUdeviceptr address = 0;
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(out);
  CUresult result = size ? CU(MemAllocAsync, &address, size, stream) : CUDA_SUCCESS;
  if (result == CUDA_SUCCESS)
    *out = (void *)address;
  return cs_cudart_done(result);
}

cudaError_t cudaMallocFromPoolAsync(void **out, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  CUdeviceptr address = 0;
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(out);
  CUresult result = size ? CU(MemAllocFromPoolAsync, &address, size, pool, stream) : CUDA_SUCCESS;
  if (result == CUDA_SUCCESS)
    *out = (void *)address;
  return cs_cudart_done(result);
}

cudaError_t cudaFreeAsync(void *pointer, cudaStream_t stream) {
  CS_CUDART_ENTER();
  return pointer ? cs_cudart_done(CU(MemFreeAsync, cs_cudart_address(pointer), stream)) : cudaSuccess;
}

cudaError_t cudaDeviceGetDefaultMemPool(cudaMemPool_t *pool, int ordinal) {
  CUdevice device;
  CS_CUDART_CHECK(pool);
  CS_CUDART_DEVICE(ordinal, device);
  return cs_cudart_done(CU(DeviceGetDefaultMemPool, pool, device));
}

cudaError_t cudaDeviceGetMemPool(cudaMemPool_t *pool, int ordinal) {
  CUdevice device;
  CS_CUDART_CHECK(pool);
  CS_CUDART_DEVICE(ordinal, device);
  return cs_cudart_done(CU(DeviceGetMemPool, pool, device));
}

cudaError_t cudaDeviceSetMemPool(int ordinal, cudaMemPool_t pool) {
  CUdevice device;
  CS_CUDART_DEVICE(ordinal, device);
  return cs_cudart_done(CU(DeviceSetMemPool, device, pool));
}

cudaError_t cudaMemPoolCreate(cudaMemPool_t *pool, const struct cudaMemPoolProps *properties) {
  CS_CUDART_READY();
  CS_CUDART_CHECK(pool && properties);
  return cs_cudart_done(CU(MemPoolCreate, pool, (const CUmemPoolProps *)properties));
}

cudaError_t cudaMemPoolDestroy(cudaMemPool_t pool) {
  CS_CUDART_READY();
  return cs_cudart_done(CU(MemPoolDestroy, pool));
}

cudaError_t cudaMemPoolTrimTo(cudaMemPool_t pool, size_t keep) {
  CS_CUDART_READY();
  return cs_cudart_done(CU(MemPoolTrimTo, pool, keep));
}

cudaError_t cudaMemPoolSetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr which, void *value) {
  CS_CUDART_READY();
  CS_CUDART_CHECK(value);
  return cs_cudart_done(CU(MemPoolSetAttribute, pool, (CUmemPool_attribute)which, value));
}

cudaError_t cudaMemPoolGetAttribute(cudaMemPool_t pool, enum cudaMemPoolAttr which, void *value) {
  CS_CUDART_READY();
  CS_CUDART_CHECK(value);
  return cs_cudart_done(CU(MemPoolGetAttribute, pool, (CUmemPool_attribute)which, value));
}

cudaError_t cudaMemPoolSetAccess(cudaMemPool_t pool, const struct cudaMemAccessDesc *list, size_t count) {
  CS_CUDART_READY();
  return cs_cudart_done(CU(MemPoolSetAccess, pool, (const CUmemAccessDesc *)list, count));
}

cudaError_t cudaMemPoolGetAccess(enum cudaMemAccessFlags *flags, cudaMemPool_t pool, struct cudaMemLocation *location) {
  CS_CUDART_READY();
  CS_CUDART_CHECK(flags && location);
  CUmemAccess_flags value = CU_MEM_ACCESS_FLAGS_PROT_NONE;
  CUmemLocation driver_location = {.type = (CUmemLocationType)location->type, .id = location->id};
  CUresult result = CU(MemPoolGetAccess, &value, pool, &driver_location);
  *flags = (enum cudaMemAccessFlags)value;
  return cs_cudart_done(result);
}

/* The forms that take a location, which may also be the host, if the driver supports that. */
cudaError_t cudaMemGetDefaultMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location,
                                     enum cudaMemAllocationType type) {
  CS_CUDART_READY();
  CS_CUDART_CHECK(pool && location);
  return cs_cudart_done(CU(MemGetDefaultMemPool, pool, (CUmemLocation *)location, (CUmemAllocationType)type));
}

cudaError_t cudaMemGetMemPool(cudaMemPool_t *pool, struct cudaMemLocation *location, enum cudaMemAllocationType type) {
  CS_CUDART_READY();
  CS_CUDART_CHECK(pool && location);
  return cs_cudart_done(CU(MemGetMemPool, pool, (CUmemLocation *)location, (CUmemAllocationType)type));
}

cudaError_t cudaMemSetMemPool(struct cudaMemLocation *location, enum cudaMemAllocationType type, cudaMemPool_t pool) {
  CS_CUDART_READY();
  CS_CUDART_CHECK(location);
  return cs_cudart_done(CU(MemSetMemPool, (CUmemLocation *)location, (CUmemAllocationType)type, pool));
}
