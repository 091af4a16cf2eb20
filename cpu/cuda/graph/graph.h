/* graph.h: graphs as data: nodes, edges, order.
 *
 * A node keeps its parameters in CUDA's own structure, CUgraphNodeParams; every way to give a node parameters (the
 * calls for each kind, cuGraphAddNode, capture, updates of executable graphs) ends in cs_cpu_node_assign. An executable
 * graph is a copy of the graph, sorted. Graphs are not thread safe, as documented, so there are no locks. */
#ifndef CUSAFE_CPU_GRAPH_H
#define CUSAFE_CPU_GRAPH_H

#include <cuda.h>
#include <stddef.h>
#include <stdint.h>

struct cs_cpu_function;
struct cs_cpu_graph;
struct cs_cpu_node;

struct cs_cpu_edge {
  struct cs_cpu_node *node;
  CUgraphEdgeData data; /* kept for queries; every edge is a full dependency here */
};

struct cs_cpu_node {
  uint32_t magic;
  CUgraphNodeParams params; /* what it points to belongs to the node */
  struct cs_cpu_graph *graph;
  unsigned long long id, original; /* original: the node that this is a copy of */
  struct cs_cpu_edge *edges;       /* what it depends on */
  size_t edge_count, edge_room;
  int disabled;
  size_t index; /* in graph->nodes; only valid while sorting */
  /* Kernels. */
  struct cs_cpu_function *function;
  char *packed;
  void **pointers;                    /* into packed, for queries */
  CUlaunchAttributeValue *attributes; /* attribute.c's; NULL until one is set */
  struct cs_cpu_graph *child;         /* child graphs */
};

struct cs_cpu_user_reference {
  CUuserObject object;
  unsigned count;
};

struct cs_cpu_graph {
  uint32_t magic;
  unsigned long long id, original;
  struct cs_cpu_node **nodes; /* in the order of creation, so by id */
  size_t count, room;
  struct cs_cpu_node **order; /* executable graphs: each node after those it depends on */
  struct cs_cpu_node *parent; /* the node that this is the child graph of, or NULL */
  int instances;              /* live executable graphs, when there are memory nodes */
  struct cs_cpu_user_reference *objects;
  size_t object_count;
};

/* A graph without nodes. NULL when out of memory. */
struct cs_cpu_graph *cs_cpu_graph_new(void);
CUresult cs_cpu_graph_of(CUgraph handle, struct cs_cpu_graph **graph);
CUresult cs_cpu_node_of(CUgraphNode handle, struct cs_cpu_node **node);
CUresult cs_cpu_node_of_type(CUgraphNode handle, CUgraphNodeType type, struct cs_cpu_node **node);

/* Appends a node without parameters. NULL when out of memory. */
struct cs_cpu_node *cs_cpu_graph_append(struct cs_cpu_graph *graph);
CUresult cs_cpu_node_add_edge(struct cs_cpu_node *node, struct cs_cpu_node *dependency, const CUgraphEdgeData *data);
CUresult cs_cpu_node_remove_edge(struct cs_cpu_node *node, const struct cs_cpu_node *dependency);

/* Fills graph->order, and that of child graphs. CUDA_ERROR_INVALID_VALUE when there is a cycle. */
CUresult cs_cpu_graph_sort(struct cs_cpu_graph *graph);
int cs_cpu_graph_has_memory(const struct cs_cpu_graph *graph);
/* The copy of the node in the graph or its child graphs, or NULL. */
struct cs_cpu_node *cs_cpu_graph_find(const struct cs_cpu_graph *graph, unsigned long long original);

#endif
