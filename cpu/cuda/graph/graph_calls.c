/* graph_calls.c: the calls on whole graphs, and those that destroy nodes. */
#include "cpu/cuda/graph/graph.h"
#include "cpu/cuda/graph/tree.h"
#include "cpu/cuda/work/devices.h"

CUresult cuGraphCreate(CUgraph *out, unsigned int flags) {
  CUresult result = cs_cpu_check_init();
  if (result != CUDA_SUCCESS)
    return result;
  if (!out || flags)
    return CUDA_ERROR_INVALID_VALUE;
  struct cs_cpu_graph *graph = cs_cpu_graph_new();
  if (!graph)
    return CUDA_ERROR_OUT_OF_MEMORY;
  *out = (CUgraph)graph;
  return CUDA_SUCCESS;
}

CUresult cuGraphDestroy(CUgraph handle) {
  struct cs_cpu_graph *graph;
  CUresult result = cs_cpu_graph_of(handle, &graph);
  if (result != CUDA_SUCCESS)
    return result;
  if (graph->parent)
    return CUDA_ERROR_INVALID_VALUE;
  cs_cpu_graph_delete(graph);
  return CUDA_SUCCESS;
}

/* The addresses of memory nodes belong to one graph, as documented. */
CUresult cuGraphClone(CUgraph *out, CUgraph handle) {
  struct cs_cpu_graph *graph, *copy;
  CUresult result = out ? cs_cpu_graph_of(handle, &graph) : CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    result = cs_cpu_graph_has_memory(graph) ? CUDA_ERROR_NOT_SUPPORTED : cs_cpu_graph_copy(graph, &copy);
  if (result == CUDA_SUCCESS)
    *out = (CUgraph)copy;
  return result;
}

CUresult cuGraphNodeFindInClone(CUgraphNode *out, CUgraphNode original, CUgraph clone) {
  struct cs_cpu_node *node;
  struct cs_cpu_graph *graph;
  CUresult result = out ? cs_cpu_node_of(original, &node) : CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    result = cs_cpu_graph_of(clone, &graph);
  if (result != CUDA_SUCCESS)
    return result;
  struct cs_cpu_node *found = cs_cpu_graph_find(graph, node->id);
  if (!found)
    return CUDA_ERROR_INVALID_VALUE;
  *out = (CUgraphNode)found;
  return CUDA_SUCCESS;
}

CUresult cuGraphNodeGetType(CUgraphNode handle, CUgraphNodeType *type) {
  struct cs_cpu_node *node;
  CUresult result = type ? cs_cpu_node_of(handle, &node) : CUDA_ERROR_INVALID_VALUE;
  if (result == CUDA_SUCCESS)
    *type = node->params.type;
  return result;
}

CUresult cuGraphDestroyNode(CUgraphNode handle) {
  struct cs_cpu_node *node;
  CUresult result = cs_cpu_node_of(handle, &node);
  if (result != CUDA_SUCCESS)
    return result;
  struct cs_cpu_graph *graph = node->graph;
  if (node->params.type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || node->params.type == CU_GRAPH_NODE_TYPE_MEM_FREE)
    return CUDA_ERROR_NOT_SUPPORTED; /* as documented */
  size_t kept = 0;
  for (size_t i = 0; i < graph->count; i++) {
    struct cs_cpu_node *other = graph->nodes[i];
    cs_cpu_node_remove_edge(other, node);
    if (other != node)
      graph->nodes[kept++] = other;
  }
  graph->count = kept;
  cs_cpu_node_delete(node);
  return CUDA_SUCCESS;
}
