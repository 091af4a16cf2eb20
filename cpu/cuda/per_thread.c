/* per_thread.c: the forms of the calls for which stream 0 is the calling thread's default stream.
 *
 * The synchronous ones (_ptds) need no separate stream: waiting for the legacy stream's work as well is stricter than
 * documented, and always valid. */
#include <cuda.h>

#define OWN(stream) ((stream) ? (stream) : CU_STREAM_PER_THREAD)

CUresult cuLaunchKernelEx_ptsz(const CUlaunchConfig *config, CUfunction f, void **kernelParams, void **extra) {
  if (!config)
    return CUDA_ERROR_INVALID_VALUE;
  CUlaunchConfig own = *config;
  own.hStream = OWN(config->hStream);
  return cuLaunchKernelEx(&own, f, kernelParams, extra);
}

CUresult cuMemcpy_ptds(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount) {
  return cuMemcpy(dst, src, ByteCount);
}

CUresult cuMemcpyPeer_ptds(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice, CUcontext srcContext,
                           size_t ByteCount) {
  return cuMemcpyPeer(dstDevice, dstContext, srcDevice, srcContext, ByteCount);
}

CUresult cuMemcpyHtoD_v2_ptds(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount) {
  return cuMemcpyHtoD_v2(dstDevice, srcHost, ByteCount);
}

CUresult cuMemcpyDtoH_v2_ptds(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount) {
  return cuMemcpyDtoH_v2(dstHost, srcDevice, ByteCount);
}

CUresult cuMemcpyDtoD_v2_ptds(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount) {
  return cuMemcpyDtoD_v2(dstDevice, srcDevice, ByteCount);
}

CUresult cuMemcpy2D_v2_ptds(const CUDA_MEMCPY2D *pCopy) {
  return cuMemcpy2D_v2(pCopy);
}

CUresult cuMemcpy2DUnaligned_v2_ptds(const CUDA_MEMCPY2D *pCopy) {
  return cuMemcpy2DUnaligned_v2(pCopy);
}

CUresult cuMemcpy3D_v2_ptds(const CUDA_MEMCPY3D *pCopy) {
  return cuMemcpy3D_v2(pCopy);
}

CUresult cuMemcpy3DPeer_ptds(const CUDA_MEMCPY3D_PEER *pCopy) {
  return cuMemcpy3DPeer(pCopy);
}

CUresult cuMemcpyAsync_ptsz(CUdeviceptr dst, CUdeviceptr src, size_t ByteCount, CUstream hStream) {
  return cuMemcpyAsync(dst, src, ByteCount, OWN(hStream));
}

CUresult cuMemcpyPeerAsync_ptsz(CUdeviceptr dstDevice, CUcontext dstContext, CUdeviceptr srcDevice,
                                CUcontext srcContext, size_t ByteCount, CUstream hStream) {
  return cuMemcpyPeerAsync(dstDevice, dstContext, srcDevice, srcContext, ByteCount, OWN(hStream));
}

CUresult cuMemcpyHtoDAsync_v2_ptsz(CUdeviceptr dstDevice, const void *srcHost, size_t ByteCount, CUstream hStream) {
  return cuMemcpyHtoDAsync_v2(dstDevice, srcHost, ByteCount, OWN(hStream));
}

CUresult cuMemcpyDtoHAsync_v2_ptsz(void *dstHost, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream) {
  return cuMemcpyDtoHAsync_v2(dstHost, srcDevice, ByteCount, OWN(hStream));
}

CUresult cuMemcpyDtoDAsync_v2_ptsz(CUdeviceptr dstDevice, CUdeviceptr srcDevice, size_t ByteCount, CUstream hStream) {
  return cuMemcpyDtoDAsync_v2(dstDevice, srcDevice, ByteCount, OWN(hStream));
}

CUresult cuMemcpy2DAsync_v2_ptsz(const CUDA_MEMCPY2D *pCopy, CUstream hStream) {
  return cuMemcpy2DAsync_v2(pCopy, OWN(hStream));
}

CUresult cuMemcpy3DAsync_v2_ptsz(const CUDA_MEMCPY3D *pCopy, CUstream hStream) {
  return cuMemcpy3DAsync_v2(pCopy, OWN(hStream));
}

CUresult cuMemcpy3DPeerAsync_ptsz(const CUDA_MEMCPY3D_PEER *pCopy, CUstream hStream) {
  return cuMemcpy3DPeerAsync(pCopy, OWN(hStream));
}

CUresult cuMemsetD8_v2_ptds(CUdeviceptr dstDevice, unsigned char uc, size_t N) {
  return cuMemsetD8_v2(dstDevice, uc, N);
}

CUresult cuMemsetD16_v2_ptds(CUdeviceptr dstDevice, unsigned short us, size_t N) {
  return cuMemsetD16_v2(dstDevice, us, N);
}

CUresult cuMemsetD32_v2_ptds(CUdeviceptr dstDevice, unsigned int ui, size_t N) {
  return cuMemsetD32_v2(dstDevice, ui, N);
}

CUresult cuMemsetD2D8_v2_ptds(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height) {
  return cuMemsetD2D8_v2(dstDevice, dstPitch, uc, Width, Height);
}

CUresult cuMemsetD2D16_v2_ptds(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width, size_t Height) {
  return cuMemsetD2D16_v2(dstDevice, dstPitch, us, Width, Height);
}

CUresult cuMemsetD2D32_v2_ptds(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height) {
  return cuMemsetD2D32_v2(dstDevice, dstPitch, ui, Width, Height);
}

CUresult cuMemsetD8Async_ptsz(CUdeviceptr dstDevice, unsigned char uc, size_t N, CUstream hStream) {
  return cuMemsetD8Async(dstDevice, uc, N, OWN(hStream));
}

CUresult cuMemsetD16Async_ptsz(CUdeviceptr dstDevice, unsigned short us, size_t N, CUstream hStream) {
  return cuMemsetD16Async(dstDevice, us, N, OWN(hStream));
}

CUresult cuMemsetD32Async_ptsz(CUdeviceptr dstDevice, unsigned int ui, size_t N, CUstream hStream) {
  return cuMemsetD32Async(dstDevice, ui, N, OWN(hStream));
}

CUresult cuMemsetD2D8Async_ptsz(CUdeviceptr dstDevice, size_t dstPitch, unsigned char uc, size_t Width, size_t Height,
                                CUstream hStream) {
  return cuMemsetD2D8Async(dstDevice, dstPitch, uc, Width, Height, OWN(hStream));
}

CUresult cuMemsetD2D16Async_ptsz(CUdeviceptr dstDevice, size_t dstPitch, unsigned short us, size_t Width, size_t Height,
                                 CUstream hStream) {
  return cuMemsetD2D16Async(dstDevice, dstPitch, us, Width, Height, OWN(hStream));
}

CUresult cuMemsetD2D32Async_ptsz(CUdeviceptr dstDevice, size_t dstPitch, unsigned int ui, size_t Width, size_t Height,
                                 CUstream hStream) {
  return cuMemsetD2D32Async(dstDevice, dstPitch, ui, Width, Height, OWN(hStream));
}

CUresult cuMemFreeAsync_ptsz(CUdeviceptr dptr, CUstream hStream) {
  return cuMemFreeAsync(dptr, OWN(hStream));
}

CUresult cuMemAllocAsync_ptsz(CUdeviceptr *dptr, size_t bytesize, CUstream hStream) {
  return cuMemAllocAsync(dptr, bytesize, OWN(hStream));
}

CUresult cuMemAllocFromPoolAsync_ptsz(CUdeviceptr *dptr, size_t bytesize, CUmemoryPool pool, CUstream hStream) {
  return cuMemAllocFromPoolAsync(dptr, bytesize, pool, OWN(hStream));
}

CUresult cuMemPrefetchAsync_v2_ptsz(CUdeviceptr devPtr, size_t count, CUmemLocation location, unsigned int flags,
                                    CUstream hStream) {
  return cuMemPrefetchAsync_v2(devPtr, count, location, flags, OWN(hStream));
}

CUresult cuMemPrefetchAsync_ptsz(CUdeviceptr devPtr, size_t count, CUdevice dstDevice, CUstream hStream) {
  return cuMemPrefetchAsync(devPtr, count, dstDevice, OWN(hStream));
}

CUresult cuStreamGetId_ptsz(CUstream hStream, unsigned long long *streamId) {
  return cuStreamGetId(OWN(hStream), streamId);
}

CUresult cuStreamGetPriority_ptsz(CUstream hStream, int *priority) {
  return cuStreamGetPriority(OWN(hStream), priority);
}

CUresult cuStreamGetFlags_ptsz(CUstream hStream, unsigned int *flags) {
  return cuStreamGetFlags(OWN(hStream), flags);
}

CUresult cuStreamGetCtx_v2_ptsz(CUstream hStream, CUcontext *pCtx, CUgreenCtx *pGreenCtx) {
  return cuStreamGetCtx_v2(OWN(hStream), pCtx, pGreenCtx);
}

CUresult cuStreamGetCtx_ptsz(CUstream hStream, CUcontext *pctx) {
  return cuStreamGetCtx(OWN(hStream), pctx);
}

CUresult cuStreamWaitEvent_ptsz(CUstream hStream, CUevent hEvent, unsigned int Flags) {
  return cuStreamWaitEvent(OWN(hStream), hEvent, Flags);
}

CUresult cuStreamAddCallback_ptsz(CUstream hStream, CUstreamCallback callback, void *userData, unsigned int flags) {
  return cuStreamAddCallback(OWN(hStream), callback, userData, flags);
}

CUresult cuStreamIsCapturing_ptsz(CUstream hStream, CUstreamCaptureStatus *captureStatus) {
  return cuStreamIsCapturing(OWN(hStream), captureStatus);
}

CUresult cuStreamGetCaptureInfo_v3_ptsz(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out,
                                        CUgraph *graph_out, const CUgraphNode **dependencies_out,
                                        const CUgraphEdgeData **edgeData_out, size_t *numDependencies_out) {
  return cuStreamGetCaptureInfo_v3(OWN(hStream), captureStatus_out, id_out, graph_out, dependencies_out, edgeData_out,
                                   numDependencies_out);
}

CUresult cuStreamGetCaptureInfo_v2_ptsz(CUstream hStream, CUstreamCaptureStatus *captureStatus_out, cuuint64_t *id_out,
                                        CUgraph *graph_out, const CUgraphNode **dependencies_out,
                                        size_t *numDependencies_out) {
  return cuStreamGetCaptureInfo_v2(OWN(hStream), captureStatus_out, id_out, graph_out, dependencies_out,
                                   numDependencies_out);
}

CUresult cuStreamAttachMemAsync_ptsz(CUstream hStream, CUdeviceptr dptr, size_t length, unsigned int flags) {
  return cuStreamAttachMemAsync(OWN(hStream), dptr, length, flags);
}

CUresult cuStreamQuery_ptsz(CUstream hStream) {
  return cuStreamQuery(OWN(hStream));
}

CUresult cuStreamSynchronize_ptsz(CUstream hStream) {
  return cuStreamSynchronize(OWN(hStream));
}

CUresult cuEventRecord_ptsz(CUevent hEvent, CUstream hStream) {
  return cuEventRecord(hEvent, OWN(hStream));
}

CUresult cuEventRecordWithFlags_ptsz(CUevent hEvent, CUstream hStream, unsigned int flags) {
  return cuEventRecordWithFlags(hEvent, OWN(hStream), flags);
}

CUresult cuLaunchKernel_ptsz(CUfunction f, unsigned int gridDimX, unsigned int gridDimY, unsigned int gridDimZ,
                             unsigned int blockDimX, unsigned int blockDimY, unsigned int blockDimZ,
                             unsigned int sharedMemBytes, CUstream hStream, void **kernelParams, void **extra) {
  return cuLaunchKernel(f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes, OWN(hStream),
                        kernelParams, extra);
}

CUresult cuLaunchCooperativeKernel_ptsz(CUfunction f, unsigned int gridDimX, unsigned int gridDimY,
                                        unsigned int gridDimZ, unsigned int blockDimX, unsigned int blockDimY,
                                        unsigned int blockDimZ, unsigned int sharedMemBytes, CUstream hStream,
                                        void **kernelParams) {
  return cuLaunchCooperativeKernel(f, gridDimX, gridDimY, gridDimZ, blockDimX, blockDimY, blockDimZ, sharedMemBytes,
                                   OWN(hStream), kernelParams);
}

CUresult cuLaunchHostFunc_ptsz(CUstream hStream, CUhostFn fn, void *userData) {
  return cuLaunchHostFunc(OWN(hStream), fn, userData);
}

CUresult cuStreamGetDevice_ptsz(CUstream hStream, CUdevice *device) {
  return cuStreamGetDevice(OWN(hStream), device);
}

CUresult cuMemcpyDtoA_v2_ptds(CUarray to, size_t offset, CUdeviceptr from, size_t size) {
  return cuMemcpyDtoA_v2(to, offset, from, size);
}

CUresult cuMemcpyAtoD_v2_ptds(CUdeviceptr to, CUarray from, size_t offset, size_t size) {
  return cuMemcpyAtoD_v2(to, from, offset, size);
}

CUresult cuMemcpyHtoA_v2_ptds(CUarray to, size_t offset, const void *from, size_t size) {
  return cuMemcpyHtoA_v2(to, offset, from, size);
}

CUresult cuMemcpyAtoH_v2_ptds(void *to, CUarray from, size_t offset, size_t size) {
  return cuMemcpyAtoH_v2(to, from, offset, size);
}

CUresult cuMemcpyAtoA_v2_ptds(CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t size) {
  return cuMemcpyAtoA_v2(to, to_offset, from, from_offset, size);
}

CUresult cuMemcpyHtoAAsync_v2_ptsz(CUarray to, size_t offset, const void *from, size_t size, CUstream stream) {
  return cuMemcpyHtoAAsync_v2(to, offset, from, size, OWN(stream));
}

CUresult cuMemcpyAtoHAsync_v2_ptsz(void *to, CUarray from, size_t offset, size_t size, CUstream stream) {
  return cuMemcpyAtoHAsync_v2(to, from, offset, size, OWN(stream));
}

CUresult cuStreamBeginCapture_v2_ptsz(CUstream handle, CUstreamCaptureMode mode) {
  return cuStreamBeginCapture_v2(OWN(handle), mode);
}

CUresult cuStreamBeginCapture_ptsz(CUstream stream) {
  return cuStreamBeginCapture(OWN(stream));
}

CUresult cuStreamBeginCaptureToGraph_ptsz(CUstream handle, CUgraph graph_handle, const CUgraphNode *dependencies,
                                          const CUgraphEdgeData *edges, size_t count, CUstreamCaptureMode mode) {
  return cuStreamBeginCaptureToGraph(OWN(handle), graph_handle, dependencies, edges, count, mode);
}

CUresult cuStreamEndCapture_ptsz(CUstream handle, CUgraph *out) {
  return cuStreamEndCapture(OWN(handle), out);
}

CUresult cuStreamGetCaptureInfo_ptsz(CUstream stream, CUstreamCaptureStatus *status, cuuint64_t *id) {
  return cuStreamGetCaptureInfo(OWN(stream), status, id);
}

CUresult cuStreamUpdateCaptureDependencies_v2_ptsz(CUstream handle, CUgraphNode *nodes, const CUgraphEdgeData *edges,
                                                   size_t count, unsigned int flags) {
  return cuStreamUpdateCaptureDependencies_v2(OWN(handle), nodes, edges, count, flags);
}

CUresult cuStreamUpdateCaptureDependencies_ptsz(CUstream stream, CUgraphNode *nodes, size_t count, unsigned int flags) {
  return cuStreamUpdateCaptureDependencies(OWN(stream), nodes, count, flags);
}

CUresult cuStreamCopyAttributes_ptsz(CUstream to_handle, CUstream from_handle) {
  return cuStreamCopyAttributes(OWN(to_handle), OWN(from_handle));
}

CUresult cuStreamGetAttribute_ptsz(CUstream handle, CUstreamAttrID id, CUstreamAttrValue *value) {
  return cuStreamGetAttribute(OWN(handle), id, value);
}

CUresult cuStreamSetAttribute_ptsz(CUstream handle, CUstreamAttrID id, const CUstreamAttrValue *value) {
  return cuStreamSetAttribute(OWN(handle), id, value);
}

CUresult cuGraphInstantiateWithParams_ptsz(CUgraphExec *out, CUgraph graph, CUDA_GRAPH_INSTANTIATE_PARAMS *params) {
  return cuGraphInstantiateWithParams(out, graph, params);
}

CUresult cuGraphUpload_ptsz(CUgraphExec handle, CUstream stream_handle) {
  return cuGraphUpload(handle, OWN(stream_handle));
}

CUresult cuGraphLaunch_ptsz(CUgraphExec handle, CUstream stream_handle) {
  return cuGraphLaunch(handle, OWN(stream_handle));
}

CUresult cuMemcpyBatchAsync_v2_ptsz(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count,
                                    CUmemcpyAttributes *attributes, size_t *indices, size_t attribute_count,
                                    CUstream stream) {
  return cuMemcpyBatchAsync_v2(to, from, sizes, count, attributes, indices, attribute_count, OWN(stream));
}

CUresult cuMemcpyBatchAsync_ptsz(CUdeviceptr *to, CUdeviceptr *from, size_t *sizes, size_t count,
                                 CUmemcpyAttributes *attributes, size_t *indices, size_t attribute_count,
                                 size_t *failed, CUstream stream) {
  return cuMemcpyBatchAsync(to, from, sizes, count, attributes, indices, attribute_count, failed, OWN(stream));
}

CUresult cuMemcpy3DBatchAsync_v2_ptsz(size_t count, CUDA_MEMCPY3D_BATCH_OP *operations, unsigned long long flags,
                                      CUstream stream) {
  return cuMemcpy3DBatchAsync_v2(count, operations, flags, OWN(stream));
}

CUresult cuMemcpy3DBatchAsync_ptsz(size_t count, CUDA_MEMCPY3D_BATCH_OP *operations, size_t *failed,
                                   unsigned long long flags, CUstream stream) {
  return cuMemcpy3DBatchAsync(count, operations, failed, flags, OWN(stream));
}

CUresult cuMemPrefetchBatchAsync_ptsz(CUdeviceptr *pointers, size_t *sizes, size_t count, CUmemLocation *locations,
                                      size_t *indices, size_t location_count, unsigned long long flags,
                                      CUstream stream) {
  return cuMemPrefetchBatchAsync(pointers, sizes, count, locations, indices, location_count, flags, OWN(stream));
}

CUresult cuMemDiscardBatchAsync_ptsz(CUdeviceptr *pointers, size_t *sizes, size_t count, unsigned long long flags,
                                     CUstream stream) {
  return cuMemDiscardBatchAsync(pointers, sizes, count, flags, OWN(stream));
}

CUresult cuMemDiscardAndPrefetchBatchAsync_ptsz(CUdeviceptr *pointers, size_t *sizes, size_t count,
                                                CUmemLocation *locations, size_t *indices, size_t location_count,
                                                unsigned long long flags, CUstream stream) {
  return cuMemDiscardAndPrefetchBatchAsync(pointers, sizes, count, locations, indices, location_count, flags,
                                           OWN(stream));
}
