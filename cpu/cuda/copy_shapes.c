/* copy_shapes.c: two- and three-dimensional copies, brought into the one shape of copy.h. */
#include "cpu/cuda/copy.h"

/* One side of CUDA_MEMCPY2D/3D as the caller gave it. */
struct place {
  CUmemorytype type;
  const void *host;
  CUdeviceptr device;
  size_t x, y, z, lod, pitch, height;
};

static CUresult start_of(const struct place *place, struct cs_side *side) {
  switch (place->type) {
  case CU_MEMORYTYPE_HOST:
    side->start = (uint64_t)(uintptr_t)place->host;
    return CUDA_SUCCESS;
  case CU_MEMORYTYPE_DEVICE:
    side->start = place->device;
    side->device_only = 1;
    return CUDA_SUCCESS;
  case CU_MEMORYTYPE_UNIFIED:
    side->start = place->device;
    return CUDA_SUCCESS;
  case CU_MEMORYTYPE_ARRAY:
    return cs_unsupported("copying CUDA arrays");
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

static CUresult side_of(const struct place *place, size_t width, size_t rows, size_t slices, struct cs_side *side) {
  CUresult result = start_of(place, side);
  if (result != CUDA_SUCCESS)
    return result;
  size_t row = place->x + width;
  size_t pitch = place->pitch ? place->pitch : row;
  size_t height = place->height ? place->height : place->y + rows;
  if (row < width || pitch < row || (slices > 1 && height < place->y + rows) || place->lod)
    return CUDA_ERROR_INVALID_VALUE;
  if (!side->start || __builtin_mul_overflow(pitch, height, &side->slice))
    return CUDA_ERROR_INVALID_VALUE;
  side->pitch = pitch;
  side->start += place->z * side->slice + place->y * pitch + place->x;
  return CUDA_SUCCESS;
}

static CUresult shaped(const struct place *to, const struct place *from, size_t width, size_t rows, size_t slices,
                       CUstream stream, int async) {
  struct cs_copy copy = {.width = width, .rows = rows, .slices = slices};
  struct cs_context *context;
  CUresult result = cs_enter(&context);
  if (result != CUDA_SUCCESS || !width || !rows || !slices)
    return result;
  result = side_of(to, width, rows, slices, &copy.to);
  if (result == CUDA_SUCCESS)
    result = side_of(from, width, rows, slices, &copy.from);
  return result == CUDA_SUCCESS ? cs_copy(&copy, stream, async) : result;
}

static CUresult copy_2d(const CUDA_MEMCPY2D *c, CUstream stream, int async) {
  if (!c)
    return CUDA_ERROR_INVALID_VALUE;
  struct place to = {.type = c->dstMemoryType,
                     .host = c->dstHost,
                     .device = c->dstDevice,
                     .x = c->dstXInBytes,
                     .y = c->dstY,
                     .pitch = c->dstPitch};
  struct place from = {.type = c->srcMemoryType,
                       .host = c->srcHost,
                       .device = c->srcDevice,
                       .x = c->srcXInBytes,
                       .y = c->srcY,
                       .pitch = c->srcPitch};
  return shaped(&to, &from, c->WidthInBytes, c->Height, 1, stream, async);
}

/* CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER name these fields alike. */
#define PLACE_3D(c, side)                                                                                              \
  {.type = (c)->side##MemoryType,                                                                                      \
   .host = (c)->side##Host,                                                                                            \
   .device = (c)->side##Device,                                                                                        \
   .x = (c)->side##XInBytes,                                                                                           \
   .y = (c)->side##Y,                                                                                                  \
   .z = (c)->side##Z,                                                                                                  \
   .lod = (c)->side##LOD,                                                                                              \
   .pitch = (c)->side##Pitch,                                                                                          \
   .height = (c)->side##Height}

static CUresult copy_3d(const CUDA_MEMCPY3D *c, CUstream stream, int async) {
  if (!c)
    return CUDA_ERROR_INVALID_VALUE;
  struct place to = PLACE_3D(c, dst), from = PLACE_3D(c, src);
  return shaped(&to, &from, c->WidthInBytes, c->Height, c->Depth, stream, async);
}

static CUresult copy_3d_peer(const CUDA_MEMCPY3D_PEER *c, CUstream stream, int async) {
  struct cs_context *context;
  if (!c)
    return CUDA_ERROR_INVALID_VALUE;
  CUresult result = c->dstContext ? cs_context_check(c->dstContext, &context) : CUDA_SUCCESS;
  if (result == CUDA_SUCCESS && c->srcContext)
    result = cs_context_check(c->srcContext, &context);
  if (result != CUDA_SUCCESS)
    return result;
  if (!async)
    cs_wait_all();
  struct place to = PLACE_3D(c, dst), from = PLACE_3D(c, src);
  return shaped(&to, &from, c->WidthInBytes, c->Height, c->Depth, stream, async);
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
