/* heap.h: the tagged heap. Every buffer lies in a window of its own, and a pointer to a freed one never decodes to a live one.
 *
 * Windows of 2 MiB and more have physical memory of their own (large.c). Smaller ones share granules (small.c): a slot is
 * handed out once for each mapping of its granule, and physical memory that became free is served again through a new
 * mapping at new addresses. One heap serves all devices of the process, since they share its addresses.
 *
 * All functions take the heap's lock and may be called from any thread. */
#ifndef CUSAFE_HOST_HEAP_HEAP_H
#define CUSAFE_HOST_HEAP_HEAP_H

#include "cusafe/abi.h"
#include "host/heap/vmm.h"

struct cs_host_heap;

/* Which driver call made a buffer. */
#define CS_HOST_ALLOCATORS(X)                                                                                          \
  X(ALLOC, "cuMemAlloc_v2")                                                                                            \
  X(PITCH, "cuMemAllocPitch_v2")                                                                                       \
  X(ASYNC, "cuMemAllocAsync")                                                                                          \
  X(POOL, "cuMemAllocFromPoolAsync")                                                                                   \
  X(MANAGED, "cuMemAllocManaged")                                                                                      \
  X(ALLOC_HOST, "cuMemAllocHost_v2")                                                                                   \
  X(HOST_ALLOC, "cuMemHostAlloc")
enum cs_host_allocator {
#define X(id, name) CS_HOST_BY_##id,
  CS_HOST_ALLOCATORS(X)
#undef X
};
const char *cs_host_allocator_name(cs_u32 call);

/* The call and its flags (at most 7 bits) in one number. */
#define CS_HOST_BY_WITH(call, flags) ((cs_u32)(call) | (cs_u32)(flags) << 8)
static inline int cs_host_is_pinned(cs_u32 call) {
  return call == CS_HOST_BY_ALLOC_HOST || call == CS_HOST_BY_HOST_ALLOC;
}

/* NULL when out of memory. Nothing is asked of the driver before the first allocation. */
struct cs_host_heap *cs_host_heap_new(const struct cs_host_vmm *vmm, cs_u32 placement);

#define CS_HOST_HEAP_UNTAGGED (-1) /* no tagged addresses for this buffer: use the real allocator */

/* place: see vmm.h. call: CS_HOST_BY_... or CS_HOST_BY_WITH(). Returns 0 with the buffer's address, CS_HOST_HEAP_UNTAGGED, or the CUresult of
 * the driver (out of memory). Pinned buffers start at a page, but for the metadata in front of them (WINDOW). */
int cs_host_heap_alloc(struct cs_host_heap *heap, int place, cs_u64 size, cs_u32 call, cs_u32 stack, cs_u64 *address);

struct cs_host_heap_buffer {
  cs_u64 start, size;
  int freed;
  int freeing; /* claimed, but not freed yet */
  int device;  /* of live buffers */
  cs_u32 call, flags, allocated_by, freed_by;
};

enum cs_host_free_verdict {
  CS_HOST_FREE_OK,      /* claimed: no other free will succeed; cs_host_heap_free() must follow */
  CS_HOST_FREE_FOREIGN, /* not an address of this heap */
  CS_HOST_FREE_BAD      /* freed before, not the start of a buffer, of the other kind, or never allocated */
};

/* Freeing has two steps, so that the caller can wait in between for the device to be done with the buffer. pinned: which kind
 * the call frees. buffer: what was claimed, if it was. */
enum cs_host_free_verdict cs_host_heap_claim_free(struct cs_host_heap *heap, cs_u64 address, int pinned,
                                                  struct cs_host_heap_buffer *buffer);
void cs_host_heap_free(struct cs_host_heap *heap, cs_u64 address, cs_u32 stack);

/* The buffer in the window of this address: the live one, else the one freed last. Returns 0, or -1 if there is none. */
int cs_host_heap_find(struct cs_host_heap *heap, cs_u64 address, struct cs_host_heap_buffer *buffer);
int cs_host_heap_owns(struct cs_host_heap *heap, cs_u64 address);

/* Windows that the device hands out itself (malloc in kernels): up to so many bytes of each size. Returns 0 or an error. */
int cs_host_heap_slabs(struct cs_host_heap *heap, int place, cs_u64 bytes, struct cs_device_heap *slabs);

/* Brings the metadata words to the device; see words.h. Cheap when nothing changed. */
int cs_host_heap_flush(struct cs_host_heap *heap);

/* Calls visit for every live buffer, with the heap's lock held. */
void cs_host_heap_each(struct cs_host_heap *heap, void (*visit)(const struct cs_host_heap_buffer *buffer, void *data),
                       void *data);

/* Frees everything on a device, whose work has ended; -1 for all devices. stack: where that was asked for. */
void cs_host_heap_free_device(struct cs_host_heap *heap, int device, cs_u32 stack);

struct cs_host_heap_stats {
  cs_u64 live;           /* buffers */
  cs_u64 allocated;      /* ever */
  cs_u64 live_bytes;     /* as they were asked for */
  cs_u64 most_bytes;     /* of those, at any time */
  cs_u64 all_bytes;      /* ever */
  cs_u64 physical_bytes; /* held for buffers, without metadata */
  cs_u64 untagged;       /* requests answered with CS_HOST_HEAP_UNTAGGED */
};
void cs_host_heap_stats(struct cs_host_heap *heap, struct cs_host_heap_stats *stats);

cs_u32 cs_host_heap_placement(const struct cs_host_heap *heap);
#endif
