/* buffers.c: finds buffers in the heap and its history, and describes them for reports. */
#include "host/findings/buffers.h"
#include "host/heap/divide.h"
#include "host/process/graph_memory.h"
#include "host/process/pending.h"
#include "host/process/process.h"
#include "host/process/registered.h"
#include <string.h>

/* The buffer of a sub-allocation, if the heap still knows it. */
static void describe_whole(struct cs_host_known_buffer *k) {
  struct cs_host_heap_buffer whole;
  if (!(cs_host_is_carved(&k->heap) || cs_host_is_region(&k->heap)) ||
      cs_host_heap_find(cs_host_process_heap(), k->heap.origin, &whole))
    return;
  k->whole = (struct cs_buffer){.start = whole.start,
                                .size = whole.size,
                                .freed = whole.freed,
                                .allocator = cs_host_allocator_name(whole.call),
                                .name = whole.name};
  k->whole_allocated_by = whole.allocated_by;
  k->buffer.whole = &k->whole;
  k->buffer.offset = k->heap.origin - whole.start;
}

const struct cs_buffer *cs_host_buffer_describe(struct cs_host_known_buffer *k) {
  k->buffer = (struct cs_buffer){.start = k->heap.start,
                                 .size = k->heap.size,
                                 .freed = k->heap.freed,
                                 .is_poisoned = k->heap.is_poisoned,
                                 .is_pool = k->heap.call == CS_HOST_BY_POOL_HEAP,
                                 .allocator = k->heap.is_poisoned ? NULL : cs_host_allocator_name(k->heap.call),
                                 .name = k->heap.name};
  describe_whole(k);
  return &k->buffer;
}

static int in_slab(const struct cs_device_slab *slab, cs_u64 address) {
  return address >= slab->base && address - slab->base < (cs_u64)slab->count << cs_tag_log2(cs_tag_of(address));
}

/* A window of the kernels' heap. The record's metadata word has a live buffer's size; a freed one's is lost. */
const struct cs_buffer *cs_host_buffer_of_kernel(struct cs_host_known_buffer *k, cs_u64 address) {
  if (!cs_is_tagged(address))
    return NULL;
  for (const struct cs_host_context *c = cs_host_context_first(); c; c = c->next)
    if (in_slab(&c->slabs.slabs[cs_tag_of(address)], address)) {
      cs_u64 start = cs_buffer_start(address, cs_host_heap_placement(cs_host_process_heap()));
      k->buffer = (struct cs_buffer){.start = start, .freed = 1, .allocator = "malloc in a kernel"};
      return &k->buffer;
    }
  return NULL;
}

const struct cs_buffer *cs_host_buffer_at(struct cs_host_known_buffer *k, cs_u64 address) {
  if (!address || cs_host_heap_find(cs_host_process_heap(), address, &k->heap))
    return NULL;
  if (!k->heap.freed)
    k->heap.freed = cs_host_pending_find(k->heap.start, &k->heap.freed_by) ||
                    (cs_host_is_graph(k->heap.call) && cs_host_graph_memory_freed(k->heap.start, &k->heap.freed_by));
  return cs_host_buffer_describe(k);
}

const struct cs_buffer *cs_host_buffer_part(struct cs_host_known_buffer *k, cs_u64 window, cs_u64 address, cs_u64 bytes,
                                            cs_u64 root) {
  const struct cs_buffer *whole = cs_host_buffer_at(k, window);
  if (!whole || whole->freed || address - whole->start >= whole->size ||
      cs_host_heap_find_region(cs_host_process_heap(), address, bytes, root, &k->heap))
    return whole;
  return cs_host_buffer_describe(k);
}

const struct cs_buffer *cs_host_buffer_registered(struct cs_host_known_buffer *k, cs_u64 address) {
  struct cs_host_registered r;
  if (cs_host_registered_find(address, &r))
    return NULL;
  k->heap = (struct cs_host_heap_buffer){.start = r.start, .size = r.bytes, .allocated_by = r.stack};
  cs_host_buffer_describe(k);
  k->buffer.allocator = "cuMemHostRegister_v2";
  return &k->buffer;
}

const struct cs_buffer *cs_host_buffer_beside(struct cs_host_known_buffer *k, cs_u64 address) {
  int is_unknown = cs_host_heap_find_beside(cs_host_process_heap(), address, &k->heap);
  return is_unknown ? NULL : cs_host_buffer_describe(k);
}

void cs_host_buffer_name_stacks(struct cs_host_known_buffer *k) {
  cs_host_symbolize(k->heap.allocated_by, &k->allocated);
  cs_host_symbolize(k->heap.freed_by, &k->freed);
  k->buffer.allocated_by = k->allocated.stack;
  k->buffer.freed_by = k->freed.stack;
  cs_host_symbolize(k->whole_allocated_by, &k->whole_allocated);
  k->whole.allocated_by = k->whole_allocated.stack;
}

void cs_host_buffer_release(struct cs_host_known_buffer *k) {
  cs_host_trace_release(&k->allocated);
  cs_host_trace_release(&k->freed);
  cs_host_trace_release(&k->whole_allocated);
}

/* ---- neighbours ---- */

struct neighbours {
  cs_u64 address, own, touched;                                        /* own and touched are left out of the lists */
  struct cs_buffer below[CS_HOST_EACH_SIDE], above[CS_HOST_EACH_SIDE]; /* the nearest first */
  size_t below_count, above_count;
};

static void insert(struct cs_buffer *list, size_t *count, struct cs_buffer buffer, int descending) {
  size_t i = *count;
  while (i > 0 && (list[i - 1].start < buffer.start) == descending)
    i--;
  if (i >= CS_HOST_EACH_SIDE)
    return;
  size_t kept = *count < CS_HOST_EACH_SIDE ? *count : CS_HOST_EACH_SIDE - 1;
  memmove(&list[i + 1], &list[i], (kept - i) * sizeof *list);
  list[i] = buffer;
  *count = kept + 1;
}

static void meet(const struct cs_host_heap_buffer *buffer, void *data) {
  struct neighbours *n = data;
  struct cs_buffer known = {.start = buffer->start, .size = buffer->size};
  if (buffer->start == n->own || buffer->start == n->touched)
    return;
  if (buffer->start <= n->address)
    insert(n->below, &n->below_count, known, 1);
  else
    insert(n->above, &n->above_count, known, 0);
}

void cs_host_buffers_around(const struct cs_evidence *evidence, cs_u64 address, struct cs_host_neighbours *around) {
  struct neighbours n = {.address = address,
                         .own = evidence->own ? evidence->own->start : 0,
                         .touched = evidence->touched ? evidence->touched->start : 0};
  around->count = 0;
  if (!cs_is_tagged(address))
    return;
  cs_host_heap_each(cs_host_process_heap(), meet, &n);
  for (size_t i = n.below_count; i > 0; i--)
    around->all[around->count++] = n.below[i - 1];
  for (size_t i = 0; i < n.above_count; i++)
    around->all[around->count++] = n.above[i];
}

/* ---- the live buffers nearest to a root outside all buffers, and to its access ---- */

struct nearest {
  cs_u64 address, distance; /* distance: ~0 if there is no buffer */
  struct cs_host_known_buffer *known;
};

/* A buffer that waits for its stream to free it counts as freed. */
static void compare(const struct cs_host_heap_buffer *buffer, void *data) {
  struct nearest *of = data;
  for (int i = 0; i < 2 && !buffer->freeing; i++) {
    cs_u64 distance = cs_distance(of[i].address, buffer->start, buffer->size);
    if (distance < of[i].distance) {
      of[i].distance = distance;
      of[i].known->heap = *buffer;
    }
  }
}

int cs_host_buffers_nearest(cs_u64 root, cs_u64 address, struct cs_host_known_buffer *near_root,
                            struct cs_host_known_buffer *near_address) {
  struct nearest of[2] = {{root, ~0ull, near_root}, {address, ~0ull, near_address}};
  cs_host_heap_each(cs_host_process_heap(), compare, of);
  if (of[0].distance == ~0ull)
    return -1;
  cs_host_buffer_describe(near_root);
  cs_host_buffer_describe(near_address);
  return 0;
}
