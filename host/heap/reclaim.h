/* reclaim.h: returns the memory of freed buffers to the driver. That may wait for the device, so callers hold no
 * lock. */
#ifndef CUSAFE_HOST_HEAP_RECLAIM_H
#define CUSAFE_HOST_HEAP_RECLAIM_H

struct cs_host_heap;

/* The first reclaims what no other thread is reclaiming; the second also waits for other threads. */
void cs_host_heap_reclaim(struct cs_host_heap *heap);
void cs_host_heap_reclaim_all(struct cs_host_heap *heap);

/* Whether there is something to reclaim. */
int cs_host_heap_has_leaving(struct cs_host_heap *heap);

#endif
