/* pointer.c: queries of addresses. */
#include "cpu/cuda/memory/allocation.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/devices.h"
#include <stdint.h>

CUresult cuMemGetAddressRange_v2(CUdeviceptr *base, size_t *size, CUdeviceptr pointer) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_enter(&context);
  if (result != CUDA_SUCCESS)
    return result;
  cs_cpu_memory_lock();
  struct cs_cpu_allocation *allocation = cs_cpu_memory_find(pointer);
  int found = allocation && allocation->kind != CS_CPU_MEMORY_REGISTERED;
  if (found && base)
    *base = allocation->range.start;
  if (found && size)
    *size = allocation->range.size;
  cs_cpu_memory_unlock();
  return found ? CUDA_SUCCESS : CUDA_ERROR_NOT_FOUND;
}

static int is_host(const struct cs_cpu_allocation *a) {
  return a->kind == CS_CPU_MEMORY_HOST || a->kind == CS_CPU_MEMORY_REGISTERED;
}

static unsigned access_of(const struct cs_cpu_allocation *a, const struct cs_cpu_context *context) {
  if (a->kind == CS_CPU_MEMORY_MAPPED)
    return context ? a->access[context->device->ordinal] : 0;
  int read_only = a->kind == CS_CPU_MEMORY_REGISTERED && (a->flags & CU_MEMHOSTREGISTER_READ_ONLY);
  return read_only ? CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READ : CU_POINTER_ATTRIBUTE_ACCESS_FLAG_READWRITE;
}

static CUresult pointer_attribute(void *out, CUpointer_attribute attribute, const struct cs_cpu_allocation *a,
                                  CUdeviceptr p, const struct cs_cpu_context *context) {
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_CONTEXT:
    *(CUcontext *)out = (CUcontext)a->context;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
    *(unsigned *)out = is_host(a) ? CU_MEMORYTYPE_HOST : CU_MEMORYTYPE_DEVICE;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_DEVICE_POINTER:
    *(CUdeviceptr *)out = p;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_HOST_POINTER:
    if (!is_host(a) && a->kind != CS_CPU_MEMORY_MANAGED)
      return CUDA_ERROR_INVALID_VALUE;
    *(void **)out = (void *)(uintptr_t)p;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
    *(int *)out = (int)a->sync_memops;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_BUFFER_ID:
    *(unsigned long long *)out = a->id;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
    *(unsigned *)out = a->kind == CS_CPU_MEMORY_MANAGED;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    *(int *)out = a->device;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_RANGE_START_ADDR:
  case CU_POINTER_ATTRIBUTE_MAPPING_BASE_ADDR:
    *(CUdeviceptr *)out = a->range.start;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_RANGE_SIZE:
  case CU_POINTER_ATTRIBUTE_MAPPING_SIZE:
    *(size_t *)out = a->range.size;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_MAPPED:
    *(int *)out = 1;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
    *(int *)out = 0;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_ALLOWED_HANDLE_TYPES:
    *(unsigned long long *)out = 0;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    *(unsigned *)out = access_of(a, context);
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_MEMPOOL_HANDLE:
    *(CUmemoryPool *)out = a->kind == CS_CPU_MEMORY_DEVICE ? (CUmemoryPool)a->owner : NULL;
    return CUDA_SUCCESS;
  case CU_POINTER_ATTRIBUTE_MEMORY_BLOCK_ID:
    *(unsigned long long *)out = a->id;
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cuPointerGetAttribute(void *data, CUpointer_attribute attribute, CUdeviceptr pointer) {
  CUresult result = cs_cpu_check_init();
  if (result != CUDA_SUCCESS)
    return result;
  if (!data)
    return CUDA_ERROR_INVALID_VALUE;
  struct cs_cpu_context *context = NULL;
  cs_cpu_current(&context);
  cs_cpu_memory_lock();
  struct cs_cpu_allocation *allocation = cs_cpu_memory_find(pointer);
  result = allocation ? pointer_attribute(data, attribute, allocation, pointer, context) : CUDA_ERROR_INVALID_VALUE;
  cs_cpu_memory_unlock();
  return result;
}

/* The value for an address unknown to CUDA: zero in the attribute's own size. */
static void clear(void *out, CUpointer_attribute attribute) {
  switch (attribute) {
  case CU_POINTER_ATTRIBUTE_DEVICE_ORDINAL:
    *(int *)out = CU_DEVICE_INVALID;
    break;
  case CU_POINTER_ATTRIBUTE_MEMORY_TYPE:
  case CU_POINTER_ATTRIBUTE_SYNC_MEMOPS:
  case CU_POINTER_ATTRIBUTE_IS_MANAGED:
  case CU_POINTER_ATTRIBUTE_MAPPED:
  case CU_POINTER_ATTRIBUTE_IS_LEGACY_CUDA_IPC_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_GPU_DIRECT_RDMA_CAPABLE:
  case CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE:
  case CU_POINTER_ATTRIBUTE_ACCESS_FLAGS:
    *(unsigned *)out = 0;
    break;
  default:
    *(unsigned long long *)out = 0;
  }
}

CUresult cuPointerGetAttributes(unsigned int count, CUpointer_attribute *attributes, void **data, CUdeviceptr pointer) {
  CUresult result = cs_cpu_check_init();
  if (result != CUDA_SUCCESS)
    return result;
  if (!attributes || !data || count == 0)
    return CUDA_ERROR_INVALID_VALUE;
  for (unsigned i = 0; i < count; i++) {
    if (attributes[i] < CU_POINTER_ATTRIBUTE_CONTEXT || attributes[i] > CU_POINTER_ATTRIBUTE_IS_HW_DECOMPRESS_CAPABLE ||
        attributes[i] == CU_POINTER_ATTRIBUTE_P2P_TOKENS || !data[i])
      return CUDA_ERROR_INVALID_VALUE;
    if (cuPointerGetAttribute(data[i], attributes[i], pointer) != CUDA_SUCCESS)
      clear(data[i], attributes[i]);
  }
  return CUDA_SUCCESS;
}

CUresult cuPointerSetAttribute(const void *value, CUpointer_attribute attribute, CUdeviceptr pointer) {
  CUresult result = cs_cpu_check_init();
  if (result != CUDA_SUCCESS)
    return result;
  if (!value || attribute != CU_POINTER_ATTRIBUTE_SYNC_MEMOPS)
    return CUDA_ERROR_INVALID_VALUE;
  cs_cpu_memory_lock();
  struct cs_cpu_allocation *allocation = cs_cpu_memory_find(pointer);
  if (allocation)
    allocation->sync_memops = *(const int *)value != 0;
  cs_cpu_memory_unlock();
  return allocation ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}
