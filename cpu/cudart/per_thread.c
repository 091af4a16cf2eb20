/* per_thread.c: the _ptsz and _ptds variants, for programs built with a default stream for each thread: NULL represents
 * that stream, and a synchronous call waits for that stream only. */
#include "cpu/cudart/registration.h"

static cudaStream_t own(cudaStream_t stream) {
  return stream ? stream : cudaStreamPerThread;
}

static cudaError_t finish(cudaError_t error) {
  return error == cudaSuccess ? cudaStreamSynchronize(cudaStreamPerThread) : error;
}

/* ---- calls that take a stream ---- */

#define IN_STREAM(name, parameters, arguments)                                                                         \
  cudaError_t name##_ptsz parameters {                                                                                 \
    stream = own(stream);                                                                                              \
    return name arguments;                                                                                             \
  }

/* Memory. */
IN_STREAM(cudaMallocAsync, (void **out, size_t size, cudaStream_t stream), (out, size, stream))
IN_STREAM(cudaMallocFromPoolAsync, (void **out, size_t size, cudaMemPool_t pool, cudaStream_t stream),
          (out, size, pool, stream))
IN_STREAM(cudaFreeAsync, (void *pointer, cudaStream_t stream), (pointer, stream))
IN_STREAM(cudaMemPrefetchAsync,
          (const void *pointer, size_t size, struct cudaMemLocation location, unsigned flags, cudaStream_t stream),
          (pointer, size, location, flags, stream))
IN_STREAM(cudaMemDiscardAndPrefetchBatchAsync,
          (void **dptrs, size_t *sizes, size_t count, struct cudaMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
           size_t numPrefetchLocs, unsigned long long flags, cudaStream_t stream),
          (dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags, stream))
IN_STREAM(cudaMemDiscardBatchAsync,
          (void **dptrs, size_t *sizes, size_t count, unsigned long long flags, cudaStream_t stream),
          (dptrs, sizes, count, flags, stream))
IN_STREAM(cudaMemPrefetchBatchAsync,
          (void **dptrs, size_t *sizes, size_t count, struct cudaMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
           size_t numPrefetchLocs, unsigned long long flags, cudaStream_t stream),
          (dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags, stream))
IN_STREAM(cudaMemcpy3DBatchAsync,
          (size_t numOps, struct cudaMemcpy3DBatchOp *opList, unsigned long long flags, cudaStream_t stream),
          (numOps, opList, flags, stream))
IN_STREAM(cudaMemcpyBatchAsync,
          (void *const *dsts, const void *const *srcs, const size_t *sizes, size_t count,
           struct cudaMemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs, cudaStream_t stream),
          (dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, stream))

/* Launches. */
IN_STREAM(cudaLaunchKernel, (const void *host, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream),
          (host, grid, block, args, shared, stream))
IN_STREAM(__cudaLaunchKernel,
          (cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream),
          (kernel, grid, block, args, shared, stream))
IN_STREAM(cudaLaunchCooperativeKernel,
          (const void *host, dim3 grid, dim3 block, void **args, size_t shared, cudaStream_t stream),
          (host, grid, block, args, shared, stream))
IN_STREAM(cudaLaunchHostFunc, (cudaStream_t stream, cudaHostFn_t function, void *data), (stream, function, data))

/* Streams and events. */
IN_STREAM(cudaStreamSynchronize, (cudaStream_t stream), (stream))
IN_STREAM(cudaStreamQuery, (cudaStream_t stream), (stream))
IN_STREAM(cudaStreamWaitEvent, (cudaStream_t stream, cudaEvent_t event, unsigned flags), (stream, event, flags))
IN_STREAM(cudaStreamAddCallback, (cudaStream_t stream, cudaStreamCallback_t function, void *data, unsigned flags),
          (stream, function, data, flags))
IN_STREAM(cudaStreamAttachMemAsync, (cudaStream_t stream, void *pointer, size_t size, unsigned flags),
          (stream, pointer, size, flags))
IN_STREAM(cudaStreamGetPriority, (cudaStream_t stream, int *priority), (stream, priority))
IN_STREAM(cudaStreamGetFlags, (cudaStream_t stream, unsigned *flags), (stream, flags))
IN_STREAM(cudaStreamGetId, (cudaStream_t stream, unsigned long long *id), (stream, id))
IN_STREAM(cudaStreamGetDevice, (cudaStream_t stream, int *ordinal), (stream, ordinal))
IN_STREAM(cudaStreamGetAttribute, (cudaStream_t stream, cudaLaunchAttributeID which, cudaLaunchAttributeValue *value),
          (stream, which, value))
IN_STREAM(cudaStreamSetAttribute,
          (cudaStream_t stream, cudaLaunchAttributeID which, const cudaLaunchAttributeValue *value),
          (stream, which, value))
IN_STREAM(cudaStreamIsCapturing, (cudaStream_t stream, enum cudaStreamCaptureStatus *status), (stream, status))
IN_STREAM(cudaStreamGetCaptureInfo,
          (cudaStream_t stream, enum cudaStreamCaptureStatus *status, unsigned long long *id, cudaGraph_t *graph,
           const cudaGraphNode_t **dependencies, const cudaGraphEdgeData **edges, size_t *count),
          (stream, status, id, graph, dependencies, edges, count))
IN_STREAM(cudaEventRecord, (cudaEvent_t event, cudaStream_t stream), (event, stream))
IN_STREAM(cudaEventRecordWithFlags, (cudaEvent_t event, cudaStream_t stream, unsigned flags), (event, stream, flags))
IN_STREAM(cudaStreamBeginCaptureToGraph,
          (cudaStream_t stream, cudaGraph_t graph, const cudaGraphNode_t *dependencies,
           const cudaGraphEdgeData *dependencyData, size_t numDependencies, enum cudaStreamCaptureMode mode),
          (stream, graph, dependencies, dependencyData, numDependencies, mode))
IN_STREAM(cudaStreamBeginCapture, (cudaStream_t stream, enum cudaStreamCaptureMode mode), (stream, mode))
IN_STREAM(cudaStreamEndCapture, (cudaStream_t stream, cudaGraph_t *pGraph), (stream, pGraph))
IN_STREAM(cudaStreamUpdateCaptureDependencies,
          (cudaStream_t stream, cudaGraphNode_t *dependencies, const cudaGraphEdgeData *dependencyData,
           size_t numDependencies, unsigned int flags),
          (stream, dependencies, dependencyData, numDependencies, flags))

/* Graphs. */
IN_STREAM(cudaGraphLaunch, (cudaGraphExec_t graphExec, cudaStream_t stream), (graphExec, stream))
IN_STREAM(cudaGraphUpload, (cudaGraphExec_t graphExec, cudaStream_t stream), (graphExec, stream))

/* ---- calls that wait, and their counterparts that take a stream ---- */

#define UNPAREN(...) __VA_ARGS__
#define WAITS(name, parameters, arguments)                                                                             \
  cudaError_t name##_ptds parameters {                                                                                 \
    return finish(name##Async(UNPAREN arguments, cudaStreamPerThread));                                                \
  }                                                                                                                    \
  IN_STREAM(name##Async, (UNPAREN parameters, cudaStream_t stream), (UNPAREN arguments, stream))

WAITS(cudaMemcpy, (void *to, const void *from, size_t size, enum cudaMemcpyKind kind), (to, from, size, kind))
WAITS(cudaMemcpy2D,
      (void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
       enum cudaMemcpyKind kind),
      (to, to_pitch, from, from_pitch, width, height, kind))
WAITS(cudaMemcpy3D, (const struct cudaMemcpy3DParms *p), (p))
WAITS(cudaMemcpy3DPeer, (const struct cudaMemcpy3DPeerParms *p), (p))
WAITS(cudaMemcpyToSymbol, (const void *symbol, const void *from, size_t size, size_t offset, enum cudaMemcpyKind kind),
      (symbol, from, size, offset, kind))
WAITS(cudaMemcpyFromSymbol, (void *to, const void *symbol, size_t size, size_t offset, enum cudaMemcpyKind kind),
      (to, symbol, size, offset, kind))
WAITS(cudaMemset, (void *pointer, int value, size_t size), (pointer, value, size))
WAITS(cudaMemset2D, (void *pointer, size_t pitch, int value, size_t width, size_t height),
      (pointer, pitch, value, width, height))
WAITS(cudaMemset3D, (struct cudaPitchedPtr to, int value, struct cudaExtent extent), (to, value, extent))
WAITS(cudaMemcpy2DFromArray,
      (void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t width, size_t height,
       enum cudaMemcpyKind kind),
      (dst, dpitch, src, wOffset, hOffset, width, height, kind))
WAITS(cudaMemcpy2DToArray,
      (cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch, size_t width, size_t height,
       enum cudaMemcpyKind kind),
      (dst, wOffset, hOffset, src, spitch, width, height, kind))
WAITS(cudaMemcpyFromArray,
      (void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count, enum cudaMemcpyKind kind),
      (dst, src, wOffset, hOffset, count, kind))
WAITS(cudaMemcpyToArray,
      (cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count, enum cudaMemcpyKind kind),
      (dst, wOffset, hOffset, src, count, kind))

/* ---- the others ---- */

/* Copies between arrays also wait for the legacy stream's work, which is stricter than documented. A graph needs no
 * upload, so its stream does not matter. */
cudaError_t cudaGraphInstantiateWithParams_ptsz(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                                cudaGraphInstantiateParams *instantiateParams) {
  return cudaGraphInstantiateWithParams(pGraphExec, graph, instantiateParams);
}
cudaError_t cudaMemcpy2DArrayToArray_ptds(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src,
                                          size_t wOffsetSrc, size_t hOffsetSrc, size_t width, size_t height,
                                          enum cudaMemcpyKind kind) {
  return cudaMemcpy2DArrayToArray(dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc, width, height, kind);
}
cudaError_t cudaMemcpyArrayToArray_ptds(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src,
                                        size_t wOffsetSrc, size_t hOffsetSrc, size_t count, enum cudaMemcpyKind kind) {
  return cudaMemcpyArrayToArray(dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc, count, kind);
}

cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *host, void **args) {
  CS_CUDART_CHECK(config);
  cudaLaunchConfig_t with_stream = *config;
  with_stream.stream = own(config->stream);
  return cudaLaunchKernelExC(&with_stream, host, args);
}
cudaError_t cudaStreamCopyAttributes_ptsz(cudaStream_t to, cudaStream_t from) {
  return cudaStreamCopyAttributes(own(to), own(from));
}

/* The driver's own symbols: "default" means the calling program's default stream. */
static unsigned long long own_flags(unsigned long long flags) {
  return flags == cudaEnableDefault ? (unsigned long long)cudaEnablePerThreadDefaultStream : flags;
}
cudaError_t cudaGetDriverEntryPointByVersion_ptsz(const char *name, void **function, unsigned version,
                                                  unsigned long long flags,
                                                  enum cudaDriverEntryPointQueryResult *status) {
  return cudaGetDriverEntryPointByVersion(name, function, version, own_flags(flags), status);
}
cudaError_t cudaGetDriverEntryPoint_ptsz(const char *name, void **function, unsigned long long flags,
                                         enum cudaDriverEntryPointQueryResult *status) {
  return cudaGetDriverEntryPoint(name, function, own_flags(flags), status);
}
