/* graph.h: a node's parameters as the driver describes them. */
#ifndef CUSAFE_CUDART_GRAPH_H
#define CUSAFE_CUDART_GRAPH_H

#include "cpu/cudart/runtime.h"

/* In the current context. Pointers are passed on; the driver copies what they point to. */
cudaError_t cs_cudart_node_to_driver(const struct cudaGraphNodeParams *params, CUgraphNodeParams *driver);

#endif
