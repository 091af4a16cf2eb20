/* copy_shape_calls.c: the two- and three-dimensional copy calls, and those that name CUDA arrays. */
#include "cpu/cuda/submit/copy_calls.h"
#include "cpu/cuda/work/current.h"
#include "cpu/cuda/work/executor.h"

/* --- two and three dimensions --- */

static CUresult copy_2d(const CUDA_MEMCPY2D *c, CUstream stream, int async) {
  if (!c)
    return CUDA_ERROR_INVALID_VALUE;
  CUDA_MEMCPY3D copy = {.dstMemoryType = c->dstMemoryType,
                        .dstHost = c->dstHost,
                        .dstDevice = c->dstDevice,
                        .dstArray = c->dstArray,
                        .dstXInBytes = c->dstXInBytes,
                        .dstY = c->dstY,
                        .dstPitch = c->dstPitch,
                        .srcMemoryType = c->srcMemoryType,
                        .srcHost = c->srcHost,
                        .srcDevice = c->srcDevice,
                        .srcArray = c->srcArray,
                        .srcXInBytes = c->srcXInBytes,
                        .srcY = c->srcY,
                        .srcPitch = c->srcPitch,
                        .WidthInBytes = c->WidthInBytes,
                        .Height = c->Height,
                        .Depth = 1};
  return cs_cpu_copy(&copy, stream, async);
}

static CUresult copy_3d(const CUDA_MEMCPY3D *copy, CUstream stream, int async) {
  return copy ? cs_cpu_copy(copy, stream, async) : CUDA_ERROR_INVALID_VALUE;
}

static CUresult copy_3d_peer(const CUDA_MEMCPY3D_PEER *c, CUstream stream, int async) {
  struct cs_cpu_context *context;
  if (!c)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult result = c->dstContext ? cs_cpu_context_check(c->dstContext, &context) : CUDA_SUCCESS;
  if (result == CUDA_SUCCESS && c->srcContext)
    result = cs_cpu_context_check(c->srcContext, &context);
  if (result != CUDA_SUCCESS)
    return result;
  if (!async)
    cs_cpu_wait_all();
  CUDA_MEMCPY3D copy = {.dstMemoryType = c->dstMemoryType,
                        .dstHost = c->dstHost,
                        .dstDevice = c->dstDevice,
                        .dstArray = c->dstArray,
                        .dstXInBytes = c->dstXInBytes,
                        .dstY = c->dstY,
                        .dstZ = c->dstZ,
                        .dstLOD = c->dstLOD,
                        .dstPitch = c->dstPitch,
                        .dstHeight = c->dstHeight,
                        .srcMemoryType = c->srcMemoryType,
                        .srcHost = c->srcHost,
                        .srcDevice = c->srcDevice,
                        .srcArray = c->srcArray,
                        .srcXInBytes = c->srcXInBytes,
                        .srcY = c->srcY,
                        .srcZ = c->srcZ,
                        .srcLOD = c->srcLOD,
                        .srcPitch = c->srcPitch,
                        .srcHeight = c->srcHeight,
                        .WidthInBytes = c->WidthInBytes,
                        .Height = c->Height,
                        .Depth = c->Depth};
  return cs_cpu_copy(&copy, stream, async);
}

CUresult cuMemcpy2D_v2(const CUDA_MEMCPY2D *copy) {
  return copy_2d(copy, NULL, 0);
}

CUresult cuMemcpy2DUnaligned_v2(const CUDA_MEMCPY2D *copy) {
  return copy_2d(copy, NULL, 0);
}

CUresult cuMemcpy2DAsync_v2(const CUDA_MEMCPY2D *copy, CUstream stream) {
  return copy_2d(copy, stream, 1);
}

CUresult cuMemcpy3D_v2(const CUDA_MEMCPY3D *copy) {
  return copy_3d(copy, NULL, 0);
}

CUresult cuMemcpy3DAsync_v2(const CUDA_MEMCPY3D *copy, CUstream stream) {
  return copy_3d(copy, stream, 1);
}

CUresult cuMemcpy3DPeer(const CUDA_MEMCPY3D_PEER *copy) {
  return copy_3d_peer(copy, NULL, 0);
}

CUresult cuMemcpy3DPeerAsync(const CUDA_MEMCPY3D_PEER *copy, CUstream stream) {
  return copy_3d_peer(copy, stream, 1);
}

/* --- the first row of an array --- */

#define ARRAY_TO(handle, offset) .dstMemoryType = CU_MEMORYTYPE_ARRAY, .dstArray = (handle), .dstXInBytes = (offset)
#define ARRAY_FROM(handle, offset) .srcMemoryType = CU_MEMORYTYPE_ARRAY, .srcArray = (handle), .srcXInBytes = (offset)
#define ROW(size) .WidthInBytes = (size), .Height = 1, .Depth = 1

CUresult cuMemcpyHtoAAsync_v2(CUarray to, size_t offset, const void *from, size_t size, CUstream stream) {
  CUDA_MEMCPY3D copy = {ARRAY_TO(to, offset), .srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = from, ROW(size)};
  return cs_cpu_copy(&copy, stream, 1);
}

CUresult cuMemcpyHtoA_v2(CUarray to, size_t offset, const void *from, size_t size) {
  CUDA_MEMCPY3D copy = {ARRAY_TO(to, offset), .srcMemoryType = CU_MEMORYTYPE_HOST, .srcHost = from, ROW(size)};
  return cs_cpu_copy(&copy, NULL, 0);
}

CUresult cuMemcpyAtoHAsync_v2(void *to, CUarray from, size_t offset, size_t size, CUstream stream) {
  CUDA_MEMCPY3D copy = {ARRAY_FROM(from, offset), .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = to, ROW(size)};
  return cs_cpu_copy(&copy, stream, 1);
}

CUresult cuMemcpyAtoH_v2(void *to, CUarray from, size_t offset, size_t size) {
  CUDA_MEMCPY3D copy = {ARRAY_FROM(from, offset), .dstMemoryType = CU_MEMORYTYPE_HOST, .dstHost = to, ROW(size)};
  return cs_cpu_copy(&copy, NULL, 0);
}

CUresult cuMemcpyDtoA_v2(CUarray to, size_t offset, CUdeviceptr from, size_t size) {
  CUDA_MEMCPY3D copy = {ARRAY_TO(to, offset), .srcMemoryType = CU_MEMORYTYPE_DEVICE, .srcDevice = from, ROW(size)};
  return cs_cpu_copy(&copy, NULL, 0);
}

CUresult cuMemcpyAtoD_v2(CUdeviceptr to, CUarray from, size_t offset, size_t size) {
  CUDA_MEMCPY3D copy = {ARRAY_FROM(from, offset), .dstMemoryType = CU_MEMORYTYPE_DEVICE, .dstDevice = to, ROW(size)};
  return cs_cpu_copy(&copy, NULL, 0);
}

CUresult cuMemcpyAtoA_v2(CUarray to, size_t to_offset, CUarray from, size_t from_offset, size_t size) {
  CUDA_MEMCPY3D copy = {ARRAY_TO(to, to_offset), ARRAY_FROM(from, from_offset), ROW(size)};
  return cs_cpu_copy(&copy, NULL, 0);
}
