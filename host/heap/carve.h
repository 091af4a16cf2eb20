/* carve.h: sub-allocations of buffers: parts with their own bounds and lifetime, as pools hand them out.
 *
 * With CS_PLACEMENT_WINDOW there are none: a word in the window would overwrite the buffer's bytes. All functions take
 * the lock of heaps. */
#ifndef CUSAFE_HOST_HEAP_CARVE_H
#define CUSAFE_HOST_HEAP_CARVE_H

#include "host/heap/heap.h"

#define CS_HOST_CARVE_OUTSIDE (-5) /* not inside one live buffer or sub-allocation */
#define CS_HOST_CARVE_FOREIGN (-6) /* not the heap's memory */

/* Returns 0 with an address of the same bytes that has the bounds [address, address + size); or one of the above,
 * CS_HOST_HEAP_UNTAGGED or a CUresult: then there is no sub-allocation, and the address keeps the bounds that it
 * has. */
int cs_host_heap_carve(struct cs_host_heap *heap, cs_u64 address, cs_u64 size, cs_u32 stack, cs_u64 *carved);

/* The first step of giving a sub-allocation back, as cs_host_heap_claim_free() is of a free; the second step is the
 * same. Sets the address that it was carved from, unless the address is CS_HOST_FREE_FOREIGN. */
enum cs_host_free_verdict cs_host_heap_claim_carved(struct cs_host_heap *heap, cs_u64 address, cs_u64 *origin);

/* The same for all live sub-allocations of a buffer, which a free in a stream ends with it. Returns how many; the
 * caller frees *addresses. Without memory for the list there are none: they end when the buffer does. */
size_t cs_host_heap_claim_all_carved(struct cs_host_heap *heap, cs_u64 buffer, cs_u64 **addresses);

/* Another live sub-allocation whose bytes this address of an alias shows; its start is as if it was in the same alias.
 * Returns 0, or -1. */
int cs_host_heap_find_beside(struct cs_host_heap *heap, cs_u64 address, struct cs_host_heap_buffer *buffer);

/* The name of the live buffer or sub-allocation that starts here, for reports. name: stays valid. Returns 0, or -1 if
 * there is none. */
int cs_host_heap_name(struct cs_host_heap *heap, cs_u64 address, const char *name);

#endif
