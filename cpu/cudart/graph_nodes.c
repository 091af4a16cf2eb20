/* graph_nodes.c: nodes: adding, querying, changing, in the graph and in executable graphs. Every call converts its
 * parameters to struct cudaGraphNodeParams, from there to the driver's structure, and makes one of three driver calls:
 * add, set in the graph, set in an executable graph. */
#include "cpu/cudart/array.h"
#include "cpu/cudart/graph.h"
#include "cpu/cudart/registration.h"

#include <string.h>

_Static_assert(sizeof(struct cudaMemsetParams) == sizeof(CUDA_MEMSET_NODE_PARAMS), "fills have one layout");
_Static_assert(sizeof(struct cudaHostNodeParams) == sizeof(CUDA_HOST_NODE_PARAMS), "functions, too");
_Static_assert(sizeof(struct cudaMemAllocNodeParams) == sizeof(CUDA_MEM_ALLOC_NODE_PARAMS), "allocations, too");
_Static_assert(sizeof(struct cudaChildGraphNodeParams) == sizeof(CUDA_CHILD_GRAPH_NODE_PARAMS), "child graphs, too");
_Static_assert(sizeof(cudaKernelNodeAttrValue) == sizeof(CUkernelNodeAttrValue), "attributes, too");

/* --- conversion to the driver's structures --- */

static cudaError_t kernel_to_driver(const struct cudaKernelNodeParamsV2 *k, struct cs_cudart_context *context,
                                    CUDA_KERNEL_NODE_PARAMS_v3 *out) {
  *out = (CUDA_KERNEL_NODE_PARAMS_v3){.gridDimX = k->gridDim.x,
                                      .gridDimY = k->gridDim.y,
                                      .gridDimZ = k->gridDim.z,
                                      .blockDimX = k->blockDim.x,
                                      .blockDimY = k->blockDim.y,
                                      .blockDimZ = k->blockDim.z,
                                      .sharedMemBytes = k->sharedMemBytes,
                                      .kernelParams = k->kernelParams,
                                      .extra = k->extra};
  return cs_cudart_launched_function(k->func, context, &out->func);
}

static cudaError_t copy_to_driver(const struct cudaMemcpy3DParms *p, CUcontext context, CUDA_MEMCPY_NODE_PARAMS *out) {
  if ((unsigned)p->kind > cudaMemcpyDefault)
    return cudaErrorInvalidMemcpyDirection;
  out->copyCtx = context;
  return cs_cudart_copy_describe(p, &out->copyParams);
}

cudaError_t cs_cudart_node_to_driver(const struct cudaGraphNodeParams *params, CUgraphNodeParams *driver) {
  struct cs_cudart_context *context;
  cudaError_t error = cs_cudart_enter(&context);
  if (error != cudaSuccess)
    return error;
  *driver = (CUgraphNodeParams){.type = (CUgraphNodeType)params->type};
  switch (params->type) {
  case cudaGraphNodeTypeKernel:
    return kernel_to_driver(&params->kernel, context, &driver->kernel);
  case cudaGraphNodeTypeMemcpy:
    return copy_to_driver(&params->memcpy.copyParams, context->handle, &driver->memcpy);
  case cudaGraphNodeTypeMemset:
    memcpy(&driver->memset, &params->memset, sizeof params->memset);
    driver->memset.ctx = context->handle;
    return cudaSuccess;
  case cudaGraphNodeTypeConditional:
    driver->type = CU_GRAPH_NODE_TYPE_CONDITIONAL;
    return cudaSuccess; /* the driver decides whether it supports them */
  default:              /* handles, functions and sizes, at the same offsets */
    memcpy(driver->reserved1, params->reserved1, sizeof driver->reserved1);
    return cudaSuccess;
  }
}

/* --- the three calls --- */

cudaError_t cudaGraphAddNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                             const cudaGraphEdgeData *edges, size_t count, struct cudaGraphNodeParams *params) {
  CUgraphNodeParams driver;
  CS_CUDART_CHECK(node && params);
  cudaError_t error = cs_cudart_node_to_driver(params, &driver);
  if (error != cudaSuccess)
    return cs_cudart_fail(error);
  CUresult result = CU(GraphAddNode, node, graph, dependencies, (const CUgraphEdgeData *)edges, count, &driver);
  if (params->type == cudaGraphNodeTypeMemAlloc)
    params->alloc.dptr = (void *)(result == CUDA_SUCCESS ? driver.alloc.dptr : 0);
  return cs_cudart_done(result);
}

cudaError_t cudaGraphNodeSetParams(cudaGraphNode_t node, struct cudaGraphNodeParams *params) {
  CUgraphNodeParams driver;
  CS_CUDART_CHECK(params);
  cudaError_t error = cs_cudart_node_to_driver(params, &driver);
  return error == cudaSuccess ? cs_cudart_done(CU(GraphNodeSetParams, node, &driver)) : cs_cudart_fail(error);
}

cudaError_t cudaGraphExecNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, struct cudaGraphNodeParams *params) {
  CUgraphNodeParams driver;
  CS_CUDART_CHECK(params);
  cudaError_t error = cs_cudart_node_to_driver(params, &driver);
  return error == cudaSuccess ? cs_cudart_done(CU(GraphExecNodeSetParams, exec, node, &driver)) : cs_cudart_fail(error);
}

/* --- one structure for each kind --- */

static struct cudaGraphNodeParams kernel(const struct cudaKernelNodeParams *k) {
  struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeKernel};
  params.kernel.func = k->func;
  params.kernel.gridDim = k->gridDim;
  params.kernel.blockDim = k->blockDim;
  params.kernel.sharedMemBytes = k->sharedMemBytes;
  params.kernel.kernelParams = k->kernelParams;
  params.kernel.extra = k->extra;
  return params;
}

static struct cudaGraphNodeParams copy(const struct cudaMemcpy3DParms *p) {
  return (struct cudaGraphNodeParams){.type = cudaGraphNodeTypeMemcpy, .memcpy = {.copyParams = *p}};
}

static struct cudaGraphNodeParams copy_1d(void *to, const void *from, size_t size, enum cudaMemcpyKind kind) {
  struct cudaMemcpy3DParms p = {.srcPtr = {(void *)(uintptr_t)from, size, size, 1},
                                .dstPtr = {to, size, size, 1},
                                .extent = {size, 1, 1},
                                .kind = kind};
  return copy(&p);
}

static struct cudaGraphNodeParams fill(const struct cudaMemsetParams *p) {
  struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeMemset};
  memcpy(&params.memset, p, sizeof *p);
  return params;
}

static struct cudaGraphNodeParams host(const struct cudaHostNodeParams *p) {
  return (struct cudaGraphNodeParams){.type = cudaGraphNodeTypeHost, .host = {.fn = p->fn, .userData = p->userData}};
}

static struct cudaGraphNodeParams child(cudaGraph_t graph) {
  return (struct cudaGraphNodeParams){.type = cudaGraphNodeTypeGraph, .graph = {.graph = graph}};
}

static struct cudaGraphNodeParams record(cudaEvent_t event) {
  return (struct cudaGraphNodeParams){.type = cudaGraphNodeTypeEventRecord, .eventRecord = {.event = event}};
}

static struct cudaGraphNodeParams wait_for(cudaEvent_t event) {
  return (struct cudaGraphNodeParams){.type = cudaGraphNodeTypeWaitEvent, .eventWait = {.event = event}};
}

/* Three calls for each kind: add, set in the graph, set in an executable graph. */
#define NODE(given, value, name, set, ...)                                                                             \
  cudaError_t cudaGraphAdd##name(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,        \
                                 size_t count, __VA_ARGS__) {                                                          \
    CS_CUDART_CHECK(given);                                                                                            \
    struct cudaGraphNodeParams params = value;                                                                         \
    return cudaGraphAddNode(node, graph, dependencies, NULL, count, &params);                                          \
  }                                                                                                                    \
  cudaError_t cudaGraph##set(cudaGraphNode_t node, __VA_ARGS__) {                                                      \
    CS_CUDART_CHECK(given);                                                                                            \
    struct cudaGraphNodeParams params = value;                                                                         \
    return cudaGraphNodeSetParams(node, &params);                                                                      \
  }                                                                                                                    \
  cudaError_t cudaGraphExec##set(cudaGraphExec_t exec, cudaGraphNode_t node, __VA_ARGS__) {                            \
    CS_CUDART_CHECK(given);                                                                                            \
    struct cudaGraphNodeParams params = value;                                                                         \
    return cudaGraphExecNodeSetParams(exec, node, &params);                                                            \
  }
NODE(k, kernel(k), KernelNode, KernelNodeSetParams, const struct cudaKernelNodeParams *k)
NODE(p, copy(p), MemcpyNode, MemcpyNodeSetParams, const struct cudaMemcpy3DParms *p)
NODE(to &&from, copy_1d(to, from, size, kind), MemcpyNode1D, MemcpyNodeSetParams1D, void *to, const void *from,
     size_t size, enum cudaMemcpyKind kind)
NODE(p, fill(p), MemsetNode, MemsetNodeSetParams, const struct cudaMemsetParams *p)
NODE(p, host(p), HostNode, HostNodeSetParams, const struct cudaHostNodeParams *p)
NODE(event, record(event), EventRecordNode, EventRecordNodeSetEvent, cudaEvent_t event)
NODE(event, wait_for(event), EventWaitNode, EventWaitNodeSetEvent, cudaEvent_t event)

cudaError_t cudaGraphAddChildGraphNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                       size_t count, cudaGraph_t inner) {
  struct cudaGraphNodeParams params = child(inner);
  return cudaGraphAddNode(node, graph, dependencies, NULL, count, &params);
}

cudaError_t cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t exec, cudaGraphNode_t node, cudaGraph_t inner) {
  struct cudaGraphNodeParams params = child(inner);
  return cudaGraphExecNodeSetParams(exec, node, &params);
}

cudaError_t cudaGraphAddEmptyNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                  size_t count) {
  struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeEmpty};
  return cudaGraphAddNode(node, graph, dependencies, NULL, count, &params);
}

cudaError_t cudaGraphAddMemAllocNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                     size_t count, struct cudaMemAllocNodeParams *alloc) {
  CS_CUDART_CHECK(alloc);
  struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeMemAlloc};
  memcpy(&params.alloc, alloc, sizeof *alloc);
  cudaError_t error = cudaGraphAddNode(node, graph, dependencies, NULL, count, &params);
  alloc->dptr = params.alloc.dptr;
  return error;
}

cudaError_t cudaGraphAddMemFreeNode(cudaGraphNode_t *node, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                    size_t count, void *pointer) {
  struct cudaGraphNodeParams params = {.type = cudaGraphNodeTypeMemFree, .free = {.dptr = pointer}};
  return cudaGraphAddNode(node, graph, dependencies, NULL, count, &params);
}

/* --- symbols --- */

#define TO_SYMBOL(call, ...)                                                                                           \
  CUdeviceptr address;                                                                                                 \
  cudaError_t error = cs_cudart_symbol_range(__func__, symbol, offset, size, 1, &address);                             \
  return error == cudaSuccess ? call(__VA_ARGS__, (void *)address, from, size, kind) : error
#define FROM_SYMBOL(call, ...)                                                                                         \
  CUdeviceptr address;                                                                                                 \
  cudaError_t error = cs_cudart_symbol_range(__func__, symbol, offset, size, 0, &address);                             \
  return error == cudaSuccess ? call(__VA_ARGS__, to, (const void *)address, size, kind) : error

cudaError_t cudaGraphAddMemcpyNodeToSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                           const cudaGraphNode_t *dependencies, size_t count, const void *symbol,
                                           const void *from, size_t size, size_t offset, enum cudaMemcpyKind kind) {
  TO_SYMBOL(cudaGraphAddMemcpyNode1D, node, graph, dependencies, count);
}
cudaError_t cudaGraphMemcpyNodeSetParamsToSymbol(cudaGraphNode_t node, const void *symbol, const void *from,
                                                 size_t size, size_t offset, enum cudaMemcpyKind kind) {
  TO_SYMBOL(cudaGraphMemcpyNodeSetParams1D, node);
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsToSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, const void *symbol,
                                                     const void *from, size_t size, size_t offset,
                                                     enum cudaMemcpyKind kind) {
  TO_SYMBOL(cudaGraphExecMemcpyNodeSetParams1D, exec, node);
}
cudaError_t cudaGraphAddMemcpyNodeFromSymbol(cudaGraphNode_t *node, cudaGraph_t graph,
                                             const cudaGraphNode_t *dependencies, size_t count, void *to,
                                             const void *symbol, size_t size, size_t offset, enum cudaMemcpyKind kind) {
  FROM_SYMBOL(cudaGraphAddMemcpyNode1D, node, graph, dependencies, count);
}
cudaError_t cudaGraphMemcpyNodeSetParamsFromSymbol(cudaGraphNode_t node, void *to, const void *symbol, size_t size,
                                                   size_t offset, enum cudaMemcpyKind kind) {
  FROM_SYMBOL(cudaGraphMemcpyNodeSetParams1D, node);
}
cudaError_t cudaGraphExecMemcpyNodeSetParamsFromSymbol(cudaGraphExec_t exec, cudaGraphNode_t node, void *to,
                                                       const void *symbol, size_t size, size_t offset,
                                                       enum cudaMemcpyKind kind) {
  FROM_SYMBOL(cudaGraphExecMemcpyNodeSetParams1D, exec, node);
}

/* --- queries --- */

cudaError_t cudaGraphKernelNodeGetParams(cudaGraphNode_t node, struct cudaKernelNodeParams *out) {
  CUDA_KERNEL_NODE_PARAMS k;
  CS_CUDART_READY();
  CS_CUDART_CHECK(out);
  CUresult result = CU(GraphKernelNodeGetParams, node, &k);
  if (result != CUDA_SUCCESS)
    return cs_cudart_done(result);
  *out = (struct cudaKernelNodeParams){.func = (void *)(uintptr_t)cs_cudart_host_function(k.func),
                                       .gridDim = {k.gridDimX, k.gridDimY, k.gridDimZ},
                                       .blockDim = {k.blockDimX, k.blockDimY, k.blockDimZ},
                                       .sharedMemBytes = k.sharedMemBytes,
                                       .kernelParams = k.kernelParams,
                                       .extra = k.extra};
  return cudaSuccess;
}

cudaError_t cudaGraphMemcpyNodeGetParams(cudaGraphNode_t node, struct cudaMemcpy3DParms *out) {
  CUDA_MEMCPY3D driver;
  CS_CUDART_READY();
  CS_CUDART_CHECK(out);
  CUresult result = CU(GraphMemcpyNodeGetParams, node, &driver);
  if (result == CUDA_SUCCESS)
    *out = cs_cudart_copy_parameters(&driver);
  return cs_cudart_done(result);
}

cudaError_t cudaGraphMemsetNodeGetParams(cudaGraphNode_t node, struct cudaMemsetParams *out) {
  CS_CUDART_READY();
  return cs_cudart_done(CU(GraphMemsetNodeGetParams, node, (CUDA_MEMSET_NODE_PARAMS *)out));
}

cudaError_t cudaGraphHostNodeGetParams(cudaGraphNode_t node, struct cudaHostNodeParams *out) {
  CS_CUDART_READY();
  return cs_cudart_done(CU(GraphHostNodeGetParams, node, (CUDA_HOST_NODE_PARAMS *)out));
}

cudaError_t cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t node, cudaGraph_t *graph) {
  CS_CUDART_READY();
  return cs_cudart_done(CU(GraphChildGraphNodeGetGraph, node, graph));
}

cudaError_t cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event) {
  CS_CUDART_READY();
  return cs_cudart_done(CU(GraphEventRecordNodeGetEvent, node, event));
}

cudaError_t cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t node, cudaEvent_t *event) {
  CS_CUDART_READY();
  return cs_cudart_done(CU(GraphEventWaitNodeGetEvent, node, event));
}

cudaError_t cudaGraphMemAllocNodeGetParams(cudaGraphNode_t node, struct cudaMemAllocNodeParams *out) {
  CS_CUDART_READY();
  return cs_cudart_done(CU(GraphMemAllocNodeGetParams, node, (CUDA_MEM_ALLOC_NODE_PARAMS *)out));
}

cudaError_t cudaGraphMemFreeNodeGetParams(cudaGraphNode_t node, void *pointer) {
  CS_CUDART_READY();
  return cs_cudart_done(CU(GraphMemFreeNodeGetParams, node, (CUdeviceptr *)pointer));
}

cudaError_t cudaGraphKernelNodeSetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID which,
                                            const cudaKernelNodeAttrValue *value) {
  CS_CUDART_READY();
  return cs_cudart_done(
      CU(GraphKernelNodeSetAttribute, node, (CUkernelNodeAttrID)which, (const CUkernelNodeAttrValue *)value));
}

cudaError_t cudaGraphKernelNodeGetAttribute(cudaGraphNode_t node, cudaKernelNodeAttrID which,
                                            cudaKernelNodeAttrValue *value) {
  CS_CUDART_READY();
  return cs_cudart_done(
      CU(GraphKernelNodeGetAttribute, node, (CUkernelNodeAttrID)which, (CUkernelNodeAttrValue *)value));
}

cudaError_t cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t to, cudaGraphNode_t from) {
  CS_CUDART_READY();
  return cs_cudart_done(CU(GraphKernelNodeCopyAttributes, to, from));
}
