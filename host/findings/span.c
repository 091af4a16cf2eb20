/* span.c: whether the memory that a call of the program touches is inside a live buffer. */
#include "host/findings/span.h"
#include "host/findings/drain.h"
#include "host/heap/divide.h"
#include "host/process/graph_memory.h"
#include "host/process/pending.h"
#include "host/process/registered.h"
#include "host/stacks/stack.h"
#include "options/process.h"

cs_u64 cs_host_sum(cs_u64 a, cs_u64 b) {
  cs_u64 result;
  return __builtin_add_overflow(a, b, &result) ? ~0ull : result;
}

cs_u64 cs_host_items(cs_u64 size, cs_u64 count) {
  cs_u64 result;
  return __builtin_mul_overflow(size, count, &result) ? ~0ull : result;
}

/* The bytes from the first to the last one, padding between rows included; 0 when nothing is touched. */
static cs_u64 extent(const struct cs_host_span *s) {
  if (!s->width || !s->height || !s->depth)
    return 0;
  return cs_host_sum(cs_host_sum(cs_host_items(s->pitch, s->height - 1), cs_host_items(s->slice, s->depth - 1)),
                     s->width);
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

/* Whether none of the bytes is poisoned, or outside of the regions of its pool. The padding between rows is not
 * accessed. */
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

/* A base in a live buffer, or at its end, keeps its provenance: the offset must not lead into another buffer. Any other
 * base may be one that the program computed outside its buffer, which the accessed address determines (decision 24). */
static int is_valid(const struct cs_host_span *s, cs_u64 bytes) {
  struct cs_host_heap_buffer of_base;
  if (!s->offset || !cs_host_heap_owns(cs_host_process_heap(), s->base) ||
      cs_host_heap_find(cs_host_process_heap(), s->base, &of_base) || !is_live(&of_base) ||
      !is_inside(s->base, 0, of_base.start, of_base.size))
    return is_in_bounds(s->base + s->offset, bytes) && is_granted(s, bytes);
  return is_inside(s->base, cs_host_sum(s->offset, bytes), of_base.start, of_base.size) && is_granted(s, bytes);
}

static int refuses(void) {
  return cs_options_on_error(cs_options()) == CS_OPTIONS_ON_ERROR_CONTAIN;
}

CUresult cs_host_span_report(const char *call, const struct cs_host_span *s) {
  cs_u64 bytes = extent(s);
  int overflows = cs_host_sum(s->offset, bytes) == ~0ull; /* the range has no end that could be reported */
  struct cs_host_api_error error = {.call = call,
                                    .base = s->base,
                                    .address = overflows ? s->base : s->base + s->offset,
                                    .bytes = overflows ? ~0ull : bytes,
                                    .access = s->access,
                                    .stack = cs_host_stack_here()};
  cs_host_found_api(&error);
  return refuses() ? CUDA_ERROR_INVALID_VALUE : CUDA_SUCCESS;
}

CUresult cs_host_span_refused(const char *call, const struct cs_host_span *spans, size_t count) {
  for (const struct cs_host_span *s = spans; s < spans + count; s++)
    if (extent(s) && !is_valid(s, extent(s)))
      return cs_host_span_report(call, s);
  return CUDA_SUCCESS;
}

int cs_host_span_is_of_freed_graph(const struct cs_host_span *s, cs_u64 *start) {
  struct cs_host_heap_buffer b;
  cs_u32 stack;
  if (!extent(s) || cs_host_heap_find(cs_host_process_heap(), s->base, &b) || !cs_host_is_graph(b.call))
    return 0;
  *start = b.start;
  return cs_host_graph_memory_freed(b.start, &stack);
}

CUresult cs_host_span_refused_now(const char *call, const struct cs_host_span *spans, size_t count) {
  cs_u64 start;
  for (const struct cs_host_span *s = spans; s < spans + count; s++)
    if (cs_host_span_is_of_freed_graph(s, &start))
      return cs_host_span_report(call, s);
  return cs_host_span_refused(call, spans, count);
}

int cs_host_span_is_valid(const struct cs_host_span *s) {
  cs_u64 bytes = extent(s);
  return !bytes || is_valid(s, bytes);
}

int cs_host_span_is_stale(const struct cs_host_span *s) {
  cs_u64 bytes = extent(s);
  return bytes && !is_valid(s, bytes) && (cs_host_is_stale(s->base) || cs_host_is_stale(s->base + s->offset));
}
