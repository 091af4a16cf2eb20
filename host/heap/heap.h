/* heap.h: the tagged heap. Every buffer has its own window, and a pointer to a freed buffer never decodes to a live
 * one.
 *
 * Windows of 2 MiB and more have their own physical memory (large.c). Smaller ones share granules (small.c): a slot is
 * handed out once for each mapping of its granule, and physical memory that became free is served again through a new
 * mapping at new addresses. One heap serves all devices of the process, since they share its addresses.
 *
 * All functions take the lock of heaps and may be called from any thread. */
#ifndef CUSAFE_HOST_HEAP_HEAP_H
#define CUSAFE_HOST_HEAP_HEAP_H

#include "host/heap/buffer.h"
#include "host/heap/vmm.h"

struct cs_host_heap;

/* NULL when out of memory. The heap makes no driver call before the first allocation. */
struct cs_host_heap *cs_host_heap_new(const struct cs_host_vmm *vmm, cs_u32 placement);
/* Makes a heap that has not served any buffer refuse all of them. Returns 0, or -1 if it is in use. */
int cs_host_heap_close(struct cs_host_heap *heap);
cs_u32 cs_host_heap_placement(const struct cs_host_heap *heap);

/* location: see vmm.h. call: CS_HOST_BY_... or CS_HOST_BY_WITH(). Returns 0 with the buffer's address,
 * CS_HOST_HEAP_UNTAGGED, CS_HOST_HEAP_OVER_LIMIT or the driver's CUresult (out of memory). Pinned buffers start at a
 * page; with CS_PLACEMENT_WINDOW the metadata does, and the buffer follows it. */
int cs_host_heap_alloc(struct cs_host_heap *heap, int location, cs_u64 size, cs_u32 call, cs_u32 stack,
                       cs_u64 *address);

enum cs_host_free_verdict {
  CS_HOST_FREE_OK,      /* claimed: no other free will succeed; cs_host_heap_free() must follow */
  CS_HOST_FREE_FOREIGN, /* not an address of this heap */
  CS_HOST_FREE_BAD      /* already freed, not the start of a buffer, of the other kind, or never allocated */
};

/* Freeing has two steps, so that the caller can wait in between until the device no longer uses the buffer. pinned:
 * which kind the call frees. On CS_HOST_FREE_OK, buffer describes what was claimed. */
enum cs_host_free_verdict cs_host_heap_claim_free(struct cs_host_heap *heap, cs_u64 address, int pinned,
                                                  struct cs_host_heap_buffer *buffer);
/* The memory returns to the driver later: see reclaim.h. */
void cs_host_heap_free(struct cs_host_heap *heap, cs_u64 address, cs_u32 stack);
/* Instead of the second step: the buffer is not freed after all. */
void cs_host_heap_unclaim(struct cs_host_heap *heap, cs_u64 address);

/* The buffer in the window of this address: the live one, else the one freed last. Returns 0, or -1 if there is
 * none. */
int cs_host_heap_find(struct cs_host_heap *heap, cs_u64 address, struct cs_host_heap_buffer *buffer);
/* The size of the live buffer in each address's window, if its bounds are all that there is to know: no
 * sub-allocations, no regions, no free in progress, no memory of a graph. Launches ask for their pointers. */
#define CS_HOST_HEAP_NOT_WHOLE (~0ull)
void cs_host_heap_whole_sizes(struct cs_host_heap *heap, const cs_u64 *addresses, unsigned count, cs_u64 *sizes);
int cs_host_heap_owns(struct cs_host_heap *heap, cs_u64 address);

/* Writes changed metadata words to the device; see words.h. Cheap when nothing changed. */
int cs_host_heap_flush(struct cs_host_heap *heap);
/* The same, unless the device has the word of this address already. */
int cs_host_heap_flush_word(struct cs_host_heap *heap, cs_u64 address);

/* Calls visit for every live buffer, with the heap's lock held. */
void cs_host_heap_each(struct cs_host_heap *heap, void (*visit)(const struct cs_host_heap_buffer *buffer, void *data),
                       void *data);

/* Frees every buffer on a device whose work has ended; -1 for all devices. stack: where the program requested it. */
void cs_host_heap_free_device(struct cs_host_heap *heap, int device, cs_u32 stack);

/* Writes bytes, at most a window's, before the window of this live buffer, if no buffer has that memory: returns 0, or
 * -1. They stay until a buffer has it, which cs_host_heap_is_guarded() tells. data must stay unchanged meanwhile. */
int cs_host_heap_guard(struct cs_host_heap *heap, cs_u64 address, const void *data, cs_u64 bytes, cs_u32 *uses);
int cs_host_heap_is_guarded(struct cs_host_heap *heap, cs_u64 address, cs_u32 uses);

/* How many frees have begun so far: while it stays the same, no buffer has become invalid. Without the lock. */
cs_u64 cs_host_heap_frees(const struct cs_host_heap *heap);

void cs_host_heap_stats(struct cs_host_heap *heap, struct cs_host_heap_stats *stats);

#endif
