/* context.c: the life of contexts, and what can be queried of or set on one. */
#include "cpu/cuda/context.h"
#include "cpu/cuda/base/limits.h"
#include "cpu/cuda/base/objects.h"
#include "cpu/cuda/base/unsupported.h"
#include "cpu/cuda/code/library.h"
#include "cpu/cuda/memory/allocation.h"
#include "cpu/cuda/memory/array.h"
#include "cpu/cuda/submit/stream_calls.h"
#include "cpu/cuda/work/capture.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/devices.h"
#include "cpu/cuda/work/executor.h"
#include <stdatomic.h>

static const struct {
  CUlimit limit;
  size_t value;
} default_limits[] = {
    {CU_LIMIT_STACK_SIZE, 1024},
    {CU_LIMIT_PRINTF_FIFO_SIZE, (size_t)1 << 20},
    {CU_LIMIT_MALLOC_HEAP_SIZE, (size_t)8 << 20},
    {CU_LIMIT_DEV_RUNTIME_PENDING_LAUNCH_COUNT, 2048},
    {CU_LIMIT_MAX_L2_FETCH_GRANULARITY, 64},
    {CU_LIMIT_PERSISTING_L2_CACHE_SIZE, 0},
};
#define LIMIT_COUNT (sizeof default_limits / sizeof *default_limits)

int cs_cpu_context_flags_valid(unsigned flags) {
  unsigned schedule = flags & CU_CTX_SCHED_MASK;
  return (flags & ~(unsigned)CU_CTX_FLAGS_MASK) == 0 && (schedule & (schedule - 1)) == 0;
}

struct cs_cpu_context *cs_cpu_context_new(struct cs_cpu_device *device, unsigned flags) {
  struct cs_cpu_context *context = cs_cpu_object_new(CS_CPU_CONTEXT, sizeof *context);
  if (!context)
    return NULL;
  context->device = device;
  context->flags = flags;
  context->legacy.magic = CS_CPU_STREAM;
  context->legacy.context = context;
  context->inner.magic = CS_CPU_STREAM;
  context->inner.context = context;
  context->inner.flags = CU_STREAM_NON_BLOCKING;
  return context;
}

void cs_cpu_context_open(struct cs_cpu_context *context, unsigned flags) {
  context->flags = flags | CU_CTX_MAP_HOST;
  context->id = cs_cpu_next_id();
  context->legacy.id = cs_cpu_next_id();
  atomic_store(&context->error, CUDA_SUCCESS);
  for (size_t i = 0; i < LIMIT_COUNT; i++)
    atomic_store(&context->limits[default_limits[i].limit], default_limits[i].value);
  atomic_store(&context->alive, 1);
}

void cs_cpu_context_close(struct cs_cpu_context *context) {
  if (!atomic_exchange(&context->alive, 0))
    return;
  cs_cpu_wait(context->device, atomic_load(&context->last));
  cs_cpu_libraries_close(context);
  cs_cpu_streams_close(context);
  cs_cpu_arrays_close(context);
  cs_cpu_memory_release_context(context);
}

static CUresult create(CUcontext *out, unsigned flags, CUdevice ordinal) {
  struct cs_cpu_device *device;
  CUresult result = cs_cpu_device_of(ordinal, &device);
  if (result != CUDA_SUCCESS)
    return result;
  if (!out || !cs_cpu_context_flags_valid(flags))
    return CUDA_ERROR_INVALID_VALUE;
  struct cs_cpu_context *context = cs_cpu_context_new(device, flags);
  if (!context)
    return CUDA_ERROR_OUT_OF_MEMORY;
  cs_cpu_context_open(context, flags);
  *out = (CUcontext)context;
  return cs_cpu_context_push(context);
}

CUresult cuCtxCreate_v2(CUcontext *context, unsigned int flags, CUdevice device) {
  return create(context, flags, device);
}

CUresult cuCtxCreate_v3(CUcontext *context, CUexecAffinityParam *affinity, int count, unsigned int flags,
                        CUdevice device) {
  if (affinity || count) {
    cs_cpu_unsupported("cuCtxCreate with execution affinity");
    return CUDA_ERROR_UNSUPPORTED_EXEC_AFFINITY;
  }
  return create(context, flags, device);
}

CUresult cuCtxCreate_v4(CUcontext *context, CUctxCreateParams *params, unsigned int flags, CUdevice device) {
  if (params && params->cigParams)
    return cs_cpu_unsupported("cuCtxCreate with graphics interoperation");
  return cuCtxCreate_v3(context, params ? params->execAffinityParams : NULL, params ? params->numExecAffinityParams : 0,
                        flags, device);
}

CUresult cuCtxDestroy_v2(CUcontext handle) {
  struct cs_cpu_context *context;
  CUresult result = handle ? cs_cpu_context_check(handle, &context) : CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS)
    return result;
  if (context->is_primary)
    return CUDA_ERROR_INVALID_CONTEXT;
  cs_cpu_context_pop_if(context);
  /* The object itself stays: other threads may still have it on their stacks. */
  cs_cpu_context_close(context);
  return CUDA_SUCCESS;
}

CUresult cuCtxDestroy(CUcontext context) {
  return cuCtxDestroy_v2(context);
}

CUresult cuCtxGetDevice_v2(CUdevice *device, CUcontext handle) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_context_check(handle, &context);
  if (result != CUDA_SUCCESS)
    return result;
  if (!device)
    return CUDA_ERROR_INVALID_VALUE;
  *device = context->device->ordinal;
  return CUDA_SUCCESS;
}

CUresult cuCtxGetDevice(CUdevice *device) {
  return cuCtxGetDevice_v2(device, NULL);
}

CUresult cuCtxSynchronize_v2(CUcontext handle) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_context_check(handle, &context);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_capture_unsafe();
  if (result != CUDA_SUCCESS)
    return result;
  cs_cpu_wait(context->device, atomic_load(&context->last));
  return cs_cpu_context_error(context);
}

CUresult cuCtxSynchronize(void) {
  return cuCtxSynchronize_v2(NULL);
}

CUresult cuCtxGetFlags(unsigned int *flags) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_current(&context);
  if (result == CUDA_SUCCESS && !flags)
    return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *flags = context->flags;
  return result;
}

CUresult cuCtxSetFlags(unsigned int flags) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_current(&context);
  if (result == CUDA_SUCCESS && !cs_cpu_context_flags_valid(flags))
    return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    context->flags = flags;
  return result;
}

CUresult cuCtxGetId(CUcontext handle, unsigned long long *id) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_context_check(handle, &context);
  if (result == CUDA_SUCCESS && !id)
    return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *id = context->id;
  return result;
}

static int limit_known(CUlimit limit) {
  for (size_t i = 0; i < LIMIT_COUNT; i++)
    if (default_limits[i].limit == limit)
      return 1;
  return 0;
}

CUresult cuCtxSetLimit(CUlimit limit, size_t value) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_enter(&context);
  if (result != CUDA_SUCCESS)
    return result;
  if (!limit_known(limit))
    return limit < CU_LIMIT_MAX ? CUDA_ERROR_UNSUPPORTED_LIMIT : CUDA_ERROR_INVALID_VALUE;
  atomic_store(&context->limits[limit], value);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetLimit(size_t *value, CUlimit limit) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_enter(&context);
  if (result != CUDA_SUCCESS)
    return result;
  if (!value)
    return CUDA_ERROR_INVALID_VALUE;
  if (!limit_known(limit))
    return limit < CU_LIMIT_MAX ? CUDA_ERROR_UNSUPPORTED_LIMIT : CUDA_ERROR_INVALID_VALUE;
  *value = atomic_load(&context->limits[limit]);
  return CUDA_SUCCESS;
}

CUresult cuCtxGetCacheConfig(CUfunc_cache *config) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_enter(&context);
  if (result == CUDA_SUCCESS && !config)
    return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *config = context->cache;
  return result;
}

CUresult cuCtxSetCacheConfig(CUfunc_cache config) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_enter(&context);
  if (result == CUDA_SUCCESS && config > CU_FUNC_CACHE_PREFER_EQUAL)
    return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    context->cache = config; /* a preference, which has no effect */
  return result;
}

CUresult cuCtxGetApiVersion(CUcontext handle, unsigned int *version) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_context_check(handle, &context);
  if (result == CUDA_SUCCESS && !version)
    return CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *version = 3020;
  return result;
}

CUresult cuCtxGetStreamPriorityRange(int *least, int *greatest) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_enter(&context);
  if (result != CUDA_SUCCESS)
    return result;
  if (least)
    *least = 0;
  if (greatest)
    *greatest = CS_CPU_PRIORITY_GREATEST;
  return CUDA_SUCCESS;
}

CUresult cuCtxResetPersistingL2Cache(void) {
  struct cs_cpu_context *context;
  return cs_cpu_enter(&context); /* there are no persisting lines to reset */
}

/* Documented to do nothing on devices whose shared memory banks have a fixed size: every device that CUDA 13 knows. */
CUresult cuCtxSetSharedMemConfig(CUsharedconfig config) {
  struct cs_cpu_context *context;
  return config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE ? CUDA_ERROR_INVALID_VALUE : cs_cpu_enter(&context);
}

CUresult cuCtxGetSharedMemConfig(CUsharedconfig *config) {
  struct cs_cpu_context *context;
  CUresult result = config ? cs_cpu_enter(&context) : CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *config = CU_SHARED_MEM_CONFIG_FOUR_BYTE_BANK_SIZE;
  return result;
}
