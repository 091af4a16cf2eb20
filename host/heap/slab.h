/* slab.h: windows that the device itself hands out: malloc in kernels. */
#ifndef CUSAFE_HOST_HEAP_SLAB_H
#define CUSAFE_HOST_HEAP_SLAB_H

#include "cusafe/abi.h"
#include "host/heap/heap.h"

/* Maps slabs of up to this many bytes for each window size. Takes the heap's lock. Returns 0 or an error. */
int cs_host_heap_slabs(struct cs_host_heap *heap, int location, cs_u64 bytes, struct cs_device_heap *slabs);
/* The device will not use them again. Takes the heap's lock; the memory returns to the driver with
 * cs_host_heap_reclaim(). */
void cs_host_heap_free_slabs(struct cs_host_heap *heap, const struct cs_device_heap *slabs);

#endif
