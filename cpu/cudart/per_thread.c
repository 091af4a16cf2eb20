/* per_thread.c: the _ptsz and _ptds forms, for programs built with a default stream for each thread: NULL represents
 * that stream, and a synchronous call waits for that stream only. */
#include "cpu/cudart/registration.h"

static cudaStream_t own(cudaStream_t stream) {
  return stream ? stream : cudaStreamPerThread;
}

static cudaError_t finish(cudaError_t error) {
  return error == cudaSuccess ? cudaStreamSynchronize(cudaStreamPerThread) : error;
}

/* Copies and fills without a stream. */
cudaError_t cudaMemcpy_ptds(void *to, const void *from, size_t size, enum cudaMemcpyKind kind) {
  return finish(cudaMemcpyAsync(to, from, size, kind, cudaStreamPerThread));
}
cudaError_t cudaMemcpy2D_ptds(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind) {
  return finish(cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, cudaStreamPerThread));
}
cudaError_t cudaMemcpy3D_ptds(const struct cudaMemcpy3DParms *p) {
  return finish(cudaMemcpy3DAsync(p, cudaStreamPerThread));
}
cudaError_t cudaMemcpy3DPeer_ptds(const struct cudaMemcpy3DPeerParms *p) {
  return finish(cudaMemcpy3DPeerAsync(p, cudaStreamPerThread));
}
cudaError_t cudaMemcpyToSymbol_ptds(const void *symbol, const void *from, size_t size, size_t offset,
                                    enum cudaMemcpyKind kind) {
  return finish(cudaMemcpyToSymbolAsync(symbol, from, size, offset, kind, cudaStreamPerThread));
}
cudaError_t cudaMemcpyFromSymbol_ptds(void *to, const void *symbol, size_t size, size_t offset,
                                      enum cudaMemcpyKind kind) {
  return finish(cudaMemcpyFromSymbolAsync(to, symbol, size, offset, kind, cudaStreamPerThread));
}
cudaError_t cudaMemset_ptds(void *pointer, int value, size_t size) {
  return finish(cudaMemsetAsync(pointer, value, size, cudaStreamPerThread));
}
cudaError_t cudaMemset2D_ptds(void *pointer, size_t pitch, int value, size_t width, size_t height) {
  return finish(cudaMemset2DAsync(pointer, pitch, value, width, height, cudaStreamPerThread));
}
cudaError_t cudaMemset3D_ptds(struct cudaPitchedPtr to, int value, struct cudaExtent extent) {
  return finish(cudaMemset3DAsync(to, value, extent, cudaStreamPerThread));
}

/* Copies and fills in a stream. */
cudaError_t cudaMemcpyAsync_ptsz(void *to, const void *from, size_t size, enum cudaMemcpyKind kind,
                                 cudaStream_t stream) {
  return cudaMemcpyAsync(to, from, size, kind, own(stream));
}
cudaError_t cudaMemcpy2DAsync_ptsz(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                   size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
  return cudaMemcpy2DAsync(to, to_pitch, from, from_pitch, width, height, kind, own(stream));
}
cudaError_t cudaMemcpy3DAsync_ptsz(const struct cudaMemcpy3DParms *p, cudaStream_t stream) {
  return cudaMemcpy3DAsync(p, own(stream));
}
cudaError_t cudaMemcpy3DPeerAsync_ptsz(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream) {
  return cudaMemcpy3DPeerAsync(p, own(stream));
}
cudaError_t cudaMemcpyToSymbolAsync_ptsz(const void *symbol, const void *from, size_t size, size_t offset,
                                         enum cudaMemcpyKind kind, cudaStream_t stream) {
  return cudaMemcpyToSymbolAsync(symbol, from, size, offset, kind, own(stream));
}
cudaError_t cudaMemcpyFromSymbolAsync_ptsz(void *to, const void *symbol, size_t size, size_t offset,
                                           enum cudaMemcpyKind kind, cudaStream_t stream) {
  return cudaMemcpyFromSymbolAsync(to, symbol, size, offset, kind, own(stream));
}
cudaError_t cudaMemsetAsync_ptsz(void *pointer, int value, size_t size, cudaStream_t stream) {
  return cudaMemsetAsync(pointer, value, size, own(stream));
}
cudaError_t cudaMemset2DAsync_ptsz(void *pointer, size_t pitch, int value, size_t width, size_t height,
                                   cudaStream_t stream) {
  return cudaMemset2DAsync(pointer, pitch, value, width, height, own(stream));
}
cudaError_t cudaMemset3DAsync_ptsz(struct cudaPitchedPtr to, int value, struct cudaExtent extent, cudaStream_t stream) {
  return cudaMemset3DAsync(to, value, extent, own(stream));
}

/* Memory. */
cudaError_t cudaMallocAsync_ptsz(void **out, size_t size, cudaStream_t stream) {
  return cudaMallocAsync(out, size, own(stream));
}
cudaError_t cudaMallocFromPoolAsync_ptsz(void **out, size_t size, cudaMemPool_t pool, cudaStream_t stream) {
  return cudaMallocFromPoolAsync(out, size, pool, own(stream));
}
cudaError_t cudaFreeAsync_ptsz(void *pointer, cudaStream_t stream) {
  return cudaFreeAsync(pointer, own(stream));
}
cudaError_t cudaMemPrefetchAsync_ptsz(const void *pointer, size_t size, struct cudaMemLocation location, unsigned flags,
                                      cudaStream_t stream) {
  return cudaMemPrefetchAsync(pointer, size, location, flags, own(stream));
}

/* Launches. */
cudaError_t cudaLaunchKernel_ptsz(const void *host, dim3 grid, dim3 block, void **args, size_t shared,
                                  cudaStream_t stream) {
  return cudaLaunchKernel(host, grid, block, args, shared, own(stream));
}
cudaError_t __cudaLaunchKernel_ptsz(cudaKernel_t kernel, dim3 grid, dim3 block, void **args, size_t shared,
                                    cudaStream_t stream) {
  return __cudaLaunchKernel(kernel, grid, block, args, shared, own(stream));
}
cudaError_t cudaLaunchCooperativeKernel_ptsz(const void *host, dim3 grid, dim3 block, void **args, size_t shared,
                                             cudaStream_t stream) {
  return cudaLaunchCooperativeKernel(host, grid, block, args, shared, own(stream));
}
cudaError_t cudaLaunchKernelExC_ptsz(const cudaLaunchConfig_t *config, const void *host, void **args) {
  CS_CUDART_CHECK(config);
  cudaLaunchConfig_t with_stream = *config;
  with_stream.stream = own(config->stream);
  return cudaLaunchKernelExC(&with_stream, host, args);
}
cudaError_t cudaLaunchHostFunc_ptsz(cudaStream_t stream, cudaHostFn_t function, void *data) {
  return cudaLaunchHostFunc(own(stream), function, data);
}

/* Streams and events. */
cudaError_t cudaStreamSynchronize_ptsz(cudaStream_t stream) {
  return cudaStreamSynchronize(own(stream));
}
cudaError_t cudaStreamQuery_ptsz(cudaStream_t stream) {
  return cudaStreamQuery(own(stream));
}
cudaError_t cudaStreamWaitEvent_ptsz(cudaStream_t stream, cudaEvent_t event, unsigned flags) {
  return cudaStreamWaitEvent(own(stream), event, flags);
}
cudaError_t cudaStreamAddCallback_ptsz(cudaStream_t stream, cudaStreamCallback_t function, void *data, unsigned flags) {
  return cudaStreamAddCallback(own(stream), function, data, flags);
}
cudaError_t cudaStreamAttachMemAsync_ptsz(cudaStream_t stream, void *pointer, size_t size, unsigned flags) {
  return cudaStreamAttachMemAsync(own(stream), pointer, size, flags);
}
cudaError_t cudaStreamGetPriority_ptsz(cudaStream_t stream, int *priority) {
  return cudaStreamGetPriority(own(stream), priority);
}
cudaError_t cudaStreamGetFlags_ptsz(cudaStream_t stream, unsigned *flags) {
  return cudaStreamGetFlags(own(stream), flags);
}
cudaError_t cudaStreamGetId_ptsz(cudaStream_t stream, unsigned long long *id) {
  return cudaStreamGetId(own(stream), id);
}
cudaError_t cudaStreamGetDevice_ptsz(cudaStream_t stream, int *ordinal) {
  return cudaStreamGetDevice(own(stream), ordinal);
}
cudaError_t cudaStreamCopyAttributes_ptsz(cudaStream_t to, cudaStream_t from) {
  return cudaStreamCopyAttributes(own(to), own(from));
}
cudaError_t cudaStreamGetAttribute_ptsz(cudaStream_t stream, cudaLaunchAttributeID which,
                                        cudaLaunchAttributeValue *value) {
  return cudaStreamGetAttribute(own(stream), which, value);
}
cudaError_t cudaStreamSetAttribute_ptsz(cudaStream_t stream, cudaLaunchAttributeID which,
                                        const cudaLaunchAttributeValue *value) {
  return cudaStreamSetAttribute(own(stream), which, value);
}
cudaError_t cudaStreamIsCapturing_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status) {
  return cudaStreamIsCapturing(own(stream), status);
}
cudaError_t cudaStreamGetCaptureInfo_ptsz(cudaStream_t stream, enum cudaStreamCaptureStatus *status,
                                          unsigned long long *id, cudaGraph_t *graph,
                                          const cudaGraphNode_t **dependencies, const cudaGraphEdgeData **edges,
                                          size_t *count) {
  return cudaStreamGetCaptureInfo(own(stream), status, id, graph, dependencies, edges, count);
}
cudaError_t cudaEventRecord_ptsz(cudaEvent_t event, cudaStream_t stream) {
  return cudaEventRecord(event, own(stream));
}
cudaError_t cudaEventRecordWithFlags_ptsz(cudaEvent_t event, cudaStream_t stream, unsigned flags) {
  return cudaEventRecordWithFlags(event, own(stream), flags);
}

/* Arrays, captures and graphs. */
cudaError_t cudaGraphInstantiateWithParams_ptsz(cudaGraphExec_t *pGraphExec, cudaGraph_t graph,
                                                cudaGraphInstantiateParams *instantiateParams) {
  return cudaGraphInstantiateWithParams(pGraphExec, graph, instantiateParams);
}
cudaError_t cudaGraphLaunch_ptsz(cudaGraphExec_t graphExec, cudaStream_t stream) {
  return cudaGraphLaunch(graphExec, own(stream));
}
cudaError_t cudaGraphUpload_ptsz(cudaGraphExec_t graphExec, cudaStream_t stream) {
  return cudaGraphUpload(graphExec, own(stream));
}
cudaError_t cudaStreamBeginCaptureToGraph_ptsz(cudaStream_t stream, cudaGraph_t graph,
                                               const cudaGraphNode_t *dependencies,
                                               const cudaGraphEdgeData *dependencyData, size_t numDependencies,
                                               enum cudaStreamCaptureMode mode) {
  return cudaStreamBeginCaptureToGraph(own(stream), graph, dependencies, dependencyData, numDependencies, mode);
}
cudaError_t cudaStreamBeginCapture_ptsz(cudaStream_t stream, enum cudaStreamCaptureMode mode) {
  return cudaStreamBeginCapture(own(stream), mode);
}
cudaError_t cudaStreamEndCapture_ptsz(cudaStream_t stream, cudaGraph_t *pGraph) {
  return cudaStreamEndCapture(own(stream), pGraph);
}
cudaError_t cudaStreamUpdateCaptureDependencies_ptsz(cudaStream_t stream, cudaGraphNode_t *dependencies,
                                                     const cudaGraphEdgeData *dependencyData, size_t numDependencies,
                                                     unsigned int flags) {
  return cudaStreamUpdateCaptureDependencies(own(stream), dependencies, dependencyData, numDependencies, flags);
}
cudaError_t cudaMemcpy2DArrayToArray_ptds(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src,
                                          size_t wOffsetSrc, size_t hOffsetSrc, size_t width, size_t height,
                                          enum cudaMemcpyKind kind) {
  return cudaMemcpy2DArrayToArray(dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc, width, height, kind);
}
cudaError_t cudaMemcpy2DFromArrayAsync_ptsz(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset,
                                            size_t hOffset, size_t width, size_t height, enum cudaMemcpyKind kind,
                                            cudaStream_t stream) {
  return cudaMemcpy2DFromArrayAsync(dst, dpitch, src, wOffset, hOffset, width, height, kind, own(stream));
}
cudaError_t cudaMemcpy2DFromArray_ptds(void *dst, size_t dpitch, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                       size_t width, size_t height, enum cudaMemcpyKind kind) {
  return finish(
      cudaMemcpy2DFromArrayAsync(dst, dpitch, src, wOffset, hOffset, width, height, kind, cudaStreamPerThread));
}
cudaError_t cudaMemcpy2DToArrayAsync_ptsz(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src,
                                          size_t spitch, size_t width, size_t height, enum cudaMemcpyKind kind,
                                          cudaStream_t stream) {
  return cudaMemcpy2DToArrayAsync(dst, wOffset, hOffset, src, spitch, width, height, kind, own(stream));
}
cudaError_t cudaMemcpy2DToArray_ptds(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t spitch,
                                     size_t width, size_t height, enum cudaMemcpyKind kind) {
  return finish(cudaMemcpy2DToArrayAsync(dst, wOffset, hOffset, src, spitch, width, height, kind, cudaStreamPerThread));
}
cudaError_t cudaMemcpyArrayToArray_ptds(cudaArray_t dst, size_t wOffsetDst, size_t hOffsetDst, cudaArray_const_t src,
                                        size_t wOffsetSrc, size_t hOffsetSrc, size_t count, enum cudaMemcpyKind kind) {
  return cudaMemcpyArrayToArray(dst, wOffsetDst, hOffsetDst, src, wOffsetSrc, hOffsetSrc, count, kind);
}
cudaError_t cudaMemcpyFromArrayAsync_ptsz(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset,
                                          size_t count, enum cudaMemcpyKind kind, cudaStream_t stream) {
  return cudaMemcpyFromArrayAsync(dst, src, wOffset, hOffset, count, kind, own(stream));
}
cudaError_t cudaMemcpyFromArray_ptds(void *dst, cudaArray_const_t src, size_t wOffset, size_t hOffset, size_t count,
                                     enum cudaMemcpyKind kind) {
  return finish(cudaMemcpyFromArrayAsync(dst, src, wOffset, hOffset, count, kind, cudaStreamPerThread));
}
cudaError_t cudaMemcpyToArrayAsync_ptsz(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count,
                                        enum cudaMemcpyKind kind, cudaStream_t stream) {
  return cudaMemcpyToArrayAsync(dst, wOffset, hOffset, src, count, kind, own(stream));
}
cudaError_t cudaMemcpyToArray_ptds(cudaArray_t dst, size_t wOffset, size_t hOffset, const void *src, size_t count,
                                   enum cudaMemcpyKind kind) {
  return finish(cudaMemcpyToArrayAsync(dst, wOffset, hOffset, src, count, kind, cudaStreamPerThread));
}
cudaError_t cudaMemDiscardAndPrefetchBatchAsync_ptsz(void **dptrs, size_t *sizes, size_t count,
                                                     struct cudaMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                                     size_t numPrefetchLocs, unsigned long long flags,
                                                     cudaStream_t stream) {
  return cudaMemDiscardAndPrefetchBatchAsync(dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags,
                                             own(stream));
}
cudaError_t cudaMemDiscardBatchAsync_ptsz(void **dptrs, size_t *sizes, size_t count, unsigned long long flags,
                                          cudaStream_t stream) {
  return cudaMemDiscardBatchAsync(dptrs, sizes, count, flags, own(stream));
}
cudaError_t cudaMemPrefetchBatchAsync_ptsz(void **dptrs, size_t *sizes, size_t count,
                                           struct cudaMemLocation *prefetchLocs, size_t *prefetchLocIdxs,
                                           size_t numPrefetchLocs, unsigned long long flags, cudaStream_t stream) {
  return cudaMemPrefetchBatchAsync(dptrs, sizes, count, prefetchLocs, prefetchLocIdxs, numPrefetchLocs, flags,
                                   own(stream));
}
cudaError_t cudaMemcpy3DBatchAsync_ptsz(size_t numOps, struct cudaMemcpy3DBatchOp *opList, unsigned long long flags,
                                        cudaStream_t stream) {
  return cudaMemcpy3DBatchAsync(numOps, opList, flags, own(stream));
}
cudaError_t cudaMemcpyBatchAsync_ptsz(void *const *dsts, const void *const *srcs, const size_t *sizes, size_t count,
                                      struct cudaMemcpyAttributes *attrs, size_t *attrsIdxs, size_t numAttrs,
                                      cudaStream_t stream) {
  return cudaMemcpyBatchAsync(dsts, srcs, sizes, count, attrs, attrsIdxs, numAttrs, own(stream));
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
