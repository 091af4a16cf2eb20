/* capture_calls.c: the calls that begin, end and query a stream capture. */
#include "cpu/cuda/base/node_set.h"
#include "cpu/cuda/base/objects.h"
#include "cpu/cuda/graph/capture_nodes.h"
#include "cpu/cuda/graph/graph.h"
#include "cpu/cuda/graph/tree.h"
#include "cpu/cuda/work/capture.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/stream.h"
#include <pthread.h>
#include <stdatomic.h>
#include <stdlib.h>

static CUresult begin(struct cs_cpu_stream *stream, struct cs_cpu_graph *graph, CUstreamCaptureMode mode) {
  struct cs_cpu_capture *capture = calloc(1, sizeof *capture);
  if (!capture)
    return CUDA_ERROR_OUT_OF_MEMORY;
  capture->own_graph = !graph;
  capture->graph = graph ? graph : cs_cpu_graph_new();
  if (!capture->graph || cs_cpu_capture_enlist(capture, stream) != CUDA_SUCCESS) {
    if (capture->own_graph)
      cs_cpu_graph_delete(capture->graph);
    free(capture);
    return CUDA_ERROR_OUT_OF_MEMORY;
  }
  capture->id = cs_cpu_next_id();
  capture->mode = mode;
  capture->origin = stream;
  capture->thread = pthread_self();
  cs_cpu_capture_publish(capture);
  return CUDA_SUCCESS;
}

static CUresult check_begin(CUstream handle, CUstreamCaptureMode mode, struct cs_cpu_stream **stream) {
  CUresult result = cs_cpu_enter_stream(handle, NULL, stream);
  if (result != CUDA_SUCCESS)
    return result;
  if (mode > CU_STREAM_CAPTURE_MODE_RELAXED)
    return CUDA_ERROR_INVALID_VALUE;
  if (*stream == &(*stream)->context->legacy)
    return CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
  return (*stream)->capture ? CUDA_ERROR_ILLEGAL_STATE : CUDA_SUCCESS;
}

CUresult cuStreamBeginCapture_v2(CUstream handle, CUstreamCaptureMode mode) {
  struct cs_cpu_stream *stream;
  CUresult result = check_begin(handle, mode, &stream);
  return result == CUDA_SUCCESS ? begin(stream, NULL, mode) : result;
}

CUresult cuStreamBeginCapture(CUstream stream) {
  return cuStreamBeginCapture_v2(stream, CU_STREAM_CAPTURE_MODE_GLOBAL);
}

CUresult cuStreamBeginCaptureToGraph(CUstream handle, CUgraph graph_handle, const CUgraphNode *dependencies,
                                     const CUgraphEdgeData *edges, size_t count, CUstreamCaptureMode mode) {
  (void)edges; /* every edge is a full dependency here */
  struct cs_cpu_stream *stream;
  struct cs_cpu_graph *graph;
  CUresult result = check_begin(handle, mode, &stream);
  if (result == CUDA_SUCCESS)
    result = count && !dependencies ? CUDA_ERROR_INVALID_VALUE : cs_cpu_graph_of(graph_handle, &graph);
  if (result == CUDA_SUCCESS)
    result = begin(stream, graph, mode);
  for (size_t i = 0; i < count && result == CUDA_SUCCESS; i++) {
    struct cs_cpu_node *node;
    result = cs_cpu_node_of(dependencies[i], &node);
    if (result == CUDA_SUCCESS)
      result = node->graph == graph ? CUDA_SUCCESS : CUDA_ERROR_INVALID_VALUE;
    if (result == CUDA_SUCCESS && cs_cpu_node_set_add(&stream->tail, node) != 0)
      result = CUDA_ERROR_OUT_OF_MEMORY;
    if (result != CUDA_SUCCESS)
      cs_cpu_capture_end(stream->capture);
  }
  return result;
}

static CUresult check_end(struct cs_cpu_capture *capture, const struct cs_cpu_stream *stream) {
  if (!capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  if (capture->origin != stream) {
    cs_cpu_capture_invalidate(capture);
    return CUDA_ERROR_STREAM_CAPTURE_UNMATCHED;
  }
  int own = pthread_equal(capture->thread, pthread_self());
  return own || capture->mode == CU_STREAM_CAPTURE_MODE_RELAXED ? CUDA_SUCCESS : CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
}

CUresult cuStreamEndCapture(CUstream handle, CUgraph *out) {
  struct cs_cpu_stream *stream;
  CUresult result = cs_cpu_enter_stream(handle, NULL, &stream);
  if (result != CUDA_SUCCESS)
    return result;
  if (out)
    *out = NULL;
  struct cs_cpu_capture *capture = stream->capture;
  result = check_end(capture, stream);
  if (result != CUDA_SUCCESS)
    return result;
  if (atomic_load(&capture->invalid))
    result = CUDA_ERROR_STREAM_CAPTURE_INVALIDATED;
  else if (!cs_cpu_capture_all_joined(capture))
    result = CUDA_ERROR_STREAM_CAPTURE_UNJOINED;
  struct cs_cpu_graph *graph = capture->graph;
  int own = capture->own_graph;
  cs_cpu_capture_end(capture);
  if (result == CUDA_SUCCESS && out)
    *out = (CUgraph)graph;
  else if (own)
    cs_cpu_graph_delete(graph);
  return result;
}

/* --- queries --- */

CUresult cuStreamGetCaptureInfo_v3(CUstream handle, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                                   const CUgraphNode **dependencies, const CUgraphEdgeData **edges, size_t *count) {
  struct cs_cpu_stream *stream;
  CUresult result = cs_cpu_enter_stream(handle, NULL, &stream);
  if (result == CUDA_SUCCESS && !status)
    return CUDA_ERROR_INVALID_VALUE;
  if (result != CUDA_SUCCESS)
    return result;
  struct cs_cpu_context *context = stream->context;
  if (stream == &context->legacy && atomic_load(&context->captures))
    return CUDA_ERROR_STREAM_CAPTURE_IMPLICIT;
  struct cs_cpu_capture *capture = stream->capture;
  *status = !capture                         ? CU_STREAM_CAPTURE_STATUS_NONE
            : atomic_load(&capture->invalid) ? CU_STREAM_CAPTURE_STATUS_INVALIDATED
                                             : CU_STREAM_CAPTURE_STATUS_ACTIVE;
  if (*status != CU_STREAM_CAPTURE_STATUS_ACTIVE)
    return CUDA_SUCCESS; /* the rest is only written during a capture */
  if (id)
    *id = capture->id;
  if (graph)
    *graph = (CUgraph)capture->graph;
  if (dependencies)
    *dependencies = (const CUgraphNode *)stream->tail.nodes;
  if (edges)
    *edges = stream->tail.edges;
  if (count)
    *count = stream->tail.count;
  return CUDA_SUCCESS;
}

CUresult cuStreamGetCaptureInfo_v2(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id, CUgraph *graph,
                                   const CUgraphNode **dependencies, size_t *count) {
  return cuStreamGetCaptureInfo_v3(stream, status, id, graph, dependencies, NULL, count);
}

CUresult cuStreamGetCaptureInfo(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id) {
  return cuStreamGetCaptureInfo_v3(stream, status, id, NULL, NULL, NULL, NULL);
}

CUresult cuStreamIsCapturing(CUstream stream, CUstreamCaptureStatus *status) {
  return cuStreamGetCaptureInfo_v3(stream, status, NULL, NULL, NULL, NULL, NULL);
}

CUresult cuStreamUpdateCaptureDependencies_v2(CUstream handle, CUgraphNode *nodes, const CUgraphEdgeData *edges,
                                              size_t count, unsigned int flags) {
  (void)edges;
  struct cs_cpu_stream *stream;
  CUresult result = cs_cpu_enter_work(handle, NULL, &stream);
  if (result != CUDA_SUCCESS)
    return result;
  if (!stream->capture)
    return CUDA_ERROR_ILLEGAL_STATE;
  if ((count && !nodes) || flags > CU_STREAM_SET_CAPTURE_DEPENDENCIES)
    return CUDA_ERROR_INVALID_VALUE;
  for (size_t i = 0; i < count; i++)
    if (!cs_cpu_object_is(nodes[i], CS_CPU_NODE) || ((struct cs_cpu_node *)nodes[i])->graph != stream->capture->graph)
      return CUDA_ERROR_INVALID_VALUE;
  if (flags == CU_STREAM_SET_CAPTURE_DEPENDENCIES)
    stream->tail.count = 0;
  for (size_t i = 0; i < count; i++)
    if (cs_cpu_node_set_add(&stream->tail, (struct cs_cpu_node *)nodes[i]) != 0)
      return CUDA_ERROR_OUT_OF_MEMORY;
  return CUDA_SUCCESS;
}

CUresult cuStreamUpdateCaptureDependencies(CUstream stream, CUgraphNode *nodes, size_t count, unsigned int flags) {
  return cuStreamUpdateCaptureDependencies_v2(stream, nodes, NULL, count, flags);
}
