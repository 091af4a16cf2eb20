/* launch_calls.c: the calls that launch kernels: tasks, or nodes in a capture. */
#include "cpu/cuda/base/unsupported.h"
#include "cpu/cuda/code/build.h"
#include "cpu/cuda/code/function.h"
#include "cpu/cuda/code/launch.h"
#include "cpu/cuda/graph/attribute.h"
#include "cpu/cuda/graph/capture_nodes.h"
#include "cpu/cuda/graph/graph.h"
#include "cpu/cuda/work/capture.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/executor.h"
#include "cusafe/refused.h"
#include <stdlib.h>

static CUresult capture(struct cs_cpu_stream *stream, struct cs_cpu_function *function,
                        const struct cs_cpu_launch_config *config, void **params, void **extra) {
  struct cs_cpu_node *node;
  CUgraphNodeParams what = {.type = CU_GRAPH_NODE_TYPE_KERNEL,
                            .kernel = {.func = (CUfunction)function,
                                       .gridDimX = config->grid[0],
                                       .gridDimY = config->grid[1],
                                       .gridDimZ = config->grid[2],
                                       .blockDimX = config->block[0],
                                       .blockDimY = config->block[1],
                                       .blockDimZ = config->block[2],
                                       .sharedMemBytes = (unsigned)config->dynamic,
                                       .kernelParams = params,
                                       .extra = extra}};
  CUresult result = cs_cpu_capture_node(stream, &what, &node);
  CUlaunchAttributeValue yes = {.cooperative = 1};
  if (result == CUDA_SUCCESS && config->cooperative)
    result = cs_cpu_attribute_set(&node->attributes, CU_LAUNCH_ATTRIBUTE_COOPERATIVE, &yes);
  return result;
}

static CUresult launch(CUfunction handle, const struct cs_cpu_launch_config *config, CUstream stream_handle,
                       void **params, void **extra) {
  struct cs_cpu_stream *stream;
  struct cs_cpu_function *function;
  CUresult result = cs_cpu_enter_work(stream_handle, NULL, &stream);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_launch_check(stream->context, handle, config, &function);
  if (result != CUDA_SUCCESS)
    return result;
  if (stream->capture)
    return capture(stream, function, config, params, extra);
  char *packed;
  struct cs_cpu_task *task = cs_cpu_launch_task(function, config, &packed);
  if (!task)
    return CUDA_ERROR_OUT_OF_MEMORY;
  result = cs_cpu_launch_pack(function, packed, params, extra);
  if (result != CUDA_SUCCESS) {
    free(task);
    return result;
  }
  return cs_cpu_submit(stream, task, NULL);
}

CUresult cuLaunchKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                        unsigned int block_x, unsigned int block_y, unsigned int block_z, unsigned int shared,
                        CUstream stream, void **params, void **extra) {
  struct cs_cpu_launch_config config = {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, 0};
  return launch(function, &config, stream, params, extra);
}

CUresult cuLaunchCooperativeKernel(CUfunction function, unsigned int grid_x, unsigned int grid_y, unsigned int grid_z,
                                   unsigned int block_x, unsigned int block_y, unsigned int block_z,
                                   unsigned int shared, CUstream stream, void **params) {
  struct cs_cpu_launch_config config = {{grid_x, grid_y, grid_z}, {block_x, block_y, block_z}, shared, 1};
  return launch(function, &config, stream, params, NULL);
}

static CUresult take_attribute(const CUlaunchAttribute *attribute, struct cs_cpu_launch_config *config) {
  switch (attribute->id) {
  case CU_LAUNCH_ATTRIBUTE_COOPERATIVE:
    config->cooperative = attribute->value.cooperative;
    return CUDA_SUCCESS;
  case CU_LAUNCH_ATTRIBUTE_CLUSTER_DIMENSION:
  case CU_LAUNCH_ATTRIBUTE_PREFERRED_CLUSTER_DIMENSION: {
    unsigned x = attribute->value.clusterDim.x, y = attribute->value.clusterDim.y, z = attribute->value.clusterDim.z;
    return x * y * z <= 1 ? CUDA_SUCCESS : cs_cpu_unsupported("thread block clusters");
  }
  case CU_LAUNCH_ATTRIBUTE_DEVICE_UPDATABLE_KERNEL_NODE:
    return cs_cpu_unsupported("a device-updatable kernel node");
  default:
    return CUDA_SUCCESS; /* preferences that change no result */
  }
}

static void count_refused(CUfunction handle) {
  struct cs_cpu_function *function;
  if (cs_cpu_function_of(handle, &function) == CUDA_SUCCESS)
    cusafe_launch_refused(function->name);
}

/* An event that may be recorded once all blocks have begun is recorded when they have ended. */
static CUresult record_event(const CUlaunchAttribute *attribute, CUstream stream) {
  if (attribute->id == CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_EVENT)
    return cuEventRecord(attribute->value.programmaticEvent.event, stream);
  if (attribute->id == CU_LAUNCH_ATTRIBUTE_LAUNCH_COMPLETION_EVENT)
    return cuEventRecord(attribute->value.launchCompletionEvent.event, stream);
  return CUDA_SUCCESS;
}

CUresult cuLaunchKernelEx(const CUlaunchConfig *c, CUfunction function, void **params, void **extra) {
  if (!c || (c->numAttrs && !c->attrs))
    return CUDA_ERROR_INVALID_VALUE;
  struct cs_cpu_launch_config config = {
      {c->gridDimX, c->gridDimY, c->gridDimZ}, {c->blockDimX, c->blockDimY, c->blockDimZ}, c->sharedMemBytes, 0};
  for (unsigned i = 0; i < c->numAttrs; i++) {
    CUresult result = take_attribute(&c->attrs[i], &config);
    if (result == CUDA_ERROR_NOT_SUPPORTED)
      count_refused(function);
    if (result != CUDA_SUCCESS)
      return result;
  }
  CUresult result = launch(function, &config, c->hStream, params, extra);
  for (unsigned i = 0; i < c->numAttrs && result == CUDA_SUCCESS; i++)
    result = record_event(&c->attrs[i], c->hStream);
  return result;
}
