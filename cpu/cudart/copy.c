/* copy.c: copies of one, two and three dimensions, within a device, between devices and with the host. */
#include "cpu/cudart/array.h"
#include "cpu/cudart/copy_kind.h"

/* Checked first: an invalid direction has its own error. */
#define CS_CUDART_DIRECTION(kind)                                                                                      \
  do {                                                                                                                 \
    if ((unsigned)(kind) > cudaMemcpyDefault)                                                                          \
      return cs_cudart_fail(cudaErrorInvalidMemcpyDirection);                                                          \
  } while (0)

static CUresult copy_now(void *to, const void *from, size_t size, enum cudaMemcpyKind kind) {
  switch (kind) {
  case cudaMemcpyHostToDevice:
    return CU(MemcpyHtoD, cs_cudart_address(to), from, size);
  case cudaMemcpyDeviceToHost:
    return CU(MemcpyDtoH, to, cs_cudart_address(from), size);
  case cudaMemcpyDeviceToDevice:
    return CU(MemcpyDtoD, cs_cudart_address(to), cs_cudart_address(from), size);
  default: /* host to host, and cudaMemcpyDefault */
    return CU(Memcpy, cs_cudart_address(to), cs_cudart_address(from), size);
  }
}

static CUresult copy_async(void *to, const void *from, size_t size, enum cudaMemcpyKind kind, CUstream stream) {
  switch (kind) {
  case cudaMemcpyHostToDevice:
    return CU(MemcpyHtoDAsync, cs_cudart_address(to), from, size, stream);
  case cudaMemcpyDeviceToHost:
    return CU(MemcpyDtoHAsync, to, cs_cudart_address(from), size, stream);
  case cudaMemcpyDeviceToDevice:
    return CU(MemcpyDtoDAsync, cs_cudart_address(to), cs_cudart_address(from), size, stream);
  default:
    return CU(MemcpyAsync, cs_cudart_address(to), cs_cudart_address(from), size, stream);
  }
}

cudaError_t cudaMemcpy(void *to, const void *from, size_t size, enum cudaMemcpyKind kind) {
  CS_CUDART_ENTER();
  CS_CUDART_DIRECTION(kind);
  if (!size)
    return cudaSuccess;
  CS_CUDART_CHECK(to && from);
  return cs_cudart_done(copy_now(to, from, size, kind));
}

cudaError_t cudaMemcpyAsync(void *to, const void *from, size_t size, enum cudaMemcpyKind kind, cudaStream_t stream) {
  CS_CUDART_ENTER();
  CS_CUDART_DIRECTION(kind);
  if (!size)
    return cudaSuccess;
  CS_CUDART_CHECK(to && from);
  return cs_cudart_done(copy_async(to, from, size, kind, stream));
}

static CUDA_MEMCPY2D describe_2d(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                                 size_t height, enum cudaMemcpyKind kind) {
  return (CUDA_MEMCPY2D){.srcMemoryType = cs_cudart_memory_type(kind, cs_cudart_host_source(kind)),
                         .srcHost = from,
                         .srcDevice = cs_cudart_address(from),
                         .srcPitch = from_pitch,
                         .dstMemoryType = cs_cudart_memory_type(kind, cs_cudart_host_target(kind)),
                         .dstHost = to,
                         .dstDevice = cs_cudart_address(to),
                         .dstPitch = to_pitch,
                         .WidthInBytes = width,
                         .Height = height};
}

/* 0 when there is something to copy; otherwise the call ends with *error. */
static int is_done_2d(const void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                      cudaError_t *error) {
  *error = cudaSuccess;
  if (!width || !height)
    return 1;
  if (width > to_pitch || width > from_pitch)
    *error = cudaErrorInvalidPitchValue;
  else if (!to || !from)
    *error = cudaErrorInvalidValue;
  return *error != cudaSuccess;
}

cudaError_t cudaMemcpy2D(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width, size_t height,
                         enum cudaMemcpyKind kind) {
  cudaError_t error;
  CS_CUDART_ENTER();
  CS_CUDART_DIRECTION(kind);
  if (is_done_2d(to, to_pitch, from, from_pitch, width, height, &error))
    return cs_cudart_fail(error);
  CUDA_MEMCPY2D copy = describe_2d(to, to_pitch, from, from_pitch, width, height, kind);
  return cs_cudart_done(
      CU(Memcpy2DUnaligned, &copy)); /* the aligned call may refuse pitches that no pitched allocation has */
}

cudaError_t cudaMemcpy2DAsync(void *to, size_t to_pitch, const void *from, size_t from_pitch, size_t width,
                              size_t height, enum cudaMemcpyKind kind, cudaStream_t stream) {
  cudaError_t error;
  CS_CUDART_ENTER();
  CS_CUDART_DIRECTION(kind);
  if (is_done_2d(to, to_pitch, from, from_pitch, width, height, &error))
    return cs_cudart_fail(error);
  CUDA_MEMCPY2D copy = describe_2d(to, to_pitch, from, from_pitch, width, height, kind);
  return cs_cudart_done(CU(Memcpy2DAsync, &copy, stream));
}

static int empty(struct cudaExtent extent) {
  return !extent.width || !extent.height || !extent.depth;
}

cudaError_t cudaMemcpy3D(const struct cudaMemcpy3DParms *p) {
  CUDA_MEMCPY3D copy;
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(p);
  CS_CUDART_DIRECTION(p->kind);
  cudaError_t error = cs_cudart_copy_describe(p, &copy);
  if (error != cudaSuccess || empty(p->extent))
    return cs_cudart_fail(error);
  return cs_cudart_done(CU(Memcpy3D, &copy));
}

cudaError_t cudaMemcpy3DAsync(const struct cudaMemcpy3DParms *p, cudaStream_t stream) {
  CUDA_MEMCPY3D copy;
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(p);
  CS_CUDART_DIRECTION(p->kind);
  cudaError_t error = cs_cudart_copy_describe(p, &copy);
  if (error != cudaSuccess || empty(p->extent))
    return cs_cudart_fail(error);
  return cs_cudart_done(CU(Memcpy3DAsync, &copy, stream));
}

/* The primary contexts of both devices. */
static cudaError_t primary_contexts(int to, CUcontext *to_context, int from, CUcontext *from_context) {
  cudaError_t error = cs_cudart_primary_context(to, to_context);
  return error == cudaSuccess ? cs_cudart_primary_context(from, from_context) : error;
}

cudaError_t cudaMemcpyPeer(void *to, int to_device, const void *from, int from_device, size_t size) {
  CUcontext to_context, from_context;
  CS_CUDART_ENTER();
  cudaError_t error = primary_contexts(to_device, &to_context, from_device, &from_context);
  if (error != cudaSuccess || !size)
    return cs_cudart_fail(error);
  CS_CUDART_CHECK(to && from);
  return cs_cudart_done(CU(MemcpyPeer, cs_cudart_address(to), to_context, cs_cudart_address(from), from_context, size));
}

cudaError_t cudaMemcpyPeerAsync(void *to, int to_device, const void *from, int from_device, size_t size,
                                cudaStream_t stream) {
  CUcontext to_context, from_context;
  CS_CUDART_ENTER();
  cudaError_t error = primary_contexts(to_device, &to_context, from_device, &from_context);
  if (error != cudaSuccess || !size)
    return cs_cudart_fail(error);
  CS_CUDART_CHECK(to && from);
  return cs_cudart_done(
      CU(MemcpyPeerAsync, cs_cudart_address(to), to_context, cs_cudart_address(from), from_context, size, stream));
}

static CUDA_MEMCPY3D_PEER describe_peer(const CUDA_MEMCPY3D *c, CUcontext to_context, CUcontext from_context) {
  return (CUDA_MEMCPY3D_PEER){.srcXInBytes = c->srcXInBytes,
                              .srcY = c->srcY,
                              .srcZ = c->srcZ,
                              .srcMemoryType = c->srcMemoryType,
                              .srcDevice = c->srcDevice,
                              .srcArray = c->srcArray,
                              .srcContext = from_context,
                              .srcPitch = c->srcPitch,
                              .srcHeight = c->srcHeight,
                              .dstXInBytes = c->dstXInBytes,
                              .dstY = c->dstY,
                              .dstZ = c->dstZ,
                              .dstMemoryType = c->dstMemoryType,
                              .dstDevice = c->dstDevice,
                              .dstArray = c->dstArray,
                              .dstContext = to_context,
                              .dstPitch = c->dstPitch,
                              .dstHeight = c->dstHeight,
                              .WidthInBytes = c->WidthInBytes,
                              .Height = c->Height,
                              .Depth = c->Depth};
}

static cudaError_t copy_3d_peer(const struct cudaMemcpy3DPeerParms *p, int asynchronous, CUstream stream) {
  CUcontext to_context, from_context;
  CUDA_MEMCPY3D plain;
  CS_CUDART_ENTER();
  CS_CUDART_CHECK(p);
  struct cudaMemcpy3DParms one_device = {.srcArray = p->srcArray,
                                         .srcPos = p->srcPos,
                                         .srcPtr = p->srcPtr,
                                         .dstArray = p->dstArray,
                                         .dstPos = p->dstPos,
                                         .dstPtr = p->dstPtr,
                                         .extent = p->extent,
                                         .kind = cudaMemcpyDefault};
  cudaError_t error = primary_contexts(p->dstDevice, &to_context, p->srcDevice, &from_context);
  if (error == cudaSuccess)
    error = cs_cudart_copy_describe(&one_device, &plain);
  if (error != cudaSuccess || empty(p->extent))
    return cs_cudart_fail(error);
  CUDA_MEMCPY3D_PEER copy = describe_peer(&plain, to_context, from_context);
  return cs_cudart_done(asynchronous ? CU(Memcpy3DPeerAsync, &copy, stream) : CU(Memcpy3DPeer, &copy));
}

cudaError_t cudaMemcpy3DPeer(const struct cudaMemcpy3DPeerParms *p) {
  return copy_3d_peer(p, 0, NULL);
}

cudaError_t cudaMemcpy3DPeerAsync(const struct cudaMemcpy3DPeerParms *p, cudaStream_t stream) {
  return copy_3d_peer(p, 1, stream);
}
