/* capture.c: counts the streams that are captured (launch/repeat.h). A capture that ends with its stream or context
 * stays counted. */
#include "host/hooks/hooks.h"
#include "host/launch/repeat.h"
#include "host/process/stream.h"

static CUresult begun(CUresult result) {
  if (result)
    cs_host_repeat_captured();
  return result;
}

CUresult cs_host_on_cuStreamBeginCapture(PFN_cuStreamBeginCapture_v10000 real, const struct cs_host_call *call,
                                         CUstream stream) {
  (void)call;
  cs_host_repeat_capturing();
  return begun(real(stream));
}

CUresult cs_host_on_cuStreamBeginCapture_v2(PFN_cuStreamBeginCapture_v10010 real, const struct cs_host_call *call,
                                            CUstream stream, CUstreamCaptureMode mode) {
  (void)call;
  cs_host_repeat_capturing();
  return begun(real(stream, mode));
}

CUresult cs_host_on_cuStreamBeginCaptureToGraph(PFN_cuStreamBeginCaptureToGraph_v12030 real,
                                                const struct cs_host_call *call, CUstream stream, CUgraph graph,
                                                const CUgraphNode *dependencies, const CUgraphEdgeData *edges,
                                                size_t count, CUstreamCaptureMode mode) {
  (void)call;
  cs_host_repeat_capturing();
  return begun(real(stream, graph, dependencies, edges, count, mode));
}

/* Fails for a stream that another one has drawn into its capture, and may fail for one whose capture has ended with
 * it. */
CUresult cs_host_on_cuStreamEndCapture(PFN_cuStreamEndCapture_v10000 real, const struct cs_host_call *call,
                                       CUstream stream, CUgraph *graph) {
  CUstream handle = cs_host_stream_of(call, stream);
  int was_captured = cs_host_is_capturing(handle);
  CUresult result = real(stream, graph);
  if (was_captured && !cs_host_is_capturing(handle))
    cs_host_repeat_captured();
  return result;
}
