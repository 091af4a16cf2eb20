/* node_set.h: a set of graph nodes that later nodes depend on. */
#ifndef CUSAFE_CPU_NODE_SET_H
#define CUSAFE_CPU_NODE_SET_H

#include <cuda.h>
#include <stddef.h>

struct cs_cpu_node;

/* The edges are all plain; queries return them. */
struct cs_cpu_node_set {
  struct cs_cpu_node **nodes;
  CUgraphEdgeData *edges;
  size_t count, room;
};

/* 0, or -1 when out of memory. A node is in the set once. */
int cs_cpu_node_set_add(struct cs_cpu_node_set *set, struct cs_cpu_node *node);
int cs_cpu_node_set_add_all(struct cs_cpu_node_set *set, const struct cs_cpu_node_set *more);
void cs_cpu_node_set_remove(struct cs_cpu_node_set *set, const struct cs_cpu_node *node);
void cs_cpu_node_set_clear(struct cs_cpu_node_set *set);

#endif
