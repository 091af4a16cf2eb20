/* graph.c: graphs, their nodes and edges as data: growing, finding, sorting. */
#include "cpu/cuda/graph/graph.h"
#include "cpu/cuda/base/objects.h"
#include "cpu/cuda/work/devices.h"
#include <stdlib.h>
#include <string.h>

struct cs_cpu_graph *cs_cpu_graph_new(void) {
  struct cs_cpu_graph *graph = cs_cpu_object_new(CS_CPU_GRAPH, sizeof *graph);
  if (graph)
    graph->id = cs_cpu_next_id();
  return graph;
}

CUresult cs_cpu_graph_of(CUgraph handle, struct cs_cpu_graph **graph) {
  *graph = (struct cs_cpu_graph *)handle;
  return cs_cpu_check_handle(handle, CS_CPU_GRAPH, CUDA_ERROR_INVALID_VALUE);
}

CUresult cs_cpu_node_of(CUgraphNode handle, struct cs_cpu_node **node) {
  *node = (struct cs_cpu_node *)handle;
  return cs_cpu_check_handle(handle, CS_CPU_NODE, CUDA_ERROR_INVALID_VALUE);
}

CUresult cs_cpu_node_of_type(CUgraphNode handle, CUgraphNodeType type, struct cs_cpu_node **node) {
  CUresult result = cs_cpu_node_of(handle, node);
  return result == CUDA_SUCCESS && (*node)->params.type != type ? CUDA_ERROR_INVALID_VALUE : result;
}

/* --- growing --- */

/* Grows an array of pointers or edges for one more; -1 when out of memory. */
static int grow(void **array, size_t count, size_t *room, size_t element) {
  if (count < *room)
    return 0;
  size_t wanted = *room ? *room * 2 : 4;
  void *more = realloc(*array, wanted * element);
  if (!more)
    return -1;
  *array = more;
  *room = wanted;
  return 0;
}

static struct cs_cpu_edge *find_edge(const struct cs_cpu_node *node, const struct cs_cpu_node *dependency) {
  for (size_t i = 0; i < node->edge_count; i++)
    if (node->edges[i].node == dependency)
      return &node->edges[i];
  return NULL;
}

CUresult cs_cpu_node_add_edge(struct cs_cpu_node *node, struct cs_cpu_node *dependency, const CUgraphEdgeData *data) {
  if (dependency->graph != node->graph || dependency == node || find_edge(node, dependency))
    return CUDA_ERROR_INVALID_VALUE;
  if (grow((void **)&node->edges, node->edge_count, &node->edge_room, sizeof *node->edges) != 0)
    return CUDA_ERROR_OUT_OF_MEMORY;
  struct cs_cpu_edge *edge = &node->edges[node->edge_count++];
  *edge = (struct cs_cpu_edge){.node = dependency};
  if (data)
    edge->data = *data;
  return CUDA_SUCCESS;
}

CUresult cs_cpu_node_remove_edge(struct cs_cpu_node *node, const struct cs_cpu_node *dependency) {
  struct cs_cpu_edge *edge = find_edge(node, dependency);
  if (!edge)
    return CUDA_ERROR_INVALID_VALUE;
  size_t after = node->edge_count - (size_t)(edge - node->edges) - 1;
  memmove(edge, edge + 1, after * sizeof *edge);
  node->edge_count--;
  return CUDA_SUCCESS;
}

struct cs_cpu_node *cs_cpu_graph_append(struct cs_cpu_graph *graph) {
  if (grow((void **)&graph->nodes, graph->count, &graph->room, sizeof *graph->nodes) != 0)
    return NULL;
  struct cs_cpu_node *node = cs_cpu_object_new(CS_CPU_NODE, sizeof *node);
  if (!node)
    return NULL;
  node->graph = graph;
  node->id = cs_cpu_next_id();
  node->params.type = CU_GRAPH_NODE_TYPE_EMPTY;
  graph->nodes[graph->count++] = node;
  return node;
}

struct cs_cpu_node *cs_cpu_graph_find(const struct cs_cpu_graph *graph, unsigned long long original) {
  size_t low = 0, high = graph->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (graph->nodes[middle]->original < original)
      low = middle + 1;
    else
      high = middle;
  }
  if (low < graph->count && graph->nodes[low]->original == original)
    return graph->nodes[low];
  for (size_t i = 0; i < graph->count; i++) {
    struct cs_cpu_node *found = graph->nodes[i]->child ? cs_cpu_graph_find(graph->nodes[i]->child, original) : NULL;
    if (found)
      return found;
  }
  return NULL;
}

int cs_cpu_graph_has_memory(const struct cs_cpu_graph *graph) {
  for (size_t i = 0; i < graph->count; i++) {
    CUgraphNodeType type = graph->nodes[i]->params.type;
    if (type == CU_GRAPH_NODE_TYPE_MEM_ALLOC || type == CU_GRAPH_NODE_TYPE_MEM_FREE ||
        (graph->nodes[i]->child && cs_cpu_graph_has_memory(graph->nodes[i]->child)))
      return 1;
  }
  return 0;
}

/* --- sorting --- */

/* The dependents of all nodes in one list; those of node i from first[i] to first[i + 1]. */
struct dependents {
  size_t *first;   /* count + 1 */
  size_t *missing; /* dependencies not yet in the order */
  size_t *list;
};

static void list_dependents(const struct cs_cpu_graph *graph, struct dependents *d) {
  for (size_t i = 0; i < graph->count; i++)
    for (size_t e = 0; e < graph->nodes[i]->edge_count; e++)
      d->first[graph->nodes[i]->edges[e].node->index + 1]++;
  for (size_t i = 0; i < graph->count; i++)
    d->first[i + 1] += d->first[i];
  for (size_t i = 0; i < graph->count; i++) /* missing counts the entries listed so far, for now */
    for (size_t e = 0; e < graph->nodes[i]->edge_count; e++) {
      size_t from = graph->nodes[i]->edges[e].node->index;
      d->list[d->first[from] + d->missing[from]++] = i;
    }
  for (size_t i = 0; i < graph->count; i++)
    d->missing[i] = graph->nodes[i]->edge_count;
}

static CUresult order_nodes(struct cs_cpu_graph *graph, struct dependents *d) {
  size_t done = 0, ordered = 0;
  for (size_t i = 0; i < graph->count; i++)
    if (!d->missing[i])
      graph->order[ordered++] = graph->nodes[i];
  for (; done < ordered; done++) {
    size_t from = graph->order[done]->index;
    for (size_t k = d->first[from]; k < d->first[from + 1]; k++)
      if (--d->missing[d->list[k]] == 0)
        graph->order[ordered++] = graph->nodes[d->list[k]];
  }
  return ordered == graph->count ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
}

CUresult cs_cpu_graph_sort(struct cs_cpu_graph *graph) {
  size_t edges = 0;
  for (size_t i = 0; i < graph->count; i++) {
    graph->nodes[i]->index = i;
    edges += graph->nodes[i]->edge_count;
    CUresult result = graph->nodes[i]->child ? cs_cpu_graph_sort(graph->nodes[i]->child) : CUDA_SUCCESS;
    if (result != CUDA_SUCCESS)
      return result;
  }
  free(graph->order);
  graph->order = malloc((graph->count + 1) * sizeof *graph->order);
  struct dependents d = {.first = calloc(graph->count + 1, sizeof *d.first),
                         .missing = calloc(graph->count + 1, sizeof *d.missing),
                         .list = malloc((edges + 1) * sizeof *d.list)};
  CUresult result = CUDA_ERROR_OUT_OF_MEMORY;
  if (graph->order && d.first && d.missing && d.list) {
    list_dependents(graph, &d);
    result = order_nodes(graph, &d);
  }
  free(d.first);
  free(d.missing);
  free(d.list);
  return result;
}
