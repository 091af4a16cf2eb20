/* large.h: windows of a granule and more. Callers hold the heap's lock. */
#ifndef CUSAFE_HOST_HEAP_LARGE_H
#define CUSAFE_HOST_HEAP_LARGE_H

#include "host/heap/state.h"

/* Returns 0 with the window, CS_HOST_HEAP_UNTAGGED, or a CUresult. */
int cs_host_large_alloc(struct cs_host_heap *heap, int location, cs_u32 tag, const struct cs_host_slot *slot,
                        cs_u64 *window);
void cs_host_large_free(struct cs_host_heap *heap, cs_u64 address);

/* The live buffer in the window of this address, and its location; NULL if there is none. */
struct cs_host_slot *cs_host_large_slot(struct cs_host_heap *heap, cs_u64 address, int *location);

#endif
