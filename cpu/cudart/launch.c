/* launch.c: kernel launches, attributes of kernels, and occupancy. */
#include "cpu/cudart/library.h"
#include "cpu/cudart/registration.h"

#include <stdlib.h>
#include <string.h>

_Static_assert(sizeof(cudaLaunchAttribute) == sizeof(CUlaunchAttribute), "launch attributes are passed through");
_Static_assert((int)cudaLaunchAttributeCooperative == (int)CU_LAUNCH_ATTRIBUTE_COOPERATIVE, "with the same numbers");
_Static_assert((int)cudaFuncAttributePreferredSharedMemoryCarveout ==
                   (int)CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT,
               "function attributes are passed through");

/* The launch configuration of kernel<<<...>>>(...), kept while the arguments, which may launch too, are evaluated. */
struct configuration {
  dim3 grid, block;
  size_t shared;
  cudaStream_t stream;
  struct configuration *below;
};
static _Thread_local struct configuration *pushed;

unsigned __cudaPushCallConfiguration(dim3 grid, dim3 block, size_t shared, cudaStream_t stream) {
  struct configuration *top = malloc(sizeof *top);
  if (!top)
    return (unsigned)cs_cudart_fail(cudaErrorMemoryAllocation);
  *top = (struct configuration){grid, block, shared, stream, pushed};
  pushed = top;
  return 0;
}

cudaError_t __cudaPopCallConfiguration(dim3 *grid, dim3 *block, size_t *shared, void *stream) {
  struct configuration *top = pushed;
  if (!top)
    return cs_cudart_fail(cudaErrorMissingConfiguration);
  *grid = top->grid;
  *block = top->block;
  *shared = top->shared;
  *(cudaStream_t *)stream = top->stream;
  pushed = top->below;
  free(top);
  return cudaSuccess;
}

static int within(dim3 size, const unsigned limit[3]) {
  return size.x && size.y && size.z && size.x <= limit[0] && size.y <= limit[1] && size.z <= limit[2];
}

/* The driver returns CUDA_ERROR_INVALID_VALUE for all of these; the runtime has a more specific error. */
static int shape_invalid(const struct cs_cudart_context *context, dim3 grid, dim3 block) {
  return !within(grid, context->max_grid) || !within(block, context->max_block) ||
         (unsigned long long)block.x * block.y * block.z > context->max_threads;
}

static cudaError_t prepare(const void *host, dim3 grid, dim3 block, CUfunction *function) {
  struct cs_cudart_context *context;
  cudaError_t error = cs_cudart_enter(&context);
  if (error == cudaSuccess)
    error = cs_cudart_launched_function(host, context, function);
  if (error == cudaSuccess && shape_invalid(context, grid, block))
    error = cudaErrorInvalidConfiguration;
  return cs_cudart_fail(error);
}

cudaError_t cudaLaunchKernel(const void *host, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream) {
  CUfunction function;
  cudaError_t error = prepare(host, grid, block, &function);
  if (error != cudaSuccess)
    return error;
  CS_CUDART_CHECK(shared <= 0xffffffffu);
  return cs_cudart_done(CU(LaunchKernel, function, grid.x, grid.y, grid.z, block.x, block.y, block.z, (unsigned)shared,
                           stream, args, NULL));
}

cudaError_t cudaLaunchCooperativeKernel(const void *host, dim3 grid, dim3 block, void **args, size_t shared,
                                        cudaStream_t stream) {
  CUfunction function;
  cudaError_t error = prepare(host, grid, block, &function);
  if (error != cudaSuccess)
    return error;
  CS_CUDART_CHECK(shared <= 0xffffffffu);
  return cs_cudart_done(CU(LaunchCooperativeKernel, function, grid.x, grid.y, grid.z, block.x, block.y, block.z,
                           (unsigned)shared, stream, args));
}

static CUlaunchConfig driver_config(const cudaLaunchConfig_t *config) {
  return (CUlaunchConfig){.gridDimX = config->gridDim.x,
                          .gridDimY = config->gridDim.y,
                          .gridDimZ = config->gridDim.z,
                          .blockDimX = config->blockDim.x,
                          .blockDimY = config->blockDim.y,
                          .blockDimZ = config->blockDim.z,
                          .sharedMemBytes = (unsigned)config->dynamicSmemBytes,
                          .hStream = config->stream,
                          .attrs = (CUlaunchAttribute *)config->attrs,
                          .numAttrs = config->numAttrs};
}

cudaError_t cudaLaunchKernelExC(const cudaLaunchConfig_t *config, const void *host, void **args) {
  CS_CUDART_CHECK(config && config->dynamicSmemBytes <= 0xffffffffu);
  if (!config->numAttrs)
    return cudaLaunchKernel(host, config->gridDim, config->blockDim, args, config->dynamicSmemBytes, config->stream);
  CUfunction function;
  cudaError_t error = prepare(host, config->gridDim, config->blockDim, &function);
  if (error != cudaSuccess)
    return error;
  CUlaunchConfig driver = driver_config(config);
  return cs_cudart_done(CU(LaunchKernelEx, &driver, function, args, NULL));
}

cudaError_t __cudaLaunchKernel(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                               cudaStream_t stream) {
  return cudaLaunchKernel((const void *)kernel, grid, block, args, shared, stream);
}

/* Finds the function in the current context, or returns from the caller with the error. */
#define CS_CUDART_FUNCTION(host, function)                                                                             \
  do {                                                                                                                 \
    struct cs_cudart_context *context_;                                                                                \
    CS_CUDART_ENTER_IN(context_);                                                                                      \
    cudaError_t found_ = cs_cudart_function(host, context_, &(function));                                              \
    if (found_ != cudaSuccess)                                                                                         \
      return cs_cudart_fail(found_);                                                                                   \
  } while (0)

/* An attribute that an older driver does not know is 0. */
static int attribute(CUfunction function, CUfunction_attribute which) {
  int value = 0;
  return CU(FuncGetAttribute, &value, which, function) == CUDA_SUCCESS ? value : 0;
}

cudaError_t cudaFuncGetAttributes(struct cudaFuncAttributes *out, const void *host) {
  CUfunction f;
  CS_CUDART_CHECK(out);
  CS_CUDART_FUNCTION(host, f);
  int threads;
  CUresult result = CU(FuncGetAttribute, &threads, CU_FUNC_ATTRIBUTE_MAX_THREADS_PER_BLOCK, f);
  if (result != CUDA_SUCCESS)
    return cs_cudart_done(result);
  memset(out, 0, sizeof *out);
  out->maxThreadsPerBlock = threads;
  out->sharedSizeBytes = (size_t)attribute(f, CU_FUNC_ATTRIBUTE_SHARED_SIZE_BYTES);
  out->constSizeBytes = (size_t)attribute(f, CU_FUNC_ATTRIBUTE_CONST_SIZE_BYTES);
  out->localSizeBytes = (size_t)attribute(f, CU_FUNC_ATTRIBUTE_LOCAL_SIZE_BYTES);
  out->numRegs = attribute(f, CU_FUNC_ATTRIBUTE_NUM_REGS);
  out->ptxVersion = attribute(f, CU_FUNC_ATTRIBUTE_PTX_VERSION);
  out->binaryVersion = attribute(f, CU_FUNC_ATTRIBUTE_BINARY_VERSION);
  out->cacheModeCA = attribute(f, CU_FUNC_ATTRIBUTE_CACHE_MODE_CA);
  out->maxDynamicSharedSizeBytes = attribute(f, CU_FUNC_ATTRIBUTE_MAX_DYNAMIC_SHARED_SIZE_BYTES);
  out->preferredShmemCarveout = attribute(f, CU_FUNC_ATTRIBUTE_PREFERRED_SHARED_MEMORY_CARVEOUT);
  out->clusterDimMustBeSet = attribute(f, CU_FUNC_ATTRIBUTE_CLUSTER_SIZE_MUST_BE_SET);
  out->requiredClusterWidth = attribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_WIDTH);
  out->requiredClusterHeight = attribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_HEIGHT);
  out->requiredClusterDepth = attribute(f, CU_FUNC_ATTRIBUTE_REQUIRED_CLUSTER_DEPTH);
  out->nonPortableClusterSizeAllowed = attribute(f, CU_FUNC_ATTRIBUTE_NON_PORTABLE_CLUSTER_SIZE_ALLOWED);
  out->clusterSchedulingPolicyPreference = attribute(f, CU_FUNC_ATTRIBUTE_CLUSTER_SCHEDULING_POLICY_PREFERENCE);
  return cudaSuccess;
}

cudaError_t cudaFuncSetAttribute(const void *host, enum cudaFuncAttribute which, int value) {
  CUfunction function;
  CS_CUDART_FUNCTION(host, function);
  return cs_cudart_done(CU(FuncSetAttribute, function, (CUfunction_attribute)which, value));
}

cudaError_t cudaFuncSetCacheConfig(const void *host, enum cudaFuncCache config) {
  CUfunction function;
  CS_CUDART_FUNCTION(host, function);
  return cs_cudart_done(CU(FuncSetCacheConfig, function, (CUfunc_cache)config));
}

/* Documented to do nothing on devices whose shared memory banks have a fixed size: every device that CUDA 13 knows. */
cudaError_t cudaFuncSetSharedMemConfig(const void *host, enum cudaSharedMemConfig config) {
  CUfunction function;
  CS_CUDART_CHECK((unsigned)config <= cudaSharedMemBankSizeEightByte);
  CS_CUDART_FUNCTION(host, function);
  return cudaSuccess;
}

cudaError_t cudaFuncGetName(const char **name, const void *host) {
  CS_CUDART_CHECK(name);
  CS_CUDART_READY();
  if (cs_cudart_is_library_kernel(host))
    return cs_cudart_done(CU(KernelGetName, name, (CUkernel)host));
  const char *found = cs_cudart_function_name(host);
  if (!found)
    return cs_cudart_fail(cudaErrorInvalidDeviceFunction);
  *name = found;
  return cudaSuccess;
}

cudaError_t cudaFuncGetParamInfo(const void *host, size_t index, size_t *offset, size_t *size) {
  CUfunction function;
  CS_CUDART_FUNCTION(host, function);
  return cs_cudart_done(CU(FuncGetParamInfo, function, index, offset, size));
}

cudaError_t cudaGetFuncBySymbol(cudaFunction_t *out, const void *host) {
  CUfunction function;
  CS_CUDART_CHECK(out);
  CS_CUDART_FUNCTION(host, function);
  *out = function;
  return cudaSuccess;
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(int *blocks, const void *host, int block_size,
                                                                   size_t shared, unsigned flags) {
  CUfunction function;
  CS_CUDART_CHECK(blocks);
  CS_CUDART_FUNCTION(host, function);
  return cs_cudart_done(
      CU(OccupancyMaxActiveBlocksPerMultiprocessorWithFlags, blocks, function, block_size, shared, flags));
}

cudaError_t cudaOccupancyMaxActiveBlocksPerMultiprocessor(int *blocks, const void *host, int block_size,
                                                          size_t shared) {
  return cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(blocks, host, block_size, shared, 0);
}

cudaError_t cudaOccupancyAvailableDynamicSMemPerBlock(size_t *bytes, const void *host, int blocks, int block_size) {
  CUfunction function;
  CS_CUDART_CHECK(bytes);
  CS_CUDART_FUNCTION(host, function);
  return cs_cudart_done(CU(OccupancyAvailableDynamicSMemPerBlock, bytes, function, blocks, block_size));
}

cudaError_t cudaOccupancyMaxPotentialClusterSize(int *size, const void *host, const cudaLaunchConfig_t *config) {
  CUfunction function;
  CS_CUDART_CHECK(size && config);
  CS_CUDART_FUNCTION(host, function);
  CUlaunchConfig driver = driver_config(config);
  return cs_cudart_done(CU(OccupancyMaxPotentialClusterSize, size, function, &driver));
}

cudaError_t cudaOccupancyMaxActiveClusters(int *clusters, const void *host, const cudaLaunchConfig_t *config) {
  CUfunction function;
  CS_CUDART_CHECK(clusters && config);
  CS_CUDART_FUNCTION(host, function);
  CUlaunchConfig driver = driver_config(config);
  return cs_cudart_done(CU(OccupancyMaxActiveClusters, clusters, function, &driver));
}
