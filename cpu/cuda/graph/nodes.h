/* nodes.h: what differs between the kinds of nodes, except child graphs (tree.c). */
#ifndef CUSAFE_CPU_NODES_H
#define CUSAFE_CPU_NODES_H

#include <cuda.h>

struct cs_cpu_node;

struct cs_cpu_node_kind {
  CUresult (*assign)(struct cs_cpu_node *, CUgraphNodeParams *); /* leaves the node unchanged when it fails */
  CUresult (*copy)(struct cs_cpu_node *, const struct cs_cpu_node *);
  void (*drop)(struct cs_cpu_node *); /* NULL: nothing to release */
};

/* NULL for kinds that are not here. */
const struct cs_cpu_node_kind *cs_cpu_node_kind(CUgraphNodeType type);

#endif
