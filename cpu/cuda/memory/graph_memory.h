/* graph_memory.h: memory that graphs allocate and free. */
#ifndef CUSAFE_CPU_GRAPH_MEMORY_H
#define CUSAFE_CPU_GRAPH_MEMORY_H

#include <cuda.h>

struct cs_cpu_allocation;

CUresult cs_cpu_graph_memory_allocate(CUDA_MEM_ALLOC_NODE_PARAMS_v2 *params);
/* Another graph holds the address; one no longer does. */
void cs_cpu_graph_memory_hold(CUdeviceptr address);
void cs_cpu_graph_memory_let_go(CUdeviceptr address);
/* A launch allocates (live) or frees. CUDA_ERROR_INVALID_VALUE when the memory is in that state already. */
CUresult cs_cpu_graph_memory_set_live(CUdeviceptr address, int live);
int cs_cpu_graph_memory_is(CUdeviceptr address);
int cs_cpu_graph_memory_is_live(CUdeviceptr address);
/* The program frees memory of a graph, which is released when the last graph that holds it ends. Under
 * cs_cpu_memory_lock(): 1 when a graph still holds it, 0 when the caller is to release it now. */
int cs_cpu_graph_memory_free(struct cs_cpu_allocation *allocation);

#endif
