/* device_memory.c: the calls that allocate and free device and managed memory. */
#include "cpu/cuda/base/limits.h"
#include "cpu/cuda/base/options.h"
#include "cpu/cuda/memory/allocation.h"
#include "cpu/cuda/memory/graph_memory.h"
#include "cpu/cuda/memory/leaving.h"
#include "cpu/cuda/work/capture.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/devices.h"
#include "cpu/cuda/work/executor.h"
#include <stdatomic.h>

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

/* Frees the allocation that starts exactly at the pointer, if it is of a kind that cuMemFree accepts. Waits for kernels
 * that may use it. */
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
  /* Find it again: another thread may have freed the same pointer meanwhile. */
  cs_cpu_memory_lock();
  ours = cs_cpu_memory_find(pointer) == allocation;
  int kept = ours && allocation->live && cs_cpu_graph_memory_free(allocation);
  if (ours && !kept)
    cs_cpu_memory_release_locked(allocation);
  cs_cpu_memory_unlock();
  if (!ours)
    return CUDA_ERROR_INVALID_VALUE;
  if (kept)
    return cs_cpu_context_error(context);
  cs_cpu_memory_settle(allocation);
  return cs_cpu_context_error(context);
}

CUresult cuMemGetInfo_v2(size_t *available, size_t *total) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_enter(&context);
  if (result != CUDA_SUCCESS)
    return result;
  if (!available || !total)
    return CUDA_ERROR_INVALID_VALUE;
  cs_cpu_memory_lock();
  cs_cpu_leaving_collect();
  cs_cpu_memory_unlock();
  *total = cs_cpu_options()->memory;
  *available = *total - atomic_load(&context->device->used);
  return CUDA_SUCCESS;
}
