/* buffer.h: a buffer of the tagged heap as its callers see it. */
#ifndef CUSAFE_HOST_HEAP_BUFFER_H
#define CUSAFE_HOST_HEAP_BUFFER_H

#include "cusafe/layout.h"

/* The driver call that allocated a buffer. */
#define CS_HOST_ALLOCATORS(X)                                                                                          \
  X(ALLOC, "cuMemAlloc_v2")                                                                                            \
  X(PITCH, "cuMemAllocPitch_v2")                                                                                       \
  X(ASYNC, "cuMemAllocAsync")                                                                                          \
  X(POOL, "cuMemAllocFromPoolAsync")                                                                                   \
  X(MANAGED, "cuMemAllocManaged")                                                                                      \
  X(ALLOC_HOST, "cuMemAllocHost_v2")                                                                                   \
  X(HOST_ALLOC, "cuMemHostAlloc")                                                                                      \
  X(NODE, "cuGraphAddMemAllocNode")                                                                                    \
  X(CAPTURED, "cuMemAllocAsync in a stream capture")                                                                   \
  X(CARVE, "cusafe_carve")                                                                                             \
  X(REGION, "nvtxMemRegionsRegister")                                                                                  \
  X(POOL_HEAP, "nvtxMemHeapRegister")                                                                                  \
  X(POISON, "cusafe_poison")
enum cs_host_allocator {
#define X(id, name) CS_HOST_BY_##id,
  CS_HOST_ALLOCATORS(X)
#undef X
};
/* The call's symbol; NULL for a number that is none of the above. */
const char *cs_host_allocator_name(cs_u32 call);

/* The call and its flags (at most 7 bits) in one number. */
#define CS_HOST_BY_WITH(call, flags) ((cs_u32)(call) | (cs_u32)(flags) << 8)
static inline int cs_host_is_pinned(cs_u32 call) {
  return call == CS_HOST_BY_ALLOC_HOST || call == CS_HOST_BY_HOST_ALLOC;
}

/* A graph's launches allocate it. */
static inline int cs_host_is_graph(cs_u32 call) {
  return call == CS_HOST_BY_NODE || call == CS_HOST_BY_CAPTURED;
}

struct cs_host_heap_buffer {
  cs_u64 start, size;
  int freed;
  int freeing; /* claimed, but not freed yet */
  int device;  /* of live buffers */
  cs_u32 call, flags, allocated_by, freed_by;
  cs_u64 origin;    /* of a sub-allocation: the address that it was carved from, in its buffer */
  cs_u64 root;      /* the first byte in the buffer's own addresses: of a buffer, its start */
  const char *name; /* by cusafe_name, or NULL */
  int is_empty;     /* a sub-allocation without bytes, whose word has one */
  int is_divided;   /* it has live sub-allocations; set by cs_host_heap_each() */
  int is_poisoned;  /* a range, not a buffer: freed_by poisoned it */
};

static inline int cs_host_is_carved(const struct cs_host_heap_buffer *buffer) {
  return buffer->call == CS_HOST_BY_CARVE;
}

/* A range of a buffer that is a part of a divided one, at its own address (divide.h). */
static inline int cs_host_is_region(const struct cs_host_heap_buffer *buffer) {
  return buffer->call == CS_HOST_BY_REGION || buffer->is_poisoned;
}

struct cs_host_heap_stats {
  cs_u64 live;           /* buffers */
  cs_u64 allocated;      /* buffers, ever */
  cs_u64 live_bytes;     /* as requested */
  cs_u64 peak_bytes;     /* the maximum of live_bytes */
  cs_u64 all_bytes;      /* ever allocated */
  cs_u64 physical_bytes; /* held for buffers, without metadata */
  cs_u64 untagged;       /* requests answered with CS_HOST_HEAP_UNTAGGED */
};

#define CS_HOST_HEAP_UNTAGGED (-1)   /* no tagged addresses for this buffer: use the real allocator */
#define CS_HOST_HEAP_OVER_LIMIT (-4) /* the limit of its account does not allow this buffer */

#endif
