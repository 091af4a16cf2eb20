/* graph.c: graphs as a whole, their edges, and executable graphs. Handles are the driver's. */
#include "cpu/cudart/graph.h"

_Static_assert((int)cudaGraphNodeTypeConditional == (int)CU_GRAPH_NODE_TYPE_CONDITIONAL, "node types are the driver's");
_Static_assert(sizeof(cudaGraphInstantiateParams) == sizeof(CUDA_GRAPH_INSTANTIATE_PARAMS), "layouts, too");
_Static_assert(sizeof(cudaGraphExecUpdateResultInfo) == sizeof(CUgraphExecUpdateResultInfo), "update results, too");
_Static_assert((int)cudaGraphInstantiateFlagUseNodePriority == (int)CUDA_GRAPH_INSTANTIATE_FLAG_USE_NODE_PRIORITY,
               "flags, too");

cudaError_t cudaGraphCreate(cudaGraph_t *graph, unsigned flags) {
  CS_CUDART_READY();
  CS_CUDART_CHECK(graph);
  return cs_cudart_done(CU(GraphCreate, graph, flags));
}

cudaError_t cudaGraphDestroy(cudaGraph_t graph) {
  CS_CUDART_READY();
  return cs_cudart_done(CU(GraphDestroy, graph));
}

cudaError_t cudaGraphDestroyNode(cudaGraphNode_t node) {
  CS_CUDART_READY();
  return cs_cudart_done(CU(GraphDestroyNode, node));
}

cudaError_t cudaGraphClone(cudaGraph_t *clone, cudaGraph_t graph) {
  CS_CUDART_READY();
  CS_CUDART_CHECK(clone);
  return cs_cudart_done(CU(GraphClone, clone, graph));
}

cudaError_t cudaGraphNodeFindInClone(cudaGraphNode_t *node, cudaGraphNode_t original, cudaGraph_t clone) {
  CS_CUDART_READY();
  CS_CUDART_CHECK(node);
  return cs_cudart_done(CU(GraphNodeFindInClone, node, original, clone));
}

cudaError_t cudaGraphNodeGetType(cudaGraphNode_t node, enum cudaGraphNodeType *type) {
  CS_CUDART_READY();
  CS_CUDART_CHECK(type);
  return cs_cudart_done(CU(GraphNodeGetType, node, (CUgraphNodeType *)type));
}

cudaError_t cudaGraphGetNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  CS_CUDART_READY();
  return cs_cudart_done(CU(GraphGetNodes, graph, nodes, count));
}

cudaError_t cudaGraphGetRootNodes(cudaGraph_t graph, cudaGraphNode_t *nodes, size_t *count) {
  CS_CUDART_READY();
  return cs_cudart_done(CU(GraphGetRootNodes, graph, nodes, count));
}

cudaError_t cudaGraphGetEdges(cudaGraph_t graph, cudaGraphNode_t *from, cudaGraphNode_t *to, cudaGraphEdgeData *edges,
                              size_t *count) {
  CS_CUDART_READY();
  return cs_cudart_done(CU(GraphGetEdges, graph, from, to, (CUgraphEdgeData *)edges, count));
}

cudaError_t cudaGraphNodeGetDependencies(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                         size_t *count) {
  CS_CUDART_READY();
  return cs_cudart_done(CU(GraphNodeGetDependencies, node, nodes, (CUgraphEdgeData *)edges, count));
}

cudaError_t cudaGraphNodeGetDependentNodes(cudaGraphNode_t node, cudaGraphNode_t *nodes, cudaGraphEdgeData *edges,
                                           size_t *count) {
  CS_CUDART_READY();
  return cs_cudart_done(CU(GraphNodeGetDependentNodes, node, nodes, (CUgraphEdgeData *)edges, count));
}

cudaError_t cudaGraphAddDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                     const cudaGraphEdgeData *edges, size_t count) {
  CS_CUDART_READY();
  return cs_cudart_done(CU(GraphAddDependencies, graph, from, to, (const CUgraphEdgeData *)edges, count));
}

cudaError_t cudaGraphRemoveDependencies(cudaGraph_t graph, const cudaGraphNode_t *from, const cudaGraphNode_t *to,
                                        const cudaGraphEdgeData *edges, size_t count) {
  CS_CUDART_READY();
  return cs_cudart_done(CU(GraphRemoveDependencies, graph, from, to, (const CUgraphEdgeData *)edges, count));
}

cudaError_t cudaGraphDebugDotPrint(cudaGraph_t graph, const char *path, unsigned flags) {
  CS_CUDART_READY();
  return cs_cudart_done(CU(GraphDebugDotPrint, graph, path, flags));
}

/* --- user objects --- */

cudaError_t cudaUserObjectCreate(cudaUserObject_t *object, void *data, cudaHostFn_t destroy, unsigned count,
                                 unsigned flags) {
  CS_CUDART_READY();
  return cs_cudart_done(CU(UserObjectCreate, object, data, destroy, count, flags));
}

cudaError_t cudaUserObjectRetain(cudaUserObject_t object, unsigned count) {
  CS_CUDART_READY();
  return cs_cudart_done(CU(UserObjectRetain, object, count));
}

cudaError_t cudaUserObjectRelease(cudaUserObject_t object, unsigned count) {
  CS_CUDART_READY();
  return cs_cudart_done(CU(UserObjectRelease, object, count));
}

cudaError_t cudaGraphRetainUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count, unsigned flags) {
  CS_CUDART_READY();
  return cs_cudart_done(CU(GraphRetainUserObject, graph, object, count, flags));
}

cudaError_t cudaGraphReleaseUserObject(cudaGraph_t graph, cudaUserObject_t object, unsigned count) {
  CS_CUDART_READY();
  return cs_cudart_done(CU(GraphReleaseUserObject, graph, object, count));
}

/* --- executable graphs --- */

cudaError_t cudaGraphInstantiateWithFlags(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(exec);
  return cs_cudart_done(CU(GraphInstantiateWithFlags, exec, graph, flags));
}

cudaError_t cudaGraphInstantiate(cudaGraphExec_t *exec, cudaGraph_t graph, unsigned long long flags) {
  return cudaGraphInstantiateWithFlags(exec, graph, flags);
}

cudaError_t cudaGraphInstantiateWithParams(cudaGraphExec_t *exec, cudaGraph_t graph,
                                           cudaGraphInstantiateParams *params) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(exec && params);
  return cs_cudart_done(CU(GraphInstantiateWithParams, exec, graph, (CUDA_GRAPH_INSTANTIATE_PARAMS *)params));
}

cudaError_t cudaGraphExecDestroy(cudaGraphExec_t exec) {
  CS_CUDART_READY();
  return cs_cudart_done(CU(GraphExecDestroy, exec));
}

cudaError_t cudaGraphExecGetFlags(cudaGraphExec_t exec, unsigned long long *flags) {
  CS_CUDART_READY();
  return cs_cudart_done(CU(GraphExecGetFlags, exec, (cuuint64_t *)flags));
}

cudaError_t cudaGraphLaunch(cudaGraphExec_t exec, cudaStream_t stream) {
  CS_CUDART_ENTER();
  return cs_cudart_done(CU(GraphLaunch, exec, stream));
}

cudaError_t cudaGraphUpload(cudaGraphExec_t exec, cudaStream_t stream) {
  CS_CUDART_ENTER();
  return cs_cudart_done(CU(GraphUpload, exec, stream));
}

cudaError_t cudaGraphExecUpdate(cudaGraphExec_t exec, cudaGraph_t graph, cudaGraphExecUpdateResultInfo *info) {
  CS_CUDART_ENTER();
  return cs_cudart_done(CU(GraphExecUpdate, exec, graph, (CUgraphExecUpdateResultInfo *)info));
}

cudaError_t cudaGraphNodeSetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned enabled) {
  CS_CUDART_READY();
  return cs_cudart_done(CU(GraphNodeSetEnabled, exec, node, enabled));
}

cudaError_t cudaGraphNodeGetEnabled(cudaGraphExec_t exec, cudaGraphNode_t node, unsigned *enabled) {
  CS_CUDART_READY();
  return cs_cudart_done(CU(GraphNodeGetEnabled, exec, node, enabled));
}

/* --- memory of graphs --- */

cudaError_t cudaDeviceGraphMemTrim(int ordinal) {
  CUdevice device;
  CS_CUDART_DEVICE(ordinal, device);
  return cs_cudart_done(CU(DeviceGraphMemTrim, device));
}

cudaError_t cudaDeviceGetGraphMemAttribute(int ordinal, enum cudaGraphMemAttributeType which, void *value) {
  CUdevice device;
  CS_CUDART_DEVICE(ordinal, device);
  return cs_cudart_done(CU(DeviceGetGraphMemAttribute, device, (CUgraphMem_attribute)which, value));
}

cudaError_t cudaDeviceSetGraphMemAttribute(int ordinal, enum cudaGraphMemAttributeType which, void *value) {
  CUdevice device;
  CS_CUDART_DEVICE(ordinal, device);
  return cs_cudart_done(CU(DeviceSetGraphMemAttribute, device, (CUgraphMem_attribute)which, value));
}
