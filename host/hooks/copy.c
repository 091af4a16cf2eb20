/* copy.c: the memory that copies and fills touch, and whether it is inside a live buffer. */
#include "host/hooks/copy.h"
#include "host/findings/drain.h"
#include "host/heap/divide.h"
#include "host/hooks/hooks.h"
#include "host/process/graph_memory.h"
#include "host/process/pending.h"
#include "host/process/registered.h"
#include "host/stacks/stack.h"
#include "options/process.h"

/* Sums and products that stay at ~0 on overflow: no buffer is that large. */
static cs_u64 sum(cs_u64 a, cs_u64 b) {
  cs_u64 result;
  return __builtin_add_overflow(a, b, &result) ? ~0ull : result;
}

static cs_u64 product(cs_u64 a, cs_u64 b) {
  cs_u64 result;
  return __builtin_mul_overflow(a, b, &result) ? ~0ull : result;
}

cs_u64 cs_host_items(cs_u64 size, cs_u64 count) {
  return product(size, count);
}

/* One side of a structure: at[] is x bytes, y rows and z slices into the memory at host or device. */
static struct cs_host_span side(CUmemorytype type, const void *host, CUdeviceptr device, const cs_u64 at[3],
                                struct cs_host_span shape) {
  if (type == CU_MEMORYTYPE_ARRAY)
    return (struct cs_host_span){0};
  shape.base = cs_strip(type == CU_MEMORYTYPE_HOST ? (cs_u64)host : device);
  shape.offset = sum(at[0], sum(product(at[1], shape.pitch), product(at[2], shape.slice)));
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
        0, 0, c->WidthInBytes, c->srcPitch, c->Height, product(c->srcPitch, rows), c->Depth, CS_ACCESS_READ};          \
    return side(c->srcMemoryType, c->srcHost, c->srcDevice, (cs_u64[]){c->srcXInBytes, c->srcY, c->srcZ}, shape);      \
  }                                                                                                                    \
  struct cs_host_span cs_host_target_##kind(const type *c) {                                                           \
    if (!c)                                                                                                            \
      return (struct cs_host_span){0};                                                                                 \
    size_t rows = c->dstHeight ? c->dstHeight : c->Height;                                                             \
    struct cs_host_span shape = {                                                                                      \
        0, 0, c->WidthInBytes, c->dstPitch, c->Height, product(c->dstPitch, rows), c->Depth, CS_ACCESS_WRITE};         \
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
  ((struct cs_host_span){(f)->dst, 0, product((f)->width, (f)->elementSize), (f)->pitch, (f)->height, 0, 1,            \
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

/* The bytes from the first to the last one, padding between rows included; 0 when nothing is touched. */
static cs_u64 extent(const struct cs_host_span *s) {
  if (!s->width || !s->height || !s->depth)
    return 0;
  return sum(sum(product(s->pitch, s->height - 1), product(s->slice, s->depth - 1)), s->width);
}

static int is_inside(cs_u64 address, cs_u64 bytes, cs_u64 start, cs_u64 size) {
  return address >= start && address - start <= size && bytes <= size - (address - start);
}

static int is_live(struct cs_host_heap_buffer *b) {
  return !b->freed && !(b->freeing && cs_host_pending_find(b->start, &b->freed_by));
}

/* Whether a live buffer contains the bytes. Memory that CuSafe does not know is taken to be valid. */
static int is_in_bounds(cs_u64 address, cs_u64 bytes) {
  struct cs_host_heap_buffer buffer;
  struct cs_host_registered registered;
  if (!cs_host_heap_owns(cs_host_process_heap(), address))
    return cs_host_registered_find(address, &registered) ||
           is_inside(address, bytes, registered.start, registered.bytes);
  return !cs_host_heap_find(cs_host_process_heap(), address, &buffer) && is_live(&buffer) &&
         is_inside(address, bytes, buffer.start, buffer.size);
}

/* Whether none of the bytes is poisoned, or outside of the regions of its pool. The padding between rows is not accessed. */
static int is_granted(const struct cs_host_span *s, cs_u64 bytes) {
  struct cs_host_heap *heap = cs_host_process_heap();
  cs_u64 first = s->base + s->offset;
  int granted = cs_host_heap_grants(heap, first, bytes);
  if (granted || s->width == bytes)
    return granted;
  for (cs_u64 z = 0; z < s->depth; z++)
    for (cs_u64 y = 0; y < s->height; y++)
      if (!cs_host_heap_grants(heap, first + z * s->slice + y * s->pitch, s->width))
        return 0;
  return 1;
}

/* A base in a live buffer, or at its end, keeps its provenance: the offset must not lead into another buffer. Any other base may be
 * one that the program computed outside its buffer, which the accessed address determines (decision 24). */
static int is_valid(const struct cs_host_span *s, cs_u64 bytes) {
  struct cs_host_heap_buffer of_base;
  if (!s->offset || !cs_host_heap_owns(cs_host_process_heap(), s->base) ||
      cs_host_heap_find(cs_host_process_heap(), s->base, &of_base) || !is_live(&of_base) ||
      !is_inside(s->base, 0, of_base.start, of_base.size))
    return is_in_bounds(s->base + s->offset, bytes) && is_granted(s, bytes);
  return is_inside(s->base, sum(s->offset, bytes), of_base.start, of_base.size) && is_granted(s, bytes);
}

static int refuses(void) {
  return cs_options_on_error(cs_options()) == CS_OPTIONS_ON_ERROR_CONTAIN;
}

CUresult cs_host_copy_report(const char *call, const struct cs_host_span *s) {
  cs_u64 bytes = extent(s);
  int overflows = sum(s->offset, bytes) == ~0ull; /* the range has no end that could be reported */
  struct cs_host_api_error error = {.call = call,
                                    .base = s->base,
                                    .address = overflows ? s->base : s->base + s->offset,
                                    .bytes = overflows ? ~0ull : bytes,
                                    .access = s->access,
                                    .stack = cs_host_stack_here()};
  cs_host_found_api(&error);
  return refuses() ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cs_host_copy_refused(const char *call, const struct cs_host_span *spans, size_t count) {
  for (const struct cs_host_span *s = spans; s < spans + count; s++)
    if (extent(s) && !is_valid(s, extent(s)))
      return cs_host_copy_report(call, s);
  return CUDA_SUCCESS;
}

int cs_host_copy_is_of_freed_graph(const struct cs_host_span *s, cs_u64 *start) {
  struct cs_host_heap_buffer b;
  cs_u32 stack;
  if (!extent(s) || cs_host_heap_find(cs_host_process_heap(), s->base, &b) || !cs_host_is_graph(b.call))
    return 0;
  *start = b.start;
  return cs_host_graph_memory_freed(b.start, &stack);
}

CUresult cs_host_copy_refused_now(const char *call, const struct cs_host_span *spans, size_t count) {
  cs_u64 start;
  for (const struct cs_host_span *s = spans; s < spans + count; s++)
    if (cs_host_copy_is_of_freed_graph(s, &start))
      return cs_host_copy_report(call, s);
  return cs_host_copy_refused(call, spans, count);
}

int cs_host_copy_is_valid(const struct cs_host_span *s) {
  cs_u64 bytes = extent(s);
  return !bytes || is_valid(s, bytes);
}

int cs_host_copy_is_stale(const struct cs_host_span *s) {
  cs_u64 bytes = extent(s);
  return bytes && !is_valid(s, bytes) && (cs_host_is_stale(s->base) || cs_host_is_stale(s->base + s->offset));
}

static CUresult batch_refused(const char *call, CUdeviceptr *to, CUdeviceptr *from, const size_t *bytes, size_t count) {
  CUresult result = CUDA_SUCCESS;
  for (size_t i = 0; to && from && bytes && i < count && !result; i++) {
    CUdeviceptr target = to[i], source = from[i];
    const struct cs_host_span spans[] = {CS_HOST_WRITES(target, bytes[i]), CS_HOST_READS(source, bytes[i])};
    result = cs_host_copy_refused(call, spans, 2);
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

/* Rows are counted in elements, whose size only an array on the other side specifies; between pointers they are bytes. */
static struct cs_host_span operand(const CUmemcpy3DOperand *o, const CUextent3D *e, enum cs_access access) {
  size_t row = o->op.ptr.rowLength ? o->op.ptr.rowLength : e->width;
  size_t rows = o->op.ptr.layerHeight ? o->op.ptr.layerHeight : e->height;
  return (struct cs_host_span){cs_strip(o->op.ptr.ptr), 0,        e->width, row, e->height,
                               product(row, rows),      e->depth, access};
}

static CUresult list_refused(const char *call, const CUDA_MEMCPY3D_BATCH_OP *list, size_t count) {
  CUresult result = CUDA_SUCCESS;
  for (size_t i = 0; list && i < count && !result; i++) {
    const CUDA_MEMCPY3D_BATCH_OP *one = &list[i];
    if (one->src.type != CU_MEMCPY_OPERAND_TYPE_POINTER || one->dst.type != CU_MEMCPY_OPERAND_TYPE_POINTER)
      continue;
    const struct cs_host_span spans[] = {operand(&one->dst, &one->extent, CS_ACCESS_WRITE),
                                         operand(&one->src, &one->extent, CS_ACCESS_READ)};
    result = cs_host_copy_refused(call, spans, 2);
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
