/* capture_nodes.c: work for a capturing stream becomes nodes of the capture's graph instead of tasks. */
#include "cpu/cuda/graph/capture_nodes.h"
#include "cpu/cuda/base/node_set.h"
#include "cpu/cuda/graph/graph.h"
#include "cpu/cuda/graph/tree.h"
#include "cpu/cuda/work/capture.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/devices.h"

CUresult cs_cpu_capture_node(struct cs_cpu_stream *stream, CUgraphNodeParams *params, struct cs_cpu_node **node) {
  struct cs_cpu_capture *capture = stream->capture;
  CUresult result = cs_cpu_graph_add(capture->graph, stream->tail.nodes, NULL, stream->tail.count, params, node);
  if (result == CUDA_SUCCESS) {
    stream->tail.count = 0;
    result = cs_cpu_node_set_add(&stream->tail, *node) == 0 ? CUDA_SUCCESS : CUDA_ERROR_OUT_OF_MEMORY;
  }
  if (result != CUDA_SUCCESS)
    cs_cpu_capture_invalidate(capture);
  return result;
}

CUresult cs_cpu_capture_copy(struct cs_cpu_stream *stream, const CUDA_MEMCPY3D *copy) {
  struct cs_cpu_node *node;
  CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_MEMCPY,
                              .memcpy = {.copyCtx = (CUcontext)stream->context, .copyParams = *copy}};
  return cs_cpu_capture_node(stream, &params, &node);
}

CUresult cs_cpu_capture_allocate(struct cs_cpu_stream *stream, struct cs_cpu_device *device, size_t size,
                                 CUdeviceptr *out) {
  struct cs_cpu_node *node;
  CUgraphNodeParams params = {
      .type = CU_GRAPH_NODE_TYPE_MEM_ALLOC,
      .alloc = {.poolProps = {.allocType = CU_MEM_ALLOCATION_TYPE_PINNED,
                              .location = {.type = CU_MEM_LOCATION_TYPE_DEVICE, .id = device->ordinal}},
                .bytesize = size}};
  CUresult result = cs_cpu_capture_node(stream, &params, &node);
  if (result == CUDA_SUCCESS)
    *out = params.alloc.dptr;
  return result;
}

CUresult cs_cpu_capture_free(struct cs_cpu_stream *stream, CUdeviceptr address) {
  struct cs_cpu_node *node;
  CUgraphNodeParams params = {.type = CU_GRAPH_NODE_TYPE_MEM_FREE, .free = {.dptr = address}};
  return cs_cpu_capture_node(stream, &params, &node);
}

static int is_reached(const struct cs_cpu_stream *stream) {
  for (size_t i = 0; i < stream->tail.count; i++)
    if (!stream->tail.nodes[i]->index)
      return 0;
  return 1;
}

/* Sets index to 1 in all nodes that the origin's tail depends on; nodes follow their dependencies in the list, so one
 * pass from the end is enough. */
static void reach(const struct cs_cpu_capture *capture) {
  struct cs_cpu_graph *graph = capture->graph;
  for (size_t i = 0; i < graph->count; i++)
    graph->nodes[i]->index = 0;
  for (size_t i = 0; i < capture->origin->tail.count; i++)
    capture->origin->tail.nodes[i]->index = 1;
  for (size_t i = graph->count; i-- > 0;)
    for (size_t e = 0; graph->nodes[i]->index && e < graph->nodes[i]->edge_count; e++)
      graph->nodes[i]->edges[e].node->index = 1;
}

static int has_joined(const struct cs_cpu_stream *stream) {
  reach(stream->capture);
  return is_reached(stream);
}

int cs_cpu_capture_all_joined(const struct cs_cpu_capture *capture) {
  reach(capture);
  for (size_t i = 0; i < capture->count; i++)
    if (!is_reached(capture->streams[i]))
      return 0;
  return 1;
}

void cs_cpu_capture_leave(struct cs_cpu_stream *stream) {
  struct cs_cpu_capture *capture = stream->capture;
  if (!capture)
    return;
  if (capture->origin == stream || !has_joined(stream))
    cs_cpu_capture_invalidate(capture);
  if (!cs_cpu_capture_withdraw(stream))
    return;
  if (capture->own_graph)
    cs_cpu_graph_delete(capture->graph);
  cs_cpu_capture_end(capture);
}
