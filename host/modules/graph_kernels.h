/* graph_kernels.h: the kernels of graphs, and where their nodes were captured or added. Any thread. */
#ifndef CUSAFE_HOST_MODULES_GRAPH_KERNELS_H
#define CUSAFE_HOST_MODULES_GRAPH_KERNELS_H

#include "cusafe/layout.h"

/* A launch of this kernel (its name is kept, see names.h) was captured in this graph, or added as its node. */
void cs_host_graph_node_added(const void *graph, const char *kernel, cs_u32 stack);
/* The graph is gone; the driver may use its handle again. */
void cs_host_graph_nodes_forget(const void *graph);

/* The kernels of an executable graph: an immutable list once it is complete, which launches hold. */
struct cs_host_graph_kernels;
struct cs_host_graph_kernel {
  cs_u64 owner; /* number of the module or library; 0: unknown */
  const char *name;
  const void *graph; /* whose node it is: a handle that is only compared */
  cs_u32 stack;      /* of its node; 0: unknown. A kernel with several nodes has an entry for each place */
};
/* Adds the kernel of a node of this graph to the list, which is made if it is NULL. Out of memory, the kernel is
 * missing. */
void cs_host_graph_kernels_add(struct cs_host_graph_kernels **list, const void *graph, cs_u64 owner, const char *name);
/* The entry after this one (NULL: the first); NULL at the end, and of the list NULL. */
const struct cs_host_graph_kernel *cs_host_graph_kernels_next(const struct cs_host_graph_kernels *list,
                                                              const struct cs_host_graph_kernel *after);
/* Returns the list. */
struct cs_host_graph_kernels *cs_host_graph_kernels_hold(struct cs_host_graph_kernels *list);
void cs_host_graph_kernels_release(struct cs_host_graph_kernels *list);

#endif
