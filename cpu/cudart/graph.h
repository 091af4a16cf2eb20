/* graph.h: how a node's parameters are said to the driver and back. */
#ifndef CUSAFE_CUDART_GRAPH_H
#define CUSAFE_CUDART_GRAPH_H

#include "cpu/cudart/runtime.h"

/* Into the driver's words, in the current context. What is pointed to is not copied: the driver does that. */
cudaError_t cs_cudart_node_to_driver(const struct cudaGraphNodeParams *params, CUgraphNodeParams *driver);

#endif
