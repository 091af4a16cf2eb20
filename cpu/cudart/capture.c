/* capture.c: stream capture. */
#include "cpu/cudart/registration.h"
#include "cpu/cudart/runtime.h"

_Static_assert((int)cudaStreamCaptureModeRelaxed == (int)CU_STREAM_CAPTURE_MODE_RELAXED, "modes are passed through");
_Static_assert((int)cudaStreamCaptureStatusInvalidated == (int)CU_STREAM_CAPTURE_STATUS_INVALIDATED, "states, too");
_Static_assert(sizeof(cudaGraphEdgeData) == sizeof(CUgraphEdgeData), "edges, too");

/* Loads all modules first: loading copies to the device, which a capture forbids. */
cudaError_t cudaStreamBeginCapture(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
  struct cs_cudart_context *context;
  CS_CUDART_ENTER_IN(context);
  cs_cudart_load_modules(context);
  return cs_cudart_done(CU(StreamBeginCapture, stream, (CUstreamCaptureMode)mode));
}

cudaError_t cudaStreamBeginCaptureToGraph(cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
                                          const cudaGraphEdgeData *edges, size_t count,
                                          enum cudaStreamCaptureMode mode) {
  struct cs_cudart_context *context;
  CS_CUDART_ENTER_IN(context);
  cs_cudart_load_modules(context);
  return cs_cudart_done(CU(StreamBeginCaptureToGraph, stream, graph, dependencies, (const CUgraphEdgeData *)edges,
                           count, (CUstreamCaptureMode)mode));
}

cudaError_t cudaStreamEndCapture(cudaStream_t stream, cudaGraph_t *graph) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(graph);
  return cs_cudart_done(CU(StreamEndCapture, stream, graph));
}

cudaError_t cudaStreamIsCapturing(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(status);
  return cs_cudart_done(CU(StreamIsCapturing, stream, (CUstreamCaptureStatus *)status));
}

cudaError_t cudaStreamGetCaptureInfo(cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id,
                                     cudaGraph_t *graph, const cudaGraphNode_t **dependencies,
                                     const cudaGraphEdgeData **edges, size_t *count) {
  _Static_assert(sizeof *id == sizeof(cuuint64_t), "the number is passed through");
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(status);
  return cs_cudart_done(CU(StreamGetCaptureInfo, stream, (CUstreamCaptureStatus *)status, (cuuint64_t *)id, graph,
                           dependencies, (const CUgraphEdgeData **)edges, count));
}

cudaError_t cudaStreamUpdateCaptureDependencies(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                const cudaGraphEdgeData *edges, size_t count, unsigned flags) {
  CS_CUDART_ENTER();
  return cs_cudart_done(
      CU(StreamUpdateCaptureDependencies, stream, dependencies, (const CUgraphEdgeData *)edges, count, flags));
}

cudaError_t cudaThreadExchangeStreamCaptureMode(enum cudaStreamCaptureMode *mode) {
  CS_CUDART_READY();
  CS_CUDART_CHECK(mode);
  return cs_cudart_done(CU(ThreadExchangeStreamCaptureMode, (CUstreamCaptureMode *)mode));
}
