/* dot.c: prints a graph in Graphviz's language. */
#include "cpu/cuda/code/build.h"
#include "cpu/cuda/graph/graph.h"
#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

static void print_label(FILE *file, const struct cs_cpu_node *node, unsigned flags) {
  const CUgraphNodeParams *p = &node->params;
  int all = (flags & CU_GRAPH_DEBUG_DOT_FLAGS_VERBOSE) != 0;
  switch (p->type) {
  case CU_GRAPH_NODE_TYPE_KERNEL:
    fprintf(file, "KERNEL\\n%s", node->function->name);
    if (all || (flags & CU_GRAPH_DEBUG_DOT_FLAGS_KERNEL_NODE_PARAMS))
      fprintf(file, "\\n<<<(%u,%u,%u),(%u,%u,%u),%u>>>", p->kernel.gridDimX, p->kernel.gridDimY, p->kernel.gridDimZ,
              p->kernel.blockDimX, p->kernel.blockDimY, p->kernel.blockDimZ, p->kernel.sharedMemBytes);
    break;
  case CU_GRAPH_NODE_TYPE_MEMCPY:
    fprintf(file, "MEMCPY");
    if (all || (flags & CU_GRAPH_DEBUG_DOT_FLAGS_MEMCPY_NODE_PARAMS))
      fprintf(file, "\\n%zu x %zu x %zu", p->memcpy.copyParams.WidthInBytes, p->memcpy.copyParams.Height,
              p->memcpy.copyParams.Depth);
    break;
  case CU_GRAPH_NODE_TYPE_MEMSET:
    fprintf(file, "MEMSET");
    if (all || (flags & CU_GRAPH_DEBUG_DOT_FLAGS_MEMSET_NODE_PARAMS))
      fprintf(file, "\\n0x%llx = %u, %zu x %zu elements of %u", p->memset.dst, p->memset.value, p->memset.width,
              p->memset.height, p->memset.elementSize);
    break;
  case CU_GRAPH_NODE_TYPE_MEM_ALLOC:
    fprintf(file, "MEM_ALLOC\\n%zu bytes", p->alloc.bytesize);
    break;
  default: {
    static const char *const names[] = {[CU_GRAPH_NODE_TYPE_HOST] = "HOST",
                                        [CU_GRAPH_NODE_TYPE_GRAPH] = "GRAPH",
                                        [CU_GRAPH_NODE_TYPE_EMPTY] = "EMPTY",
                                        [CU_GRAPH_NODE_TYPE_WAIT_EVENT] = "EVENT_WAIT",
                                        [CU_GRAPH_NODE_TYPE_EVENT_RECORD] = "EVENT_RECORD",
                                        [CU_GRAPH_NODE_TYPE_MEM_FREE] = "MEM_FREE"};
    fprintf(file, "%s", names[p->type]);
  }
  }
  if (all || (flags & CU_GRAPH_DEBUG_DOT_FLAGS_HANDLES))
    fprintf(file, "\\n0x%" PRIxPTR, (uintptr_t)node);
}

static void print_graph(FILE *file, const struct cs_cpu_graph *graph, unsigned flags) {
  fprintf(file, "subgraph cluster_%llu {\nlabel=\"graph_%llu\" graph[style=\"dashed\"];\n", graph->id, graph->id);
  for (size_t i = 0; i < graph->count; i++) {
    const struct cs_cpu_node *node = graph->nodes[i];
    fprintf(file, "\"node_%llu\"[style=\"bold\" shape=\"rectangle\" label=\"", node->id);
    print_label(file, node, flags);
    fprintf(file, "\"];\n");
    if (node->child)
      print_graph(file, node->child, flags);
  }
  for (size_t i = 0; i < graph->count; i++)
    for (size_t e = 0; e < graph->nodes[i]->edge_count; e++)
      fprintf(file, "\"node_%llu\" -> \"node_%llu\";\n", graph->nodes[i]->edges[e].node->id, graph->nodes[i]->id);
  fprintf(file, "}\n");
}

CUresult cuGraphDebugDotPrint(CUgraph handle, const char *path, unsigned int flags) {
  struct cs_cpu_graph *graph;
  CUresult result = path ? cs_cpu_graph_of(handle, &graph) : CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS)
    return result;
  FILE *file = fopen(path, "w");
  if (!file)
    return CUDA_ERROR_OPERATING_SYSTEM;
  fprintf(file, "digraph dot {\n");
  print_graph(file, graph, flags);
  fprintf(file, "}\n");
  return fclose(file) == 0 ? CUDA_SUCCESS : CUDA_ERROR_OPERATING_SYSTEM;
}
