/* host_memory.c: pinned and registered host memory. On the CPU device, its device address is its host address. */
#include "cpu/cuda/base/ranges.h"
#include "cpu/cuda/base/unsupported.h"
#include "cpu/cuda/memory/allocation.h"
#include "cpu/cuda/work/capture.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/executor.h"
#include <stdint.h>
#include <sys/mman.h>

#define HOST_FLAGS (CU_MEMHOSTALLOC_PORTABLE | CU_MEMHOSTALLOC_DEVICEMAP | CU_MEMHOSTALLOC_WRITECOMBINED)
#define REGISTER_FLAGS (CU_MEMHOSTREGISTER_PORTABLE | CU_MEMHOSTREGISTER_DEVICEMAP | CU_MEMHOSTREGISTER_READ_ONLY)

CUresult cuMemHostAlloc(void **pointer, size_t size, unsigned int flags) {
  struct cs_cpu_context *context;
  struct cs_cpu_allocation *allocation;
  CUresult result = cs_cpu_enter(&context);
  if (result != CUDA_SUCCESS)
    return result;
  if (!pointer || size == 0 || (flags & ~(unsigned)HOST_FLAGS))
    return CUDA_ERROR_INVALID_VALUE;
  result = cs_cpu_capture_unsafe();
  if (result != CUDA_SUCCESS)
    return result;
  result = cs_cpu_memory_allocate(context, CS_CPU_MEMORY_HOST, size, flags | CU_MEMHOSTALLOC_DEVICEMAP, &allocation);
  if (result == CUDA_SUCCESS)
    *pointer = (void *)(uintptr_t)allocation->range.start;
  return result;
}

CUresult cuMemAllocHost_v2(void **pointer, size_t size) {
  return cuMemHostAlloc(pointer, size, 0);
}

/* The allocation of that kind that starts exactly at the pointer, for the one thread that may release it; NULL for all
 * others. */
static struct cs_cpu_allocation *claim(const void *pointer, enum cs_cpu_memory_kind kind) {
  cs_cpu_memory_lock();
  struct cs_cpu_allocation *allocation = cs_cpu_memory_find((uint64_t)(uintptr_t)pointer);
  if (allocation &&
      (allocation->kind != kind || allocation->range.start != (uint64_t)(uintptr_t)pointer || allocation->freeing))
    allocation = NULL;
  if (allocation)
    allocation->freeing = 1;
  cs_cpu_memory_unlock();
  return allocation;
}

CUresult cuMemFreeHost(void *pointer) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_enter(&context);
  if (result == CUDA_SUCCESS && pointer)
    result = cs_cpu_capture_unsafe();
  if (result != CUDA_SUCCESS || !pointer)
    return result;
  struct cs_cpu_allocation *allocation = claim(pointer, CS_CPU_MEMORY_HOST);
  if (!allocation)
    return CUDA_ERROR_INVALID_VALUE;
  cs_cpu_wait_all();
  cs_cpu_memory_release(allocation);
  return cs_cpu_context_error(context);
}

/* Whether both ends of the range are mapped in the process. */
static int is_mapped(uint64_t start, size_t size) {
  unsigned char resident;
  uint64_t first = start & ~4095ull, last = (start + size - 1) & ~4095ull;
  return mincore((void *)(uintptr_t)first, 1, &resident) == 0 && mincore((void *)(uintptr_t)last, 1, &resident) == 0;
}

CUresult cuMemHostRegister_v2(void *pointer, size_t size, unsigned int flags) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_enter(&context);
  if (result != CUDA_SUCCESS)
    return result;
  uint64_t start = (uint64_t)(uintptr_t)pointer;
  if (flags & CU_MEMHOSTREGISTER_IOMEMORY)
    return cs_cpu_unsupported("CU_MEMHOSTREGISTER_IOMEMORY");
  if (!pointer || size == 0 || start + size < start || (flags & ~(unsigned)REGISTER_FLAGS) || !is_mapped(start, size))
    return CUDA_ERROR_INVALID_VALUE;
  cs_cpu_memory_lock();
  int overlap = cs_cpu_ranges_overlap(&cs_cpu_allocations, start, size);
  cs_cpu_memory_unlock();
  if (overlap)
    return CUDA_ERROR_HOST_MEMORY_ALREADY_REGISTERED;
  return cs_cpu_memory_register(context, CS_CPU_MEMORY_REGISTERED, start, size, flags | CU_MEMHOSTREGISTER_DEVICEMAP)
             ? CUDA_SUCCESS
             : CUDA_ERROR_OUT_OF_MEMORY;
}

CUresult cuMemHostRegister(void *pointer, size_t size, unsigned int flags) {
  return cuMemHostRegister_v2(pointer, size, flags);
}

CUresult cuMemHostUnregister(void *pointer) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_enter(&context);
  if (result != CUDA_SUCCESS)
    return result;
  if (!pointer)
    return CUDA_ERROR_INVALID_VALUE;
  struct cs_cpu_allocation *allocation = claim(pointer, CS_CPU_MEMORY_REGISTERED);
  if (!allocation)
    return CUDA_ERROR_HOST_MEMORY_NOT_REGISTERED;
  cs_cpu_wait_all();
  cs_cpu_memory_release(allocation);
  return cs_cpu_context_error(context);
}

static CUresult host_allocation(const void *pointer, unsigned *flags) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_enter(&context);
  if (result != CUDA_SUCCESS)
    return result;
  cs_cpu_memory_lock();
  struct cs_cpu_allocation *allocation = cs_cpu_memory_find((uint64_t)(uintptr_t)pointer);
  int host = allocation && (allocation->kind == CS_CPU_MEMORY_HOST || allocation->kind == CS_CPU_MEMORY_REGISTERED);
  *flags = host ? allocation->flags : 0;
  cs_cpu_memory_unlock();
  return host ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuMemHostGetDevicePointer_v2(CUdeviceptr *device, void *pointer, unsigned int flags) {
  unsigned ignored;
  if (!device || flags != 0)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult result = host_allocation(pointer, &ignored);
  if (result == CUDA_SUCCESS)
    *device = (CUdeviceptr)(uintptr_t)pointer;
  return result;
}

CUresult cuMemHostGetFlags(unsigned int *flags, void *pointer) {
  return flags ? host_allocation(pointer, flags) : CUDA_ERROR_INVALID_VALUE;
}
