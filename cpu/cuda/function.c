/* function.c: what can be asked of and set on a function, and occupancy. */
#include "cpu/cuda/internal.h"
#include <stdlib.h>
#include <string.h>

CUresult cs_cpu_function_of(CUfunction handle, struct cs_cpu_function **function) {
  if (cs_cpu_object_is(handle, CS_CPU_KERNEL))
    return cs_cpu_kernel_function((CUkernel)handle, function);
  if (!cs_cpu_object_is(handle, CS_CPU_FUNCTION))
    return CUDA_ERROR_INVALID_HANDLE;
  *function = (struct cs_cpu_function *)handle;
  return CUDA_SUCCESS;
}

/* Under the module's lock: takes over what was built for another kernel of the same code. */
static int is_built(const struct cs_cpu_loaded_module *module, struct cs_cpu_code *code) {
  for (uint32_t i = 0; i < module->image->kernel_count && !code->program; i++) {
    const struct cs_cpu_code *others[] = {&module->functions[i]->whole, &module->functions[i]->beside};
    for (int k = 0; k < 2; k++)
      if (others[k]->program && others[k]->offset == code->offset) {
        code->program = others[k]->program;
        code->is_shared = 1;
      }
  }
  return code->program != NULL;
}

/* Under the module's lock. */
static CUresult build(const struct cs_cpu_function *function, struct cs_cpu_code *code) {
  const struct cs_cpu_loaded_module *module = function->module;
  if (code->bytes && code->error == CUDA_SUCCESS && !is_built(module, code))
    code->error = cs_cpu_engine_build((const char *)module->image + code->offset, code->bytes,
                                      (function->kernel->flags & CS_KERNEL_DEBUG) != 0, &code->program);
  return code->error;
}

static CUresult entry_beside(const struct cs_cpu_function *function, const char *suffix, struct cs_cpu_entry **entry) {
  char *name = malloc(strlen(function->name) + strlen(suffix) + 1);
  if (!name)
    return CUDA_ERROR_OUT_OF_MEMORY;
  strcat(strcpy(name, function->name), suffix);
  CUresult result = cs_cpu_engine_entry(function->beside.program, name, entry);
  free(name);
  return result;
}

static void entry_loaded(struct cs_cpu_function *function, struct cs_cpu_entry *entry) {
  if (!function->most_threads)
    function->most_threads = cs_cpu_engine_entry_threads(entry);
}

/* Under the module's lock. */
static CUresult load_beside(struct cs_cpu_function *function) {
  CUresult result = build(function, &function->beside);
  if (result == CUDA_SUCCESS && !function->test)
    result = entry_beside(function, CS_KERNEL_TEST_SUFFIX, &function->test);
  if (result == CUDA_SUCCESS && !function->good)
    result = entry_beside(function, CS_KERNEL_GOOD_SUFFIX, &function->good);
  if (result == CUDA_SUCCESS)
    entry_loaded(function, function->good);
  return result;
}

/* Under the module's lock. */
static CUresult load_whole(struct cs_cpu_function *function) {
  CUresult result = build(function, &function->whole);
  if (result == CUDA_SUCCESS && !function->entry) {
    struct cs_cpu_program *program = function->whole.program ? function->whole.program : function->module->program;
    result = cs_cpu_engine_entry(program, function->name, &function->entry);
    if (result == CUDA_SUCCESS)
      entry_loaded(function, function->entry);
  }
  return result;
}

CUresult cs_cpu_function_load(struct cs_cpu_function *function, int whole) {
  struct cs_cpu_loaded_module *module = function->module;
  CUresult result = cs_cpu_module_build(module);
  if (result != CUDA_SUCCESS)
    return result;
  pthread_mutex_lock(&module->lock);
  if (function->beside.bytes)
    result = load_beside(function);
  if (result == CUDA_SUCCESS && (whole || !function->beside.bytes))
    result = load_whole(function);
  pthread_mutex_unlock(&module->lock);
  return result;
}

static int max_threads(const struct cs_cpu_function *function) {
  uint32_t bound = function->kernel->max_threads;
  return bound && bound < CS_CPU_MAX_THREADS ? (int)bound : CS_CPU_MAX_THREADS;
}

CUresult cs_cpu_function_attribute(struct cs_cpu_function *function, CUfunction_attribute attribute, int *value) {
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = max_threads(function);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value = (int)function->kernel->static_shared;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    *value = (int)function->kernel->local_bytes;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    *value = 32; /* there are none; a common number, so that occupancy code has something to divide by */
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION:
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    *value = 80;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    *value = (int)atomic_load(&function->max_dynamic);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    *value = atomic_load(&function->carveout);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES:
  case CU_FUNC_ATTRIBUTE_CACHE_MODE_CA:
  case CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    *value = 0;
    return CUDA_SUCCESS;
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

CUresult cs_cpu_function_set(struct cs_cpu_function *function, CUfunction_attribute attribute, int value) {
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES:
    if (value < 0 || (size_t)value + function->kernel->static_shared > cs_cpu_shared_optin())
      return CUDA_ERROR_INVALID_VALUE;
    atomic_store(&function->max_dynamic, (size_t)value);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT:
    if (value < -1 || value > 100)
      return CUDA_ERROR_INVALID_VALUE;
    atomic_store(&function->carveout, value);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT:
  case CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH:
  case CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED:
  case CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE:
    return cs_cpu_unsupported("thread block clusters");
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
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
    *module = (CUmodule)function->module;
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
  if (result != CUDA_SUCCESS)
    return result;
  if (index >= function->kernel->param_count)
    return CUDA_ERROR_INVALID_VALUE;
  const struct cs_image_param *param =
      &cs_cpu_image_params(function->module->image)[function->kernel->first_param + index];
  *offset = param->offset;
  if (size)
    *size = param->size;
  return CUDA_SUCCESS;
}

CUresult cuFuncIsLoaded(CUfunctionLoadingState *state, CUfunction handle) {
  struct cs_cpu_function *function;
  CUresult result = state ? enter(handle, &function) : CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS)
    return result;
  pthread_mutex_lock(&function->module->lock);
  *state = function->entry || function->good ? CU_FUNCTION_LOADING_STATE_LOADED : CU_FUNCTION_LOADING_STATE_UNLOADED;
  pthread_mutex_unlock(&function->module->lock);
  return CUDA_SUCCESS;
}

CUresult cuFuncLoad(CUfunction handle) {
  struct cs_cpu_function *function;
  CUresult result = enter(handle, &function);
  return result == CUDA_SUCCESS ? cs_cpu_function_load(function, 1) : result;
}

/* --- occupancy: what an sm_80 multiprocessor would say --- */

int cs_cpu_resident_blocks(const struct cs_cpu_function *function, int threads, size_t dynamic) {
  if (threads > max_threads(function) || dynamic > atomic_load(&function->max_dynamic))
    return 0;
  int warps = (threads + CS_CPU_WARP - 1) / CS_CPU_WARP;
  int by_threads = 64 / warps;
  size_t shared = function->kernel->static_shared + dynamic + 1024;
  size_t by_shared = (cs_cpu_shared_optin() + 1024) / shared;
  int blocks = by_threads < 32 ? by_threads : 32;
  return by_shared < (size_t)blocks ? (int)by_shared : blocks;
}

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
  int most = max_threads(function), best = 0;
  most = limit && limit < most ? limit : most;
  *grid = *block = 0;
  for (int threads = most; threads > 0; threads = (threads - 1) / CS_CPU_WARP * CS_CPU_WARP) {
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
  size_t most = atomic_load(&function->max_dynamic);
  *dynamic = each > fixed ? each - fixed : 0;
  *dynamic = *dynamic < most ? *dynamic : most;
  return CUDA_SUCCESS;
}
