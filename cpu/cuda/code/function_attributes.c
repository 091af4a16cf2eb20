/* function_attributes.c: what can be queried of and set on a function, and occupancy as an sm_80 multiprocessor has
 * it. */
#include "cpu/cuda/code/function_attributes.h"
#include "cpu/cuda/base/limits.h"
#include "cpu/cuda/base/unsupported.h"
#include "cpu/cuda/code/build.h"
#include "cpu/cuda/engine/engine.h"
#include <stdatomic.h>
#include <stdint.h>

enum { SM_80 = 80 }; /* what cusafe cc compiles for, and the device's compute capability */

/* Shared memory of a block on sm_80, or less if the engine has less. */
size_t cs_cpu_shared_optin(void) {
  size_t sm_80 = (size_t)163 << 10, engine = cs_cpu_engine_info()->local_bytes;
  return engine < sm_80 ? engine : sm_80;
}

int cs_cpu_function_max_threads(const struct cs_cpu_function *function) {
  uint32_t bound = function->kernel->max_threads;
  return bound && bound < CS_CPU_MAX_THREADS ? (int)bound : CS_CPU_MAX_THREADS;
}

CUresult cs_cpu_function_attribute(struct cs_cpu_function *function, CUfunction_attribute attribute, int *value) {
  switch (attribute) {
  case CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK:
    *value = cs_cpu_function_max_threads(function);
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES:
    *value = (int)function->kernel->static_shared;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES:
    *value = (int)function->kernel->local_bytes;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_NUM_REGS:
    *value = 32; /* there are no registers; a common number, so that occupancy code can divide by it */
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_PTX_VERSION: /* libraries choose what their kernels were compiled with by it */
    *value = function->module->image->ptx_arch ? (int)function->module->image->ptx_arch : SM_80;
    return CUDA_SUCCESS;
  case CU_FUNC_ATTRIBUTE_BINARY_VERSION:
    *value = SM_80;
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

int cs_cpu_resident_blocks(const struct cs_cpu_function *function, int threads, size_t dynamic) {
  if (threads > cs_cpu_function_max_threads(function) || dynamic > atomic_load(&function->max_dynamic))
    return 0;
  int warps = (threads + CS_CPU_WARP - 1) / CS_CPU_WARP;
  int by_threads = 64 / warps;
  size_t shared = function->kernel->static_shared + dynamic + 1024;
  size_t by_shared = (cs_cpu_shared_optin() + 1024) / shared;
  int blocks = by_threads < 32 ? by_threads : 32;
  return by_shared < (size_t)blocks ? (int)by_shared : blocks;
}
