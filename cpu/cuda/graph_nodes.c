/* graph_nodes.c: what differs between the kinds of nodes: taking parameters, copying them, letting go of them. */
#include "cpu/cuda/copy.h"
#include "cpu/cuda/graph.h"
#include <stdlib.h>
#include <string.h>

/* --- kernels --- */

static struct cs_cpu_config config_of(const CUDA_KERNEL_NODE_PARAMS_v3 *k) {
  return (struct cs_cpu_config){
      {k->gridDimX, k->gridDimY, k->gridDimZ}, {k->blockDimX, k->blockDimY, k->blockDimZ}, k->sharedMemBytes, 0};
}

/* A kernel without a function is meant for the given context, or the current one. */
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

/* Copies of the parameters, as one block and as the list of pointers that queries give. */
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
  struct cs_cpu_config config = config_of(&params->kernel);
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

/* --- copies, fills, functions of the program, events --- */

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

static void drop_nothing(struct cs_cpu_node *node) {
  (void)node;
}

/* --- child graphs --- */

static void take_child(struct cs_cpu_node *node, struct cs_cpu_graph *child) {
  cs_cpu_graph_delete(node->child);
  node->child = child;
  child->parent = node;
  node->params.graph.graph = (CUgraph)child;
}

static CUresult assign_child(struct cs_cpu_node *node, CUgraphNodeParams *params) {
  struct cs_cpu_graph *graph, *child;
  CUresult result = cs_cpu_graph_of(params->graph.graph, &graph);
  if (result != CUDA_SUCCESS)
    return result;
  if (params->graph.ownership == CU_GRAPH_CHILD_GRAPH_OWNERSHIP_MOVE) {
    if (graph->parent || graph == node->graph || node->child)
      return CUDA_ERROR_INVALID_VALUE;
    child = graph;
  } else {
    result = cs_cpu_graph_has_memory(graph) ? CUDA_ERROR_NOT_SUPPORTED : cs_cpu_graph_copy(graph, &child);
    if (result != CUDA_SUCCESS)
      return result;
  }
  node->params = *params;
  take_child(node, child);
  return CUDA_SUCCESS;
}

static CUresult copy_child(struct cs_cpu_node *to, const struct cs_cpu_node *from) {
  struct cs_cpu_graph *child;
  CUresult result = cs_cpu_graph_copy(from->child, &child);
  if (result != CUDA_SUCCESS)
    return result;
  to->params = from->params;
  take_child(to, child);
  return CUDA_SUCCESS;
}

static void drop_child(struct cs_cpu_node *node) {
  cs_cpu_graph_delete(node->child);
}

/* --- memory --- */

static CUresult assign_allocation(struct cs_cpu_node *node, CUgraphNodeParams *params) {
  CUresult result = cs_cpu_graph_allocate(&params->alloc);
  if (result != CUDA_SUCCESS)
    return result;
  node->params = *params;
  node->params.alloc.accessDescs = NULL;
  node->params.alloc.accessDescCount = 0;
  return CUDA_SUCCESS;
}

static CUresult copy_allocation(struct cs_cpu_node *to, const struct cs_cpu_node *from) {
  to->params = from->params;
  cs_cpu_graph_hold(to->params.alloc.dptr);
  return CUDA_SUCCESS;
}

static void drop_allocation(struct cs_cpu_node *node) {
  cs_cpu_graph_let_go(node->params.alloc.dptr);
}

static CUresult assign_free(struct cs_cpu_node *node, CUgraphNodeParams *params) {
  if (!cs_cpu_graph_memory_is(params->free.dptr))
    return CUDA_ERROR_INVALID_VALUE;
  node->params = *params;
  return CUDA_SUCCESS;
}

/* --- the table --- */

static const struct kind {
  CUresult (*assign)(struct cs_cpu_node *, CUgraphNodeParams *); /* leaves the node as it was when it fails */
  CUresult (*copy)(struct cs_cpu_node *, const struct cs_cpu_node *);
  void (*drop)(struct cs_cpu_node *);
} kinds[] = {
    [CU_GRAPH_NODE_TYPE_KERNEL] = {assign_kernel, copy_kernel, drop_kernel},
    [CU_GRAPH_NODE_TYPE_MEMCPY] = {assign_copy, copy_plain, drop_nothing},
    [CU_GRAPH_NODE_TYPE_MEMSET] = {assign_fill, copy_plain, drop_nothing},
    [CU_GRAPH_NODE_TYPE_HOST] = {assign_host, copy_plain, drop_nothing},
    [CU_GRAPH_NODE_TYPE_GRAPH] = {assign_child, copy_child, drop_child},
    [CU_GRAPH_NODE_TYPE_EMPTY] = {assign_empty, copy_plain, drop_nothing},
    [CU_GRAPH_NODE_TYPE_WAIT_EVENT] = {assign_event, copy_plain, drop_nothing},
    [CU_GRAPH_NODE_TYPE_EVENT_RECORD] = {assign_event, copy_plain, drop_nothing},
    [CU_GRAPH_NODE_TYPE_MEM_ALLOC] = {assign_allocation, copy_allocation, drop_allocation},
    [CU_GRAPH_NODE_TYPE_MEM_FREE] = {assign_free, copy_plain, drop_nothing},
};

static const struct kind *kind_of(CUgraphNodeType type) {
  return (size_t)type < sizeof kinds / sizeof *kinds && kinds[type].assign ? &kinds[type] : NULL;
}

CUresult cs_cpu_node_assign(struct cs_cpu_node *node, CUgraphNodeParams *params) {
  static const char *const missing[] = {[CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL] = "a graph node for external semaphores",
                                        [CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT] = "a graph node for external semaphores",
                                        [CU_GRAPH_NODE_TYPE_BATCH_MEM_OP] = "a graph node for memory operations",
                                        [CU_GRAPH_NODE_TYPE_CONDITIONAL] = "a conditional graph node"};
  const struct kind *kind = kind_of(params->type);
  if (kind)
    return kind->assign(node, params);
  int known = (size_t)params->type < sizeof missing / sizeof *missing && missing[params->type];
  return known ? cs_cpu_unsupported(missing[params->type]) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cs_cpu_node_copy(struct cs_cpu_node *to, const struct cs_cpu_node *from) {
  return kind_of(from->params.type)->copy(to, from);
}

void cs_cpu_node_drop(struct cs_cpu_node *node) {
  kind_of(node->params.type)->drop(node);
}
