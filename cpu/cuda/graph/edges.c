/* edges.c: queries of a graph's nodes and edges, and the edges that programs add and remove. */
#include "cpu/cuda/graph/graph.h"

/* A query without an array returns the length of the list, one with an array its entries. Entries past the end are
 * NULL. */
struct list {
  CUgraphNode *nodes, *others;
  CUgraphEdgeData *edges;
  size_t room, count;
  int lossy; /* an edge has data that the query does not return */
};

static void put(struct list *list, struct cs_cpu_node *node, struct cs_cpu_node *other, const CUgraphEdgeData *data) {
  size_t at = list->count++;
  static const CUgraphEdgeData plain;
  if (at < list->room && list->nodes)
    list->nodes[at] = (CUgraphNode)node;
  if (at < list->room && list->others)
    list->others[at] = (CUgraphNode)other;
  if (at < list->room && list->edges)
    list->edges[at] = data ? *data : plain;
  list->lossy |= data && (data->type || data->from_port) && list->nodes && !list->edges;
}

static CUresult finish(struct list *list, size_t *count) {
  for (size_t i = list->count; list->nodes && i < list->room; i++) {
    list->nodes[i] = NULL;
    if (list->others)
      list->others[i] = NULL;
  }
  *count = list->nodes && list->room < list->count ? list->room : list->count;
  return list->lossy ? CUDA_ERROR_LOSSY_QUERY : CUDA_SUCCESS;
}

static CUresult list_nodes(CUgraph handle, int only_roots, CUgraphNode *nodes, size_t *count) {
  struct cs_cpu_graph *graph;
  CUresult result = count ? cs_cpu_graph_of(handle, &graph) : CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS)
    return result;
  struct list list = {.nodes = nodes, .room = nodes ? *count : 0};
  for (size_t i = 0; i < graph->count; i++)
    if (!only_roots || !graph->nodes[i]->edge_count)
      put(&list, graph->nodes[i], NULL, NULL);
  return finish(&list, count);
}

CUresult cuGraphGetNodes(CUgraph handle, CUgraphNode *nodes, size_t *count) {
  return list_nodes(handle, 0, nodes, count);
}

CUresult cuGraphGetRootNodes(CUgraph handle, CUgraphNode *nodes, size_t *count) {
  return list_nodes(handle, 1, nodes, count);
}

CUresult cuGraphGetEdges_v2(CUgraph handle, CUgraphNode *from, CUgraphNode *to, CUgraphEdgeData *edges, size_t *count) {
  struct cs_cpu_graph *graph;
  CUresult result = count && !from == !to ? cs_cpu_graph_of(handle, &graph) : CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS)
    return result;
  struct list list = {.nodes = from, .others = to, .edges = edges, .room = from ? *count : 0};
  for (size_t i = 0; i < graph->count; i++)
    for (size_t e = 0; e < graph->nodes[i]->edge_count; e++)
      put(&list, graph->nodes[i]->edges[e].node, graph->nodes[i], &graph->nodes[i]->edges[e].data);
  return finish(&list, count);
}

CUresult cuGraphGetEdges(CUgraph graph, CUgraphNode *from, CUgraphNode *to, size_t *count) {
  return cuGraphGetEdges_v2(graph, from, to, NULL, count);
}

CUresult cuGraphNodeGetDependencies_v2(CUgraphNode handle, CUgraphNode *nodes, CUgraphEdgeData *edges, size_t *count) {
  struct cs_cpu_node *node;
  CUresult result = count ? cs_cpu_node_of(handle, &node) : CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS)
    return result;
  struct list list = {.nodes = nodes, .edges = edges, .room = nodes ? *count : 0};
  for (size_t e = 0; e < node->edge_count; e++)
    put(&list, node->edges[e].node, NULL, &node->edges[e].data);
  return finish(&list, count);
}

CUresult cuGraphNodeGetDependencies(CUgraphNode node, CUgraphNode *nodes, size_t *count) {
  return cuGraphNodeGetDependencies_v2(node, nodes, NULL, count);
}

CUresult cuGraphNodeGetDependentNodes_v2(CUgraphNode handle, CUgraphNode *nodes, CUgraphEdgeData *edges,
                                         size_t *count) {
  struct cs_cpu_node *node;
  CUresult result = count ? cs_cpu_node_of(handle, &node) : CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS)
    return result;
  struct list list = {.nodes = nodes, .edges = edges, .room = nodes ? *count : 0};
  for (size_t i = 0; i < node->graph->count; i++)
    for (size_t e = 0; e < node->graph->nodes[i]->edge_count; e++)
      if (node->graph->nodes[i]->edges[e].node == node)
        put(&list, node->graph->nodes[i], NULL, &node->graph->nodes[i]->edges[e].data);
  return finish(&list, count);
}

CUresult cuGraphNodeGetDependentNodes(CUgraphNode node, CUgraphNode *nodes, size_t *count) {
  return cuGraphNodeGetDependentNodes_v2(node, nodes, NULL, count);
}

static CUresult ends_of(CUgraph handle, CUgraphNode from, CUgraphNode to, struct cs_cpu_node **start,
                        struct cs_cpu_node **end) {
  struct cs_cpu_graph *graph;
  CUresult result = cs_cpu_graph_of(handle, &graph);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_node_of(from, start);
  if (result == CUDA_SUCCESS)
    result = cs_cpu_node_of(to, end);
  if (result != CUDA_SUCCESS)
    return result;
  return (*start)->graph == graph && (*end)->graph == graph ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cuGraphAddDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                   const CUgraphEdgeData *edges, size_t count) {
  if (count && (!from || !to))
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; i++) {
    struct cs_cpu_node *start, *end;
    CUresult result = ends_of(graph, from[i], to[i], &start, &end);
    if (result == CUDA_SUCCESS)
      result = cs_cpu_node_add_edge(end, start, edges ? &edges[i] : NULL);
    if (result != CUDA_SUCCESS)
      return result;
  }
  return CUDA_SUCCESS;
}

CUresult cuGraphAddDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count) {
  return cuGraphAddDependencies_v2(graph, from, to, NULL, count);
}

CUresult cuGraphRemoveDependencies_v2(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to,
                                      const CUgraphEdgeData *edges, size_t count) {
  (void)edges; /* two nodes have one edge at most */
  if (count && (!from || !to))
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; i++) {
    struct cs_cpu_node *start, *end;
    CUresult result = ends_of(graph, from[i], to[i], &start, &end);
    if (result == CUDA_SUCCESS)
      result = cs_cpu_node_remove_edge(end, start);
    if (result != CUDA_SUCCESS)
      return result;
  }
  return CUDA_SUCCESS;
}

CUresult cuGraphRemoveDependencies(CUgraph graph, const CUgraphNode *from, const CUgraphNode *to, size_t count) {
  return cuGraphRemoveDependencies_v2(graph, from, to, NULL, count);
}
