/* copy_shapes.c: copies as programs describe them, brought into the one shape of copy.h; the two- and three-dimensional
 * calls, and those that name CUDA arrays. */
#include "cpu/cuda/array.h"
#include "cpu/cuda/copy.h"

/* One side of CUDA_MEMCPY3D as the caller gave it. */
struct place {
  CUmemorytype type;
  const void *host;
  CUdeviceptr device;
  CUarray array;
  size_t x, y, z, lod, pitch, height;
};

/* CUDA_MEMCPY3D and CUDA_MEMCPY3D_PEER name these fields alike. */
#define PLACE(c, side)                                                                                                 \
  {.type = (c)->side##MemoryType,                                                                                      \
   .host = (c)->side##Host,                                                                                            \
   .device = (c)->side##Device,                                                                                        \
   .array = (c)->side##Array,                                                                                          \
   .x = (c)->side##XInBytes,                                                                                           \
   .y = (c)->side##Y,                                                                                                  \
   .z = (c)->side##Z,                                                                                                  \
   .lod = (c)->side##LOD,                                                                                              \
   .pitch = (c)->side##Pitch,                                                                                          \
   .height = (c)->side##Height}

static int fits(size_t offset, size_t length, size_t size) {
  return offset <= size && length <= size - offset;
}

static CUresult array_side(const struct place *place, const struct cs_cpu_copy *copy, struct cs_cpu_side *side) {
  struct cs_cpu_array *array;
  CUresult result = cs_cpu_array_of(place->array, &array);
  if (result != CUDA_SUCCESS)
    return result;
  if (place->x % array->element || copy->width % array->element ||
      !fits(place->x, copy->width, array->width * array->element) || !fits(place->y, copy->rows, array->height) ||
      !fits(place->z, copy->slices, array->depth))
    return CUDA_ERROR_INVALID_VALUE;
  side->start = cs_cpu_array_address(array) + place->z * array->slice + place->y * array->pitch + place->x;
  side->pitch = array->pitch;
  side->slice = array->slice;
  return CUDA_SUCCESS;
}

static CUresult start_of(const struct place *place, struct cs_cpu_side *side) {
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
  default:
    return CUDA_ERROR_INVALID_VALUE;
  }
}

static CUresult side_of(const struct place *place, const struct cs_cpu_copy *copy, struct cs_cpu_side *side) {
  if (place->lod)
    return CUDA_ERROR_INVALID_VALUE;
  if (place->type == CU_MEMORYTYPE_ARRAY)
    return array_side(place, copy, side);
  CUresult result = start_of(place, side);
  if (result != CUDA_SUCCESS)
    return result;
  size_t row = place->x + copy->width;
  size_t pitch = place->pitch ? place->pitch : row;
  size_t height = place->height ? place->height : place->y + copy->rows;
  if (row < copy->width || pitch < row || (copy->slices > 1 && height < place->y + copy->rows))
    return CUDA_ERROR_INVALID_VALUE;
  if (!side->start || __builtin_mul_overflow(pitch, height, &side->slice))
    return CUDA_ERROR_INVALID_VALUE;
  side->pitch = pitch;
  side->start += place->z * side->slice + place->y * pitch + place->x;
  return CUDA_SUCCESS;
}

CUresult cs_cpu_copy_shape(const CUDA_MEMCPY3D *what, struct cs_cpu_copy *copy) {
  struct place to = PLACE(what, dst), from = PLACE(what, src);
  *copy = (struct cs_cpu_copy){.width = what->WidthInBytes, .rows = what->Height, .slices = what->Depth};
  CUresult result = side_of(&to, copy, &copy->to);
  return result == CUDA_SUCCESS ? side_of(&from, copy, &copy->from) : result;
}

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
