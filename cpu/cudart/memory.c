/* memory.c: allocating and freeing, pinned and managed memory, and pointer attributes. */
#include "cpu/cudart/runtime.h"

#include <string.h>

_Static_assert(cudaHostAllocPortable == CU_MEMHOSTALLOC_PORTABLE && cudaHostAllocMapped == CU_MEMHOSTALLOC_DEVICEMAP &&
                   cudaHostAllocWriteCombined == CU_MEMHOSTALLOC_WRITECOMBINED,
               "allocation flags are passed through");
_Static_assert(cudaHostRegisterPortable == CU_MEMHOSTREGISTER_PORTABLE &&
                   cudaHostRegisterReadOnly == CU_MEMHOSTREGISTER_READ_ONLY,
               "registration flags, too");
_Static_assert(cudaMemAttachGlobal == CU_MEM_ATTACH_GLOBAL && cudaMemAttachSingle == CU_MEM_ATTACH_SINGLE,
               "attachment flags, too");
_Static_assert((int)cudaMemAdviseUnsetAccessedBy == (int)CU_MEM_ADVISE_UNSET_ACCESSED_BY, "advice, too");
_Static_assert((int)cudaMemLocationTypeHostNumaCurrent == (int)CU_MEM_LOCATION_TYPE_HOST_NUMA_CURRENT,
               "locations, too");

/* Stores a new device address for the caller. */
static cudaError_t store_address(CUresult result, CUdeviceptr address, void **out) {
  if (result == CUDA_SUCCESS)
    *out = (void *)address;
  return cs_cudart_done(result);
}

cudaError_t cudaMalloc(void **out, size_t size) {
  CUdeviceptr address = 0;
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(out);
  CUresult result = size ? CU(MemAlloc, &address, size) : CUDA_SUCCESS;
  return store_address(result, address, out);
}

cudaError_t cudaMallocManaged(void **out, size_t size, unsigned flags) {
  CUdeviceptr address = 0;
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(out && size && (flags == cudaMemAttachGlobal || flags == cudaMemAttachHost));
  CUresult result = CU(MemAllocManaged, &address, size, flags);
  return store_address(result, address, out);
}

static cudaError_t allocate_rows(void **out, size_t *pitch, size_t width, size_t rows) {
  CUdeviceptr address = 0;
  *pitch = 0;
  enum { element = 4 }; /* the widest access that the rows must be aligned for; NVIDIA's runtime passes 4, too */
  CUresult result = width && rows ? CU(MemAllocPitch, &address, pitch, width, rows, element) : CUDA_SUCCESS;
  return store_address(result, address, out);
}

cudaError_t cudaMallocPitch(void **out, size_t *pitch, size_t width, size_t height) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(out && pitch);
  return allocate_rows(out, pitch, width, height);
}

cudaError_t cudaMalloc3D(struct cudaPitchedPtr *out, struct cudaExtent extent) {
  CS_CUDART_ENTER();
  size_t rows;
  CS_CUDART_CHECK(out && !__builtin_mul_overflow(extent.height, extent.depth, &rows));
  struct cudaPitchedPtr allocated = {.xsize = extent.width, .ysize = extent.height};
  cudaError_t error = allocate_rows(&allocated.ptr, &allocated.pitch, extent.width, rows);
  if (error == cudaSuccess)
    *out = allocated;
  return error;
}

cudaError_t cudaFree(void *pointer) {
  CS_CUDART_ENTER(); /* programs call cudaFree(0) to create a context */
  return pointer ? cs_cudart_done(CU(MemFree, cs_cudart_address(pointer))) : cudaSuccess;
}

cudaError_t cudaMallocHost(void **out, size_t size) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(out);
  *out = NULL;
  return size ? cs_cudart_done(CU(MemAllocHost, out, size)) : cudaSuccess;
}

cudaError_t cudaHostAlloc(void **out, size_t size, unsigned flags) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(out &&
                  !(flags & ~(unsigned)(cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined)));
  *out = NULL;
  return size ? cs_cudart_done(CU(MemHostAlloc, out, size, flags)) : cudaSuccess;
}

cudaError_t cudaFreeHost(void *pointer) {
  CS_CUDART_ENTER();
  return pointer ? cs_cudart_done(CU(MemFreeHost, pointer)) : cudaSuccess;
}

cudaError_t cudaHostRegister(void *pointer, size_t size, unsigned flags) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(pointer && size);
  return cs_cudart_done(CU(MemHostRegister, pointer, size, flags));
}

cudaError_t cudaHostUnregister(void *pointer) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(pointer);
  return cs_cudart_done(CU(MemHostUnregister, pointer));
}

cudaError_t cudaHostGetDevicePointer(void **out, void *host, unsigned flags) {
  CUdeviceptr address = 0;
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(out && host && flags == 0);
  CUresult result = CU(MemHostGetDevicePointer, &address, host, 0);
  return store_address(result, address, out);
}

cudaError_t cudaHostGetFlags(unsigned *flags, void *host) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(flags && host);
  return cs_cudart_done(CU(MemHostGetFlags, flags, host));
}

cudaError_t cudaMemGetInfo(size_t *available, size_t *total) {
  CS_CUDART_ENTER();
  return cs_cudart_done(CU(MemGetInfo, available, total));
}

/* The driver's attributes of a pointer; all zero for one that it does not know. */
struct pointer_facts {
  unsigned type; /* CUmemorytype */
  unsigned managed;
  int ordinal;
  CUdeviceptr device;
  void *host;
};

static CUresult query(const void *pointer, struct pointer_facts *facts) {
  CUpointer_attribute which[] = {CU_POINTER_ATTRIBUTE_MEMORY_TYPE, CU_POINTER_ATTRIBUTE_IS_MANAGED,
                                 CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL, CU_POINTER_ATTRIBUTE_DEVICE_POINTER,
                                 CU_POINTER_ATTRIBUTE_HOST_POINTER};
  void *data[] = {&facts->type, &facts->managed, &facts->ordinal, &facts->device, &facts->host};
  return CU(PointerGetAttributes, sizeof which / sizeof *which, which, data, cs_cudart_address(pointer));
}

cudaError_t cudaPointerGetAttributes(struct cudaPointerAttributes *out, const void *pointer) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(out);
  struct pointer_facts facts = {0};
  CUresult result = query(pointer, &facts);
  if (result != CUDA_SUCCESS && result != CUDA_ERROR_INVALID_VALUE)
    return cs_cudart_done(result);
  memset(out, 0, sizeof *out);
  if (result != CUDA_SUCCESS || !facts.type) {
    out->type = cudaMemoryTypeUnregistered;
    out->device = cudaInvalidDeviceId;
    out->hostPointer = (void *)pointer;
    return cudaSuccess;
  }
  out->type = facts.managed                                ? cudaMemoryTypeManaged
              : facts.type == (unsigned)CU_MEMORYTYPE_HOST ? cudaMemoryTypeHost
                                                           : cudaMemoryTypeDevice;
  out->device = facts.ordinal;
  out->devicePointer = (void *)facts.device;
  out->hostPointer = facts.host;
  return cudaSuccess;
}

static CUmemLocation driver_location(struct cudaMemLocation location) {
  return (CUmemLocation){.type = (CUmemLocationType)location.type, .id = location.id};
}

cudaError_t cudaMemPrefetchAsync(const void *pointer, size_t size, struct cudaMemLocation location, unsigned flags,
                                 cudaStream_t stream) {
  CS_CUDART_ENTER();
  return cs_cudart_done(
      CU(MemPrefetchAsync, cs_cudart_address(pointer), size, driver_location(location), flags, stream));
}

cudaError_t cudaMemAdvise(const void *pointer, size_t size, enum cudaMemoryAdvise advice,
                          struct cudaMemLocation location) {
  CS_CUDART_ENTER();
  return cs_cudart_done(
      CU(MemAdvise, cs_cudart_address(pointer), size, (CUmem_advise)advice, driver_location(location)));
}

cudaError_t cudaMemRangeGetAttribute(void *data, size_t data_size, enum cudaMemRangeAttribute which,
                                     const void *pointer, size_t size) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(data);
  return cs_cudart_done(
      CU(MemRangeGetAttribute, data, data_size, (CUmem_range_attribute)which, cs_cudart_address(pointer), size));
}

cudaError_t cudaMemRangeGetAttributes(void **data, size_t *data_sizes, enum cudaMemRangeAttribute *which, size_t count,
                                      const void *pointer, size_t size) {
  _Static_assert(sizeof *which == sizeof(CUmem_range_attribute), "the list is passed through");
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(data && data_sizes && which);
  return cs_cudart_done(CU(MemRangeGetAttributes, data, data_sizes, (CUmem_range_attribute *)which, count,
                           cs_cudart_address(pointer), size));
}

/* Needs no driver. */
struct cudaChannelFormatDesc cudaCreateChannelDesc(int x, int y, int z, int w, enum cudaChannelFormatKind kind) {
  return (struct cudaChannelFormatDesc){.x = x, .y = y, .z = z, .w = w, .f = kind};
}
