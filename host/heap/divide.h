/* divide.h: buffers of which only some bytes may be accessed (cusafe/divided.h): poisoned ranges, and regions of memory
 * that a pool hands out at its own addresses.
 *
 * A check on such a buffer is by address alone: it does not find an access that leaves one region and ends in another
 * that is live. With CS_PLACEMENT_WINDOW no buffer is divided. What narrows access must not be called while a kernel
 * may use the buffer. All functions take the lock of heaps. */
#ifndef CUSAFE_HOST_HEAP_DIVIDE_H
#define CUSAFE_HOST_HEAP_DIVIDE_H

#include "host/heap/carve.h"

/* Each returns 0; CS_HOST_CARVE_OUTSIDE or CS_HOST_CARVE_FOREIGN; or an error after which the buffer is not divided. */
int cs_host_heap_poison(struct cs_host_heap *heap, cs_u64 address, cs_u64 bytes, cs_u32 stack);
int cs_host_heap_unpoison(struct cs_host_heap *heap, cs_u64 address, cs_u64 bytes);
/* The range is a pool's: only its regions may be accessed. */
int cs_host_heap_hide(struct cs_host_heap *heap, cs_u64 address, cs_u64 bytes, cs_u32 stack);

/* Regions may overlap, and a region may be the memory of another pool: the latest part that has a byte decides. A
 * region of 0 bytes is one. */
int cs_host_heap_region_add(struct cs_host_heap *heap, cs_u64 address, cs_u64 bytes, cs_u32 stack);
/* The region that starts here ends. CS_HOST_FREE_BAD: it has ended before; CS_HOST_FREE_FOREIGN: there was none. */
enum cs_host_free_verdict cs_host_heap_region_end(struct cs_host_heap *heap, cs_u64 address, cs_u32 stack);
void cs_host_heap_region_resize(struct cs_host_heap *heap, cs_u64 address, cs_u64 bytes);
/* The live region that starts here. Returns 0, or -1 if there is none. */
int cs_host_heap_region_bytes(struct cs_host_heap *heap, cs_u64 address, cs_u64 *bytes);
/* Poisons the live region that starts here, until it is unpoisoned or ends. */
int cs_host_heap_region_close(struct cs_host_heap *heap, cs_u64 address, cs_u32 stack);
/* name: stays valid. */
void cs_host_heap_region_name(struct cs_host_heap *heap, cs_u64 address, const char *name);

/* The regions of a pool's memory that starts here end. stays: others may follow; otherwise the memory is no pool's any
 * longer. */
void cs_host_heap_pool_end(struct cs_host_heap *heap, cs_u64 address, int stays, cs_u32 stack);

/* What is not poisoned of the buffer that contains this address may be accessed again, and its regions are forgotten;
 * 0: of every buffer. Returns whether there was one. */
int cs_host_heap_undivide(struct cs_host_heap *heap, cs_u64 address);

/* Whether the bytes, which are in bounds of their buffer, may be accessed. */
int cs_host_heap_grants(struct cs_host_heap *heap, cs_u64 address, cs_u64 bytes);

/* What explains that an access to these bytes through a pointer with this root was refused: a poisoned range, a region
 * that has ended, or a live region next to it. Returns 0, or -1 if the buffer is not divided. */
int cs_host_heap_find_region(struct cs_host_heap *heap, cs_u64 address, cs_u64 bytes, cs_u64 root,
                             struct cs_host_heap_buffer *found);

#endif
