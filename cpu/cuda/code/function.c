/* function.c: the calls on functions, and on occupancy. */
#include "cpu/cuda/code/function.h"
#include "cpu/cuda/base/limits.h"
#include "cpu/cuda/base/objects.h"
#include "cpu/cuda/code/build.h"
#include "cpu/cuda/code/function_attributes.h"
#include "cpu/cuda/code/image.h"
#include "cpu/cuda/code/library.h"
#include "cpu/cuda/engine/engine.h"
#include "cpu/cuda/work/current.h"
#include "cusafe/image.h"
#include <pthread.h>
#include <stdatomic.h>

CUresult cs_cpu_function_of(CUfunction handle, struct cs_cpu_function **function) {
  if (cs_cpu_object_is(handle, CS_CPU_KERNEL))
    return cs_cpu_kernel_function((const struct cs_cpu_kernel *)handle, function);
  if (!cs_cpu_object_is(handle, CS_CPU_FUNCTION))
    return CUDA_ERROR_INVALID_HANDLE;
  *function = (struct cs_cpu_function *)handle;
  return CUDA_SUCCESS;
}

static CUresult enter(CUfunction handle, struct cs_cpu_function **function) {
  struct cs_cpu_context *context;
  CUresult result = cs_cpu_enter(&context);
  return result == CUDA_SUCCESS ? cs_cpu_function_of(handle, function) : result;
}

CUresult cuFuncGetAttribute(int *value, CUfunction_attribute attribute, CUfunction handle) {
  struct cs_cpu_function *function;
  CUresult result = value ? enter(handle, &function) : CUDA_ERROR_INVALID_VALUE;
  return result == CUDA_SUCCESS ? cs_cpu_function_attribute(function, attribute, value) : result;
}

CUresult cuFuncSetAttribute(CUfunction handle, CUfunction_attribute attribute, int value) {
  struct cs_cpu_function *function;
  CUresult result = enter(handle, &function);
  return result == CUDA_SUCCESS ? cs_cpu_function_set(function, attribute, value) : result;
}

CUresult cuFuncSetCacheConfig(CUfunction handle, CUfunc_cache config) {
  struct cs_cpu_function *function;
  return config > CU_FUNC_CACHE_PREFER_EQUAL ? CUDA_ERROR_INVALID_VALUE : enter(handle, &function);
}

CUresult cuFuncSetSharedMemConfig(CUfunction handle, CUsharedconfig config) {
  struct cs_cpu_function *function;
  return config > CU_SHARED_MEM_CONFIG_EIGHT_BYTE_BANK_SIZE ? CUDA_ERROR_INVALID_VALUE : enter(handle, &function);
}

CUresult cuFuncGetModule(CUmodule *module, CUfunction handle) {
  struct cs_cpu_function *function;
  CUresult result = module ? enter(handle, &function) : CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *module = (CUmodule)cs_cpu_module_whole(function->module);
  return result;
}

CUresult cuFuncGetName(const char **name, CUfunction handle) {
  struct cs_cpu_function *function;
  CUresult result = name ? enter(handle, &function) : CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *name = function->name;
  return result;
}

CUresult cuFuncGetParamInfo(CUfunction handle, size_t index, size_t *offset, size_t *size) {
  struct cs_cpu_function *function;
  CUresult result = offset ? enter(handle, &function) : CUDA_ERROR_INVALID_VALUE;
  return result == CUDA_SUCCESS ? cs_cpu_image_param(function->module->image, function->kernel, index, offset, size)
                                : result;
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction handle) {
  struct cs_cpu_function *function;
  CUresult result = state ? enter(handle, &function) : CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS)
    return result;
  pthread_mutex_lock(&function->module->lock);
  *state = function->entry ? CU_FUNCTION_LOADING_STATE_LOADED : CU_FUNCTION_LOADING_STATE_UNLOADED;
  pthread_mutex_unlock(&function->module->lock);
  return CUDA_SUCCESS;
}

CUresult cuFuncLoad(CUfunction handle) {
  struct cs_cpu_function *function;
  CUresult result = enter(handle, &function);
  return result == CUDA_SUCCESS ? cs_cpu_function_load(function) : result;
}

/* --- occupancy --- */

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, CUfunction handle, int threads,
                                                              size_t dynamic, unsigned int flags) {
  struct cs_cpu_function *function;
  if (!blocks || threads <= 0 || (flags & ~(unsigned)CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE))
    return CUDA_ERROR_INVALID_VALUE;
  CUresult result = enter(handle, &function);
  if (result == CUDA_SUCCESS)
    *blocks = cs_cpu_resident_blocks(function, threads, dynamic);
  return result;
}

CUresult cuOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, CUfunction function, int threads, size_t dynamic) {
  return cuOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, function, threads, dynamic, 0);
}

CUresult cuOccupancyMaxPotentialBlockSizeWithFlags(int *grid, int *block, CUfunction handle,
                                                   CUoccupancyB2DSize shared_of, size_t dynamic, int limit,
                                                   unsigned int flags) {
  struct cs_cpu_function *function;
  if (!grid || !block || limit < 0 || (flags & ~(unsigned)CU_OCCUPANCY_DISABLE_CACHING_OVERRIDE))
    return CUDA_ERROR_INVALID_VALUE;
  CUresult result = enter(handle, &function);
  if (result != CUDA_SUCCESS)
    return result;
  int max = cs_cpu_function_max_threads(function), best = 0;
  max = limit && limit < max ? limit : max;
  *grid = *block = 0;
  for (int threads = max; threads > 0; threads = (threads - 1) / CS_CPU_WARP * CS_CPU_WARP) {
    int blocks = cs_cpu_resident_blocks(function, threads, shared_of ? shared_of(threads) : dynamic);
    if (blocks * threads > best) {
      best = blocks * threads;
      *block = threads;
      *grid = blocks * (int)cs_cpu_engine_info()->compute_units;
    }
  }
  return CUDA_SUCCESS;
}

CUresult cuOccupancyMaxPotentialBlockSize(int *grid, int *block, CUfunction function, CUoccupancyB2DSize shared_of,
                                          size_t dynamic, int limit) {
  return cuOccupancyMaxPotentialBlockSizeWithFlags(grid, block, function, shared_of, dynamic, limit, 0);
}

CUresult cuOccupancyAvailableDynamicSMemPerBlock(size_t *dynamic, CUfunction handle, int blocks, int threads) {
  struct cs_cpu_function *function;
  if (!dynamic || blocks <= 0 || threads <= 0)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult result = enter(handle, &function);
  if (result != CUDA_SUCCESS)
    return result;
  size_t each = (cs_cpu_shared_optin() + 1024) / (size_t)blocks, fixed = function->kernel->static_shared + 1024;
  size_t max = atomic_load(&function->max_dynamic);
  *dynamic = each > fixed ? each - fixed : 0;
  *dynamic = *dynamic < max ? *dynamic : max;
  return CUDA_SUCCESS;
}
