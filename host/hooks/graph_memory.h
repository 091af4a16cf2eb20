/* graph_memory.h: nodes that allocate and free memory: the program sees the heap's address, the driver a byte of its
 * own. */
#ifndef CUSAFE_HOST_HOOKS_GRAPH_MEMORY_H
#define CUSAFE_HOST_HOOKS_GRAPH_MEMORY_H

#include "host/process/graph_memory.h"

/* Before a node that allocates is added: a buffer for it, and then the driver's node has one byte. NULL: the driver
 * serves the node, which is not checked. */
struct cs_host_graph_buffer *cs_host_node_allocates(const CUmemPoolProps *properties, size_t *bytes);
struct cs_host_graph_buffer *cs_host_capture_allocates(int device, size_t *bytes);
/* After it was added, or not: replaces the driver's address. Returns result. */
CUresult cs_host_node_allocated(CUresult result, struct cs_host_graph_buffer *buffer, CUdeviceptr *address);

/* Before a node that frees is added: replaces the program's address. After it was added: remembers this call. */
struct cs_host_graph_buffer *cs_host_node_frees(CUdeviceptr *address);
CUresult cs_host_node_freed(CUresult result, struct cs_host_graph_buffer *buffer);

#endif
