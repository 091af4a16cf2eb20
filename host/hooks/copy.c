/* copy.c: the memory that the structures of copies and fills describe, and copies in batches. */
#include "host/hooks/copy.h"
#include "host/hooks/hooks.h"

/* One side of a structure: at[] is x bytes, y rows and z slices into the memory at host or device. */
static struct cs_host_span side(CUmemorytype type, const void *host, CUdeviceptr device, const cs_u64 at[3],
                                struct cs_host_span shape) {
  if (type == CU_MEMORYTYPE_ARRAY)
    return (struct cs_host_span){0};
  shape.base = cs_strip(type == CU_MEMORYTYPE_HOST ? (cs_u64)host : device);
  shape.offset = cs_host_sum(at[0], cs_host_sum(cs_host_items(at[1], shape.pitch), cs_host_items(at[2], shape.slice)));
  return shape;
}

struct cs_host_span cs_host_source_2d(const CUDA_MEMCPY2D *c) {
  if (!c)
    return (struct cs_host_span){0};
  struct cs_host_span shape = {0, 0, c->WidthInBytes, c->srcPitch, c->Height, 0, 1, CS_ACCESS_READ};
  return side(c->srcMemoryType, c->srcHost, c->srcDevice, (cs_u64[]){c->srcXInBytes, c->srcY, 0}, shape);
}

struct cs_host_span cs_host_target_2d(const CUDA_MEMCPY2D *c) {
  if (!c)
    return (struct cs_host_span){0};
  struct cs_host_span shape = {0, 0, c->WidthInBytes, c->dstPitch, c->Height, 0, 1, CS_ACCESS_WRITE};
  return side(c->dstMemoryType, c->dstHost, c->dstDevice, (cs_u64[]){c->dstXInBytes, c->dstY, 0}, shape);
}

/* The two structures of three dimensions have the same fields. Without a height, a slice has the copy's height. */
#define THREE_DIMENSIONS(kind, type)                                                                                   \
  struct cs_host_span cs_host_source_##kind(const type *c) {                                                           \
    if (!c)                                                                                                            \
      return (struct cs_host_span){0};                                                                                 \
    size_t rows = c->srcHeight ? c->srcHeight : c->Height;                                                             \
    struct cs_host_span shape = {                                                                                      \
        0, 0, c->WidthInBytes, c->srcPitch, c->Height, cs_host_items(c->srcPitch, rows), c->Depth, CS_ACCESS_READ};    \
    return side(c->srcMemoryType, c->srcHost, c->srcDevice, (cs_u64[]){c->srcXInBytes, c->srcY, c->srcZ}, shape);      \
  }                                                                                                                    \
  struct cs_host_span cs_host_target_##kind(const type *c) {                                                           \
    if (!c)                                                                                                            \
      return (struct cs_host_span){0};                                                                                 \
    size_t rows = c->dstHeight ? c->dstHeight : c->Height;                                                             \
    struct cs_host_span shape = {                                                                                      \
        0, 0, c->WidthInBytes, c->dstPitch, c->Height, cs_host_items(c->dstPitch, rows), c->Depth, CS_ACCESS_WRITE};   \
    return side(c->dstMemoryType, c->dstHost, c->dstDevice, (cs_u64[]){c->dstXInBytes, c->dstY, c->dstZ}, shape);      \
  }
THREE_DIMENSIONS(3d, CUDA_MEMCPY3D)
THREE_DIMENSIONS(peer, CUDA_MEMCPY3D_PEER)

#define X(kind, type)                                                                                                  \
  const type *cs_host_plain_##kind(const type *copy, type *room) {                                                     \
    if (!copy)                                                                                                         \
      return copy;                                                                                                     \
    *room = *copy;                                                                                                     \
    room->srcHost = (const void *)cs_strip((cs_u64)copy->srcHost);                                                     \
    room->dstHost = (void *)cs_strip((cs_u64)copy->dstHost);                                                           \
    room->srcDevice = cs_strip(copy->srcDevice);                                                                       \
    room->dstDevice = cs_strip(copy->dstDevice);                                                                       \
    return room;                                                                                                       \
  }
CS_HOST_SHAPES(X)
#undef X

/* The second version of the structure begins like the first. */
#define FILLED(f)                                                                                                      \
  ((struct cs_host_span){(f)->dst, 0, cs_host_items((f)->width, (f)->elementSize), (f)->pitch, (f)->height, 0, 1,      \
                         CS_ACCESS_WRITE})

struct cs_host_span cs_host_target_fill(const CUDA_MEMSET_NODE_PARAMS *fill) {
  return fill ? FILLED(fill) : (struct cs_host_span){0};
}

const CUDA_MEMSET_NODE_PARAMS *cs_host_plain_fill(const CUDA_MEMSET_NODE_PARAMS *fill, CUDA_MEMSET_NODE_PARAMS *room) {
  if (!fill)
    return fill;
  *room = *fill;
  room->dst = cs_strip(fill->dst);
  return room;
}

static CUresult batch_refused(const char *call, CUdeviceptr *to, CUdeviceptr *from, const size_t *bytes, size_t count) {
  CUresult result = CUDA_SUCCESS;
  for (size_t i = 0; to && from && bytes && i < count && !result; i++) {
    CUdeviceptr target = to[i], source = from[i];
    const struct cs_host_span spans[] = {CS_HOST_WRITES(target, bytes[i]), CS_HOST_READS(source, bytes[i])};
    result = cs_host_span_refused(call, spans, 2);
  }
  return result;
}

CUresult cs_host_on_cuMemcpyBatchAsync(PFN_cuMemcpyBatchAsync_v12080 real, const struct cs_host_call *call,
                                       CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                                       CUmemcpyAttributes *attributes, size_t *indices, size_t attribute_count,
                                       size_t *failed, CUstream stream) {
  CUresult result = batch_refused(call->name, to, from, bytes, count);
  return result ? result : real(to, from, bytes, count, attributes, indices, attribute_count, failed, stream);
}

CUresult cs_host_on_cuMemcpyBatchAsync_v2(PFN_cuMemcpyBatchAsync_v13000 real, const struct cs_host_call *call,
                                          CUdeviceptr *to, CUdeviceptr *from, size_t *bytes, size_t count,
                                          CUmemcpyAttributes *attributes, size_t *indices, size_t attribute_count,
                                          CUstream stream) {
  CUresult result = batch_refused(call->name, to, from, bytes, count);
  return result ? result : real(to, from, bytes, count, attributes, indices, attribute_count, stream);
}

/* Rows are counted in elements, whose size only an array on the other side specifies; between pointers they are
 * bytes. */
static struct cs_host_span operand(const CUmemcpy3DOperand *o, const CUextent3D *e, enum cs_access access) {
  size_t row = o->op.ptr.rowLength ? o->op.ptr.rowLength : e->width;
  size_t rows = o->op.ptr.layerHeight ? o->op.ptr.layerHeight : e->height;
  return (struct cs_host_span){cs_strip(o->op.ptr.ptr),  0,        e->width, row, e->height,
                               cs_host_items(row, rows), e->depth, access};
}

static CUresult list_refused(const char *call, const CUDA_MEMCPY3D_BATCH_OP *list, size_t count) {
  CUresult result = CUDA_SUCCESS;
  for (size_t i = 0; list && i < count && !result; i++) {
    const CUDA_MEMCPY3D_BATCH_OP *one = &list[i];
    if (one->src.type != CU_MEMCPY_OPERAND_TYPE_POINTER || one->dst.type != CU_MEMCPY_OPERAND_TYPE_POINTER)
      continue;
    const struct cs_host_span spans[] = {operand(&one->dst, &one->extent, CS_ACCESS_WRITE),
                                         operand(&one->src, &one->extent, CS_ACCESS_READ)};
    result = cs_host_span_refused(call, spans, 2);
  }
  return result;
}

CUresult cs_host_on_cuMemcpy3DBatchAsync(PFN_cuMemcpy3DBatchAsync_v12080 real, const struct cs_host_call *call,
                                         size_t count, CUDA_MEMCPY3D_BATCH_OP *list, size_t *failed,
                                         unsigned long long flags, CUstream stream) {
  CUresult result = list_refused(call->name, list, count);
  return result ? result : real(count, list, failed, flags, stream);
}

CUresult cs_host_on_cuMemcpy3DBatchAsync_v2(PFN_cuMemcpy3DBatchAsync_v13000 real, const struct cs_host_call *call,
                                            size_t count, CUDA_MEMCPY3D_BATCH_OP *list, unsigned long long flags,
                                            CUstream stream) {
  CUresult result = list_refused(call->name, list, count);
  return result ? result : real(count, list, flags, stream);
}

CUresult cs_host_on_cuMemcpy3DWithAttributesAsync(PFN_cuMemcpy3DWithAttributesAsync_v13020 real,
                                                  const struct cs_host_call *call, CUDA_MEMCPY3D_BATCH_OP *copy,
                                                  unsigned long long flags, CUstream stream) {
  CUresult result = list_refused(call->name, copy, 1);
  return result ? result : real(copy, flags, stream);
}
