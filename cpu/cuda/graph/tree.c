/* tree.c: graphs and the nodes in them, which may be graphs again: adding, copying, deleting. */
#include "cpu/cuda/graph/tree.h"
#include "cpu/cuda/base/objects.h"
#include "cpu/cuda/base/unsupported.h"
#include "cpu/cuda/graph/graph.h"
#include "cpu/cuda/graph/nodes.h"
#include "cpu/cuda/graph/user_object.h"
#include "cpu/cuda/work/capture.h"
#include <stdlib.h>

static const struct cs_cpu_node_kind child_kind;

static const struct cs_cpu_node_kind *kind_of(CUgraphNodeType type) {
  return type == CU_GRAPH_NODE_TYPE_GRAPH ? &child_kind : cs_cpu_node_kind(type);
}

CUresult cs_cpu_node_assign(struct cs_cpu_node *node, CUgraphNodeParams *params) {
  static const char *const missing[] = {[CU_GRAPH_NODE_TYPE_EXT_SEMAS_SIGNAL] = "a graph node for external semaphores",
                                        [CU_GRAPH_NODE_TYPE_EXT_SEMAS_WAIT] = "a graph node for external semaphores",
                                        [CU_GRAPH_NODE_TYPE_BATCH_MEM_OP] = "a graph node for memory operations",
                                        [CU_GRAPH_NODE_TYPE_CONDITIONAL] = "a conditional graph node"};
  const struct cs_cpu_node_kind *kind = kind_of(params->type);
  if (kind)
    return kind->assign(node, params);
  int known = (size_t)params->type < sizeof missing / sizeof *missing && missing[params->type];
  return known ? cs_cpu_unsupported(missing[params->type]) : CUDA_ERROR_INVALID_VALUE;
}

CUresult cs_cpu_node_copy(struct cs_cpu_node *to, const struct cs_cpu_node *from) {
  return kind_of(from->params.type)->copy(to, from);
}

void cs_cpu_node_delete(struct cs_cpu_node *node) {
  const struct cs_cpu_node_kind *kind = kind_of(node->params.type);
  cs_cpu_capture_forget(node);
  if (kind->drop)
    kind->drop(node);
  free(node->edges);
  cs_cpu_object_delete(node);
}

void cs_cpu_graph_delete(struct cs_cpu_graph *graph) {
  if (!graph)
    return;
  for (size_t i = 0; i < graph->count; i++)
    cs_cpu_node_delete(graph->nodes[i]);
  cs_cpu_user_objects_drop(graph);
  free(graph->nodes);
  free(graph->order);
  cs_cpu_object_delete(graph);
}

CUresult cs_cpu_graph_add(struct cs_cpu_graph *graph, struct cs_cpu_node *const *dependencies,
                          const CUgraphEdgeData *edges, size_t count, CUgraphNodeParams *params,
                          struct cs_cpu_node **out) {
  if (count && !dependencies)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; i++)
    if (!cs_cpu_object_is(dependencies[i], CS_CPU_NODE))
      return CUDA_ERROR_INVALID_VALUE;
  struct cs_cpu_node *node = cs_cpu_graph_append(graph);
  if (!node)
    return CUDA_ERROR_OUT_OF_MEMORY;
  CUresult result = CUDA_SUCCESS;
  for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++)
    result = cs_cpu_node_add_edge(node, dependencies[i], edges ? &edges[i] : NULL);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_node_assign(node, params);
  if (result != CUDA_SUCCESS) {
    graph->count--;
    cs_cpu_node_delete(node);
    return result;
  }
  *out = node;
  return CUDA_SUCCESS;
}

/* --- copies --- */

static CUresult copy_edges(struct cs_cpu_graph *copy, const struct cs_cpu_node *from, struct cs_cpu_node *to) {
  for (size_t i = 0; i < from->edge_count; i++) {
    struct cs_cpu_node *dependency = cs_cpu_graph_find(copy, from->edges[i].node->id);
    CUresult result =
        dependency ? cs_cpu_node_add_edge(to, dependency, &from->edges[i].data) : CUDA_ERROR_INVALID_VALUE;
    if (result != CUDA_SUCCESS)
      return result;
  }
  return CUDA_SUCCESS;
}

static CUresult copy_nodes(const struct cs_cpu_graph *from, struct cs_cpu_graph *copy) {
  for (size_t i = 0; i < from->count; i++) {
    struct cs_cpu_node *node = cs_cpu_graph_append(copy);
    if (!node)
      return CUDA_ERROR_OUT_OF_MEMORY;
    node->original = from->nodes[i]->id;
    CUresult result = cs_cpu_node_copy(node, from->nodes[i]);
    if (result != CUDA_SUCCESS)
      return result;
  }
  for (size_t i = 0; i < from->count; i++) {
    CUresult result = copy_edges(copy, from->nodes[i], copy->nodes[i]);
    if (result != CUDA_SUCCESS)
      return result;
  }
  return cs_cpu_user_objects_copy(copy, from);
}

CUresult cs_cpu_graph_copy(const struct cs_cpu_graph *from, struct cs_cpu_graph **out) {
  struct cs_cpu_graph *copy = cs_cpu_graph_new();
  if (!copy)
    return CUDA_ERROR_OUT_OF_MEMORY;
  copy->original = from->id;
  CUresult result = copy_nodes(from, copy);
  if (result != CUDA_SUCCESS) {
    cs_cpu_graph_delete(copy);
    return result;
  }
  *out = copy;
  return CUDA_SUCCESS;
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

static const struct cs_cpu_node_kind child_kind = {assign_child, copy_child, drop_child};
