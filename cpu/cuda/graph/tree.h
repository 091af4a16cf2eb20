/* tree.h: graphs and the nodes in them, which may be graphs again: adding, copying, deleting. */
#ifndef CUSAFE_CPU_TREE_H
#define CUSAFE_CPU_TREE_H

#include <cuda.h>
#include <stddef.h>

struct cs_cpu_graph;
struct cs_cpu_node;

/* Adds a node. params is written to where CUDA documents it (the address of allocated memory). */
CUresult cs_cpu_graph_add(struct cs_cpu_graph *graph, struct cs_cpu_node *const *dependencies,
                          const CUgraphEdgeData *edges, size_t count, CUgraphNodeParams *params,
                          struct cs_cpu_node **out);
CUresult cs_cpu_graph_copy(const struct cs_cpu_graph *from, struct cs_cpu_graph **out);
void cs_cpu_graph_delete(struct cs_cpu_graph *graph);

CUresult cs_cpu_node_assign(struct cs_cpu_node *node, CUgraphNodeParams *params);
/* Copies parameters, child graph and attributes of another node of the same type, which may belong to another graph. */
CUresult cs_cpu_node_copy(struct cs_cpu_node *to, const struct cs_cpu_node *from);
/* Deletes a node that is in no graph's list. */
void cs_cpu_node_delete(struct cs_cpu_node *node);

#endif
