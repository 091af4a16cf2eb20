/* nodes.c: what differs between the kinds of nodes: assigning parameters, copying them, releasing them. */
#include "cpu/cuda/graph/nodes.h"
#include "cpu/cuda/code/build.h"
#include "cpu/cuda/code/image.h"
#include "cpu/cuda/code/launch.h"
#include "cpu/cuda/graph/attribute.h"
#include "cpu/cuda/graph/graph.h"
#include "cpu/cuda/memory/copy.h"
#include "cpu/cuda/memory/fill.h"
#include "cpu/cuda/memory/graph_memory.h"
#include "cpu/cuda/work/event.h"
#include "cusafe/image.h"
#include <stdlib.h>
#include <string.h>

/* --- kernels --- */

static struct cs_cpu_launch_config config_of(const CUDA_KERNEL_NODE_PARAMS_v3 *k) {
  return (struct cs_cpu_launch_config){
      {k->gridDimX, k->gridDimY, k->gridDimZ}, {k->blockDimX, k->blockDimY, k->blockDimZ}, k->sharedMemBytes, 0};
}

/* A kernel handle represents a function in the given context, or in the current one. */
static CUresult function_of(const CUDA_KERNEL_NODE_PARAMS_v3 *kernel, CUfunction *function) {
  CUcontext before = NULL;
  *function = kernel->func;
  if (kernel->func || !kernel->kern)
    return kernel->func ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
  CUresult result = cuCtxGetCurrent(&before);
  if (result == CUDA_SUCCESS && kernel->ctx)
    result = cuCtxSetCurrent(kernel->ctx);
  if (result == CUDA_SUCCESS)
    result = cuKernelGetFunction(function, kernel->kern);
  if (kernel->ctx)
    cuCtxSetCurrent(before);
  return result;
}

/* Copies the parameters, as one block and as the list of pointers that queries return. */
static CUresult keep_parameters(struct cs_cpu_node *node, struct cs_cpu_function *function, void **params,
                                void **extra) {
  const struct cs_image_kernel *kernel = function->kernel;
  const struct cs_image_param *param = cs_cpu_image_params(function->module->image) + kernel->first_param;
  char *packed = calloc(1, kernel->param_bytes + 1u);
  void **pointers = calloc(kernel->param_count + 1u, sizeof *pointers);
  CUresult result = packed && pointers ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  if (result == CUDA_SUCCESS)
    result = cs_cpu_launch_pack(function, packed, params, extra);
  if (result != CUDA_SUCCESS) {
    free(packed);
    free(pointers);
    return result;
  }
  for (cs_u32 i = 0; i < kernel->param_count; i++)
    pointers[i] = packed + param[i].offset;
  free(node->packed);
  free(node->pointers);
  node->packed = packed;
  node->pointers = pointers;
  return CUDA_SUCCESS;
}

static CUresult assign_kernel(struct cs_cpu_node *node, CUgraphNodeParams *params) {
  struct cs_cpu_function *function;
  CUfunction handle;
  struct cs_cpu_launch_config config = config_of(&params->kernel);
  CUresult result = function_of(&params->kernel, &handle);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_launch_check(NULL, handle, &config, &function);
  if (result == CUDA_SUCCESS)
    result = keep_parameters(node, function, params->kernel.kernelParams, params->kernel.extra);
  if (result != CUDA_SUCCESS)
    return result;
  node->function = function;
  node->params = *params;
  node->params.kernel.func = (CUfunction)function;
  node->params.kernel.kern = NULL;
  node->params.kernel.ctx = (CUcontext)function->module->context;
  node->params.kernel.kernelParams = node->pointers;
  node->params.kernel.extra = NULL;
  return CUDA_SUCCESS;
}

static CUresult copy_kernel(struct cs_cpu_node *to, const struct cs_cpu_node *from) {
  CUgraphNodeParams params = from->params;
  CUresult result = assign_kernel(to, &params);
  return result == CUDA_SUCCESS ? cs_cpu_attributes_copy(&to->attributes, &from->attributes) : result;
}

static void drop_kernel(struct cs_cpu_node *node) {
  free(node->packed);
  free(node->pointers);
  free(node->attributes);
}

/* --- copies, fills, host functions, events --- */

static CUresult assign_copy(struct cs_cpu_node *node, CUgraphNodeParams *params) {
  const CUDA_MEMCPY3D *what = &params->memcpy.copyParams;
  struct cs_cpu_copy copy;
  int pageable;
  CUresult result = CUDA_SUCCESS;
  if (what->WidthInBytes && what->Height && what->Depth) {
    result = cs_cpu_copy_shape(what, &copy);
    if (result == CUDA_SUCCESS)
      result = cs_cpu_copy_check(&copy, &pageable);
  }
  if (result == CUDA_SUCCESS)
    node->params = *params;
  return result;
}

static CUresult assign_fill(struct cs_cpu_node *node, CUgraphNodeParams *params) {
  CUDA_MEMSET_NODE_PARAMS fill;
  memcpy(&fill, &params->memset, sizeof fill);
  CUresult result = fill.width && fill.height ? cs_cpu_fill_check(&fill) : CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    node->params = *params;
  return result;
}

static CUresult assign_host(struct cs_cpu_node *node, CUgraphNodeParams *params) {
  if (!params->host.fn)
    return CUDA_ERROR_INVALID_VALUE;
  node->params = *params;
  return CUDA_SUCCESS;
}

static CUresult assign_event(struct cs_cpu_node *node, CUgraphNodeParams *params) {
  _Static_assert(sizeof params->eventWait == sizeof params->eventRecord, "both are one event");
  if (!cs_cpu_event_is(params->eventRecord.event))
    return CUDA_ERROR_INVALID_VALUE;
  node->params = *params;
  return CUDA_SUCCESS;
}

static CUresult assign_empty(struct cs_cpu_node *node, CUgraphNodeParams *params) {
  node->params = *params;
  return CUDA_SUCCESS;
}

static CUresult copy_plain(struct cs_cpu_node *to, const struct cs_cpu_node *from) {
  to->params = from->params;
  return CUDA_SUCCESS;
}

/* --- memory --- */

static CUresult assign_allocation(struct cs_cpu_node *node, CUgraphNodeParams *params) {
  CUresult result = cs_cpu_graph_memory_allocate(&params->alloc);
  if (result != CUDA_SUCCESS)
    return result;
  node->params = *params;
  node->params.alloc.accessDescs = NULL;
  node->params.alloc.accessDescCount = 0;
  return CUDA_SUCCESS;
}

static CUresult copy_allocation(struct cs_cpu_node *to, const struct cs_cpu_node *from) {
  to->params = from->params;
  cs_cpu_graph_memory_hold(to->params.alloc.dptr);
  return CUDA_SUCCESS;
}

static void drop_allocation(struct cs_cpu_node *node) {
  cs_cpu_graph_memory_let_go(node->params.alloc.dptr);
}

static CUresult assign_free(struct cs_cpu_node *node, CUgraphNodeParams *params) {
  if (!cs_cpu_graph_memory_is(params->free.dptr))
    return CUDA_ERROR_INVALID_VALUE;
  node->params = *params;
  return CUDA_SUCCESS;
}

/* --- the table --- */

const struct cs_cpu_node_kind *cs_cpu_node_kind(CUgraphNodeType type) {
  static const struct cs_cpu_node_kind kinds[] = {
      [CU_GRAPH_NODE_TYPE_KERNEL] = {assign_kernel, copy_kernel, drop_kernel},
      [CU_GRAPH_NODE_TYPE_MEMCPY] = {assign_copy, copy_plain, NULL},
      [CU_GRAPH_NODE_TYPE_MEMSET] = {assign_fill, copy_plain, NULL},
      [CU_GRAPH_NODE_TYPE_HOST] = {assign_host, copy_plain, NULL},
      [CU_GRAPH_NODE_TYPE_EMPTY] = {assign_empty, copy_plain, NULL},
      [CU_GRAPH_NODE_TYPE_WAIT_EVENT] = {assign_event, copy_plain, NULL},
      [CU_GRAPH_NODE_TYPE_EVENT_RECORD] = {assign_event, copy_plain, NULL},
      [CU_GRAPH_NODE_TYPE_MEM_ALLOC] = {assign_allocation, copy_allocation, drop_allocation},
      [CU_GRAPH_NODE_TYPE_MEM_FREE] = {assign_free, copy_plain, NULL},
  };
  return (size_t)type < sizeof kinds / sizeof *kinds && kinds[type].assign ? &kinds[type] : NULL;
}
