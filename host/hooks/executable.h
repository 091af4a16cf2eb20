/* executable.h: the copies and fills of executable graphs, so that a launch finds those whose buffer was freed since.
 * Any thread; calls for one graph must not overlap, as CUDA requires. */
#ifndef CUSAFE_HOST_HOOKS_EXECUTABLE_H
#define CUSAFE_HOST_HOOKS_EXECUTABLE_H

#include "host/hooks/copy.h"

/* An executable graph was instantiated from this graph, or updated to it. */
void cs_host_executable_made(CUgraphExec handle, CUgraph graph);
void cs_host_executable_updated(CUgraphExec handle, CUgraph graph);

/* Its child graph was replaced: its copies and fills are no longer known. */
void cs_host_executable_child_set(CUgraphExec handle, CUgraph child);

/* Its node copies or fills this memory now; its node is enabled or disabled. */
void cs_host_executable_changed(CUgraphExec handle, CUgraphNode node, const struct cs_host_span spans[2]);
void cs_host_executable_enabled(CUgraphExec handle, CUgraphNode node, int enabled);

/* Around the call that destroys it, and so gives its handle back to the driver: another thread may get it before the
 * call has returned. */
struct cs_host_executable *cs_host_executable_take(CUgraphExec handle);
void cs_host_executable_end(struct cs_host_executable *taken, int destroyed);

/* Its kernels, for cs_host_graph_launched(); NULL if they are not known. */
struct cs_host_graph_kernels *cs_host_executable_kernels(CUgraphExec handle);
/* How many nodes of kernels it has, as far as they are known. */
size_t cs_host_executable_kernel_nodes(CUgraphExec handle);

/* Before a launch: reports a copy or fill of a freed buffer. Inspects nothing while no buffer is freed. Returns 0 when
 * the graph is to be launched, otherwise the error to return instead. */
CUresult cs_host_executable_refused(CUgraphExec handle, const char *call);

/* Around a launch in a stream that is not captured: memory that the graph allocates and frees. The first returns the
 * error with which the launch fails, or 0. */
CUresult cs_host_executable_launching(CUgraphExec handle, CUstream stream);
void cs_host_executable_launched(CUgraphExec handle, CUstream stream, CUresult result);

/* The buffers that a graph's nodes allocate, before it is destroyed; NULL if there are none. Releasing them: whether
 * the graph no longer holds them. */
struct cs_host_graph_memory;
struct cs_host_graph_memory *cs_host_graph_memory_read(CUgraph graph);
void cs_host_graph_memory_release(struct cs_host_graph_memory *memory, int destroyed);

#endif
