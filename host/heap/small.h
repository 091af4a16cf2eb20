/* small.h: windows smaller than a granule. Callers hold the heap's lock. */
#ifndef CUSAFE_HOST_HEAP_SMALL_H
#define CUSAFE_HOST_HEAP_SMALL_H

#include "host/heap/state.h"

/* Returns 0 with the window, CS_HOST_HEAP_UNTAGGED, or a CUresult. */
int cs_host_small_alloc(struct cs_host_heap *heap, int location, cs_u32 tag, const struct cs_host_slot *slot,
                        cs_u64 *window);
void cs_host_small_free(struct cs_host_heap *heap, cs_u64 address);

/* The live buffer in the window of this address, and its location; NULL if there is none. */
struct cs_host_slot *cs_host_small_slot(struct cs_host_heap *heap, cs_u64 address, int *location);

/* Whether the memory before the window of this address is a free slot's, and how often that slot was handed out. */
int cs_host_small_free_before(struct cs_host_heap *heap, cs_u64 address, cs_u32 *uses);

/* The mapping of a chunk is gone: CS_PLACEMENT_WINDOW may map it again. */
void cs_host_small_reclaimed(struct cs_host_heap *heap, struct cs_host_chunk *chunk);

/* Releases the physical memory of chunks without a live buffer. */
void cs_host_small_trim(struct cs_host_heap *heap, int location);

#endif
