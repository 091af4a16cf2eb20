/* graph.h: graphs as the files of the driver see them.
 *
 * A node keeps its parameters in CUDA's own structure, CUgraphNodeParams; every way to give a node parameters (the calls for
 * each kind, cuGraphAddNode, capture, updates of executable graphs) ends in cs_cpu_node_assign. An executable graph is a copy
 * of the graph, sorted. Graphs are not thread safe, as documented, so there are no locks. */
#ifndef CUSAFE_CPU_GRAPH_H
#define CUSAFE_CPU_GRAPH_H

#include "cpu/cuda/internal.h"

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
  struct cs_cpu_node **nodes; /* in the order in which they were made, so by id */
  size_t count, room;
  struct cs_cpu_node **order; /* executable graphs: so that each comes after what it depends on */
  struct cs_cpu_node *parent; /* the node that this is the child graph of, or NULL */
  int instances;              /* executable graphs that live, when there are memory nodes */
  struct cs_cpu_user_reference *objects;
  size_t object_count;
};

struct cs_cpu_exec {
  uint32_t magic;
  struct cs_cpu_graph *graph;  /* its own copy */
  struct cs_cpu_graph *source; /* while it counts in source->instances, else NULL */
  unsigned long long source_id;
  unsigned long long flags;
};

/* --- graph.c --- */
struct cs_cpu_graph *cs_cpu_graph_new(void);
void cs_cpu_graph_delete(struct cs_cpu_graph *graph);
CUresult cs_cpu_graph_of(CUgraph handle, struct cs_cpu_graph **graph);
CUresult cs_cpu_node_of(CUgraphNode handle, struct cs_cpu_node **node);
CUresult cs_cpu_node_of_type(CUgraphNode handle, CUgraphNodeType type, struct cs_cpu_node **node);
/* Adds a node. params is written to where CUDA says so (the address of allocated memory). */
CUresult cs_cpu_graph_add(struct cs_cpu_graph *graph, struct cs_cpu_node *const *dependencies,
                          const CUgraphEdgeData *edges, size_t count, CUgraphNodeParams *params,
                          struct cs_cpu_node **out);
CUresult cs_cpu_node_add_edge(struct cs_cpu_node *node, struct cs_cpu_node *dependency, const CUgraphEdgeData *data);
CUresult cs_cpu_node_remove_edge(struct cs_cpu_node *node, const struct cs_cpu_node *dependency);
CUresult cs_cpu_graph_copy(const struct cs_cpu_graph *from, struct cs_cpu_graph **out);
/* Fills graph->order, also of child graphs. CUDA_ERROR_INVALID_VALUE when there is a cycle. */
CUresult cs_cpu_graph_sort(struct cs_cpu_graph *graph);
int cs_cpu_graph_has_memory(const struct cs_cpu_graph *graph);
/* The copy of the node in the graph or its child graphs, or NULL. */
struct cs_cpu_node *cs_cpu_graph_find(const struct cs_cpu_graph *graph, unsigned long long original);

/* --- graph_nodes.c: what differs between the kinds of nodes --- */
CUresult cs_cpu_node_assign(struct cs_cpu_node *node, CUgraphNodeParams *params);
/* Parameters, child graph and the like of another node of the same type, which may belong to another graph. */
CUresult cs_cpu_node_copy(struct cs_cpu_node *to, const struct cs_cpu_node *from);
void cs_cpu_node_drop(struct cs_cpu_node *node);

/* --- graph_memory.c --- */
CUresult cs_cpu_graph_allocate(CUDA_MEM_ALLOC_NODE_PARAMS_v2 *params);
void cs_cpu_graph_hold(CUdeviceptr address);
void cs_cpu_graph_let_go(CUdeviceptr address);
/* A launch allocates or frees; refused when it is allocated, or not, already. */
CUresult cs_cpu_graph_memory_live(CUdeviceptr address, int live);
int cs_cpu_graph_memory_is(CUdeviceptr address);
int cs_cpu_graph_memory_is_live(CUdeviceptr address);

/* --- user_object.c --- */
CUresult cs_cpu_user_objects_copy(struct cs_cpu_graph *to, const struct cs_cpu_graph *from);
void cs_cpu_user_objects_drop(struct cs_cpu_graph *graph);

/* --- capture.c --- */
int cs_cpu_nodes_add(struct cs_cpu_node_set *set, struct cs_cpu_node *node);
/* The stream's next node. */
CUresult cs_cpu_capture_node(struct cs_cpu_stream *stream, CUgraphNodeParams *params, struct cs_cpu_node **node);
CUresult cs_cpu_capture_copy(struct cs_cpu_stream *stream, const CUDA_MEMCPY3D *copy);
CUresult cs_cpu_capture_allocate(struct cs_cpu_stream *stream, struct cs_cpu_device *device, size_t size,
                                 CUdeviceptr *out);
CUresult cs_cpu_capture_free(struct cs_cpu_stream *stream, CUdeviceptr address);
/* A node was destroyed: no stream that captures may name it any more. */
void cs_cpu_capture_forget(struct cs_cpu_node *node);

/* --- attribute.c: launch attributes of streams and kernel nodes --- */
CUresult cs_cpu_attribute_set(CUlaunchAttributeValue **values, CUlaunchAttributeID id,
                              const CUlaunchAttributeValue *value);
CUresult cs_cpu_attribute_get(CUlaunchAttributeValue *const *values, CUlaunchAttributeID id,
                              CUlaunchAttributeValue *value);
CUresult cs_cpu_attributes_copy(CUlaunchAttributeValue **to, CUlaunchAttributeValue *const *from);

#endif
