/* params.c: the calls that add nodes of each kind, and query or set their parameters, all in terms of
 * CUgraphNodeParams. */
#include "cpu/cuda/graph/attribute.h"
#include "cpu/cuda/graph/graph.h"
#include "cpu/cuda/graph/tree.h"
#include <string.h>

static CUresult add(CUgraphNode *out, CUgraph handle, const CUgraphNode *dependencies, const CUgraphEdgeData *edges,
                    size_t count, CUgraphNodeParams *params) {
  struct cs_cpu_graph *graph;
  struct cs_cpu_node *node;
  CUresult result = out && params ? cs_cpu_graph_of(handle, &graph) : CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    result = cs_cpu_graph_add(graph, (struct cs_cpu_node *const *)dependencies, edges, count, params, &node);
  if (result == CUDA_SUCCESS)
    *out = (CUgraphNode)node;
  return result;
}

CUresult cuGraphAddNode_v2(CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies,
                           const CUgraphEdgeData *edges, size_t count, CUgraphNodeParams *params) {
  return add(out, graph, dependencies, edges, count, params);
}

CUresult cuGraphAddNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                        CUgraphNodeParams *params) {
  return add(out, graph, dependencies, NULL, count, params);
}

CUresult cuGraphNodeSetParams(CUgraphNode handle, CUgraphNodeParams *params) {
  struct cs_cpu_node *node;
  CUresult result = params ? cs_cpu_node_of_type(handle, params->type, &node) : CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS && params->type == CU_GRAPH_NODE_TYPE_MEM_ALLOC)
    return CUDA_ERROR_INVALID_VALUE; /* its address is fixed */
  return result == CUDA_SUCCESS ? cs_cpu_node_assign(node, params) : result;
}

/* --- kernels --- */

static CUgraphNodeParams kernel_params(const CUDA_KERNEL_NODE_PARAMS_v2 *kernel) {
  _Static_assert(sizeof(CUDA_KERNEL_NODE_PARAMS_v3) == sizeof *kernel, "both versions are alike");
  CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_KERNEL};
  memcpy(&params.kernel, kernel, sizeof *kernel);
  return params;
}

static CUDA_KERNEL_NODE_PARAMS_v2 newer(const CUDA_KERNEL_NODE_PARAMS_v1 *kernel) {
  CUDA_KERNEL_NODE_PARAMS_v2 out = {0};
  memcpy(&out, kernel, sizeof *kernel);
  return out;
}

CUresult cuGraphAddKernelNode_v2(CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                                 const CUDA_KERNEL_NODE_PARAMS_v2 *kernel) {
  if (!kernel)
    return CUDA_ERROR_INVALID_VALUE;
  CUgraphNodeParams params = kernel_params(kernel);
  return add(out, graph, dependencies, NULL, count, &params);
}

CUresult cuGraphAddKernelNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                              const CUDA_KERNEL_NODE_PARAMS_v1 *kernel) {
  if (!kernel)
    return CUDA_ERROR_INVALID_VALUE;
  CUDA_KERNEL_NODE_PARAMS_v2 all = newer(kernel);
  return cuGraphAddKernelNode_v2(out, graph, dependencies, count, &all);
}

CUresult cuGraphKernelNodeGetParams_v2(CUgraphNode handle, CUDA_KERNEL_NODE_PARAMS_v2 *kernel) {
  struct cs_cpu_node *node;
  CUresult result = kernel ? cs_cpu_node_of_type(handle, CU_GRAPH_NODE_TYPE_KERNEL, &node) : CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    memcpy(kernel, &node->params.kernel, sizeof *kernel);
  return result;
}

CUresult cuGraphKernelNodeGetParams(CUgraphNode node, CUDA_KERNEL_NODE_PARAMS_v1 *kernel) {
  CUDA_KERNEL_NODE_PARAMS_v2 all;
  CUresult result = kernel ? cuGraphKernelNodeGetParams_v2(node, &all) : CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    memcpy(kernel, &all, sizeof *kernel);
  return result;
}

CUresult cuGraphKernelNodeSetParams_v2(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v2 *kernel) {
  if (!kernel)
    return CUDA_ERROR_INVALID_VALUE;
  CUgraphNodeParams params = kernel_params(kernel);
  return cuGraphNodeSetParams(node, &params);
}

CUresult cuGraphKernelNodeSetParams(CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *kernel) {
  if (!kernel)
    return CUDA_ERROR_INVALID_VALUE;
  CUDA_KERNEL_NODE_PARAMS_v2 all = newer(kernel);
  return cuGraphKernelNodeSetParams_v2(node, &all);
}

CUresult cuGraphKernelNodeSetAttribute(CUgraphNode handle, CUkernelNodeAttrID id, const CUkernelNodeAttrValue *value) {
  struct cs_cpu_node *node;
  CUresult result = value ? cs_cpu_node_of_type(handle, CU_GRAPH_NODE_TYPE_KERNEL, &node) : CUDA_ERROR_INVALID_VALUE;
  return result == CUDA_SUCCESS ? cs_cpu_attribute_set(&node->attributes, id, value) : result;
}

CUresult cuGraphKernelNodeGetAttribute(CUgraphNode handle, CUkernelNodeAttrID id, CUkernelNodeAttrValue *value) {
  struct cs_cpu_node *node;
  CUresult result = value ? cs_cpu_node_of_type(handle, CU_GRAPH_NODE_TYPE_KERNEL, &node) : CUDA_ERROR_INVALID_VALUE;
  return result == CUDA_SUCCESS ? cs_cpu_attribute_get(&node->attributes, id, value) : result;
}

CUresult cuGraphKernelNodeCopyAttributes(CUgraphNode to_handle, CUgraphNode from_handle) {
  struct cs_cpu_node *to, *from;
  CUresult result = cs_cpu_node_of_type(to_handle, CU_GRAPH_NODE_TYPE_KERNEL, &to);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_node_of_type(from_handle, CU_GRAPH_NODE_TYPE_KERNEL, &from);
  return result == CUDA_SUCCESS ? cs_cpu_attributes_copy(&to->attributes, &from->attributes) : result;
}

/* --- the kinds with one structure or handle each --- */

static CUgraphNodeParams copy_params(const CUDA_MEMCPY3D *copy, CUcontext context) {
  return (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_MEMCPY, .memcpy = {.copyCtx = context, .copyParams = *copy}};
}

static CUgraphNodeParams fill_params(const CUDA_MEMSET_NODE_PARAMS *fill, CUcontext context) {
  return (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_MEMSET,
                             .memset = {.dst = fill->dst,
                                        .pitch = fill->pitch,
                                        .value = fill->value,
                                        .elementSize = fill->elementSize,
                                        .width = fill->width,
                                        .height = fill->height,
                                        .ctx = context}};
}

static CUgraphNodeParams host_params(const CUDA_HOST_NODE_PARAMS *host) {
  return (CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_HOST, .host = {.fn = host->fn, .userData = host->userData}};
}

#define ADD_CHECKED(given, value)                                                                                      \
  if (!(given))                                                                                                        \
    return CUDA_ERROR_INVALID_VALUE;                                                                                   \
  CUgraphNodeParams params = value;                                                                                    \
  return add(out, graph, dependencies, NULL, count, &params)
#define SET_CHECKED(given, value)                                                                                      \
  if (!(given))                                                                                                        \
    return CUDA_ERROR_INVALID_VALUE;                                                                                   \
  CUgraphNodeParams params = value;                                                                                    \
  return cuGraphNodeSetParams(node, &params)
#define GET_CHECKED(given, kind, from)                                                                                 \
  struct cs_cpu_node *found;                                                                                           \
  CUresult result = (given) ? cs_cpu_node_of_type(node, CU_GRAPH_NODE_TYPE_##kind, &found) : CUDA_ERROR_INVALID_VALUE; \
  if (result == CUDA_SUCCESS)                                                                                          \
    memcpy(given, &found->params.from, sizeof *(given));                                                               \
  return result

CUresult cuGraphAddMemcpyNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                              const CUDA_MEMCPY3D *copy, CUcontext context) {
  ADD_CHECKED(copy, copy_params(copy, context));
}

CUresult cuGraphMemcpyNodeGetParams(CUgraphNode node, CUDA_MEMCPY3D *copy) {
  GET_CHECKED(copy, MEMCPY, memcpy.copyParams);
}

CUresult cuGraphMemcpyNodeSetParams(CUgraphNode node, const CUDA_MEMCPY3D *copy) {
  SET_CHECKED(copy, copy_params(copy, NULL));
}

CUresult cuGraphAddMemsetNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                              const CUDA_MEMSET_NODE_PARAMS *fill, CUcontext context) {
  ADD_CHECKED(fill, fill_params(fill, context));
}

CUresult cuGraphMemsetNodeGetParams(CUgraphNode node, CUDA_MEMSET_NODE_PARAMS *fill) {
  GET_CHECKED(fill, MEMSET, memset);
}

CUresult cuGraphMemsetNodeSetParams(CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *fill) {
  SET_CHECKED(fill, fill_params(fill, NULL));
}

CUresult cuGraphAddHostNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                            const CUDA_HOST_NODE_PARAMS *host) {
  ADD_CHECKED(host, host_params(host));
}

CUresult cuGraphHostNodeGetParams(CUgraphNode node, CUDA_HOST_NODE_PARAMS *host) {
  GET_CHECKED(host, HOST, host);
}

CUresult cuGraphHostNodeSetParams(CUgraphNode node, const CUDA_HOST_NODE_PARAMS *host) {
  SET_CHECKED(host, host_params(host));
}

CUresult cuGraphAddChildGraphNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                                  CUgraph child) {
  ADD_CHECKED(child, ((CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_GRAPH, .graph = {.graph = child}}));
}

CUresult cuGraphChildGraphNodeGetGraph(CUgraphNode node, CUgraph *child) {
  GET_CHECKED(child, GRAPH, graph.graph);
}

CUresult cuGraphAddEmptyNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies, size_t count) {
  CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_EMPTY};
  return add(out, graph, dependencies, NULL, count, &params);
}

#define RECORD(value) ((CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_EVENT_RECORD, .eventRecord = {.event = (value)}})
#define WAIT(value) ((CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_WAIT_EVENT, .eventWait = {.event = (value)}})

CUresult cuGraphAddEventRecordNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                                   CUevent event) {
  ADD_CHECKED(event, RECORD(event));
}

CUresult cuGraphEventRecordNodeGetEvent(CUgraphNode node, CUevent *event) {
  GET_CHECKED(event, EVENT_RECORD, eventRecord.event);
}

CUresult cuGraphEventRecordNodeSetEvent(CUgraphNode node, CUevent event) {
  SET_CHECKED(event, RECORD(event));
}

CUresult cuGraphAddEventWaitNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                                 CUevent event) {
  ADD_CHECKED(event, WAIT(event));
}

CUresult cuGraphEventWaitNodeGetEvent(CUgraphNode node, CUevent *event) {
  GET_CHECKED(event, WAIT_EVENT, eventWait.event);
}

CUresult cuGraphEventWaitNodeSetEvent(CUgraphNode node, CUevent event) {
  SET_CHECKED(event, WAIT(event));
}

CUresult cuGraphAddMemAllocNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                                CUDA_MEM_ALLOC_NODE_PARAMS *alloc) {
  _Static_assert(sizeof(CUDA_MEM_ALLOC_NODE_PARAMS_v2) == sizeof *alloc, "both versions are alike");
  if (!alloc)
    return CUDA_ERROR_INVALID_VALUE;
  CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_MEM_ALLOC};
  memcpy(&params.alloc, alloc, sizeof *alloc);
  CUresult result = add(out, graph, dependencies, NULL, count, &params);
  alloc->dptr = result == CUDA_SUCCESS ? params.alloc.dptr : 0;
  return result;
}

CUresult cuGraphMemAllocNodeGetParams(CUgraphNode node, CUDA_MEM_ALLOC_NODE_PARAMS *alloc) {
  GET_CHECKED(alloc, MEM_ALLOC, alloc);
}

CUresult cuGraphAddMemFreeNode(CUgraphNode *out, CUgraph graph, const CUgraphNode *dependencies, size_t count,
                               CUdeviceptr address) {
  ADD_CHECKED(address, ((CUgraphNodeParams){.type = CU_GRAPH_NODE_TYPE_MEM_FREE, .free = {.dptr = address}}));
}

CUresult cuGraphMemFreeNodeGetParams(CUgraphNode node, CUdeviceptr *address) {
  GET_CHECKED(address, MEM_FREE, free.dptr);
}

/* --- nodes of executable graphs --- */

static CUresult set_in(CUgraphExec handle, CUgraphNode node, CUgraphNodeParams *params) {
  return cuGraphExecNodeSetParams(handle, node, params);
}

#define EXEC_SET(given, value)                                                                                         \
  if (!(given))                                                                                                        \
    return CUDA_ERROR_INVALID_VALUE;                                                                                   \
  CUgraphNodeParams params = value;                                                                                    \
  return set_in(exec, node, &params)

CUresult cuGraphExecKernelNodeSetParams_v2(CUgraphExec exec, CUgraphNode node,
                                           const CUDA_KERNEL_NODE_PARAMS_v2 *kernel) {
  EXEC_SET(kernel, kernel_params(kernel));
}

CUresult cuGraphExecKernelNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_KERNEL_NODE_PARAMS_v1 *kernel) {
  if (!kernel)
    return CUDA_ERROR_INVALID_VALUE;
  CUDA_KERNEL_NODE_PARAMS_v2 all = newer(kernel);
  return cuGraphExecKernelNodeSetParams_v2(exec, node, &all);
}

CUresult cuGraphExecMemcpyNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMCPY3D *copy,
                                        CUcontext context) {
  EXEC_SET(copy, copy_params(copy, context));
}

CUresult cuGraphExecMemsetNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_MEMSET_NODE_PARAMS *fill,
                                        CUcontext context) {
  EXEC_SET(fill, fill_params(fill, context));
}

CUresult cuGraphExecHostNodeSetParams(CUgraphExec exec, CUgraphNode node, const CUDA_HOST_NODE_PARAMS *host) {
  EXEC_SET(host, host_params(host));
}

CUresult cuGraphExecEventRecordNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
  EXEC_SET(event, RECORD(event));
}

CUresult cuGraphExecEventWaitNodeSetEvent(CUgraphExec exec, CUgraphNode node, CUevent event) {
  EXEC_SET(event, WAIT(event));
}
