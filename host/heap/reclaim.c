/* reclaim.c: takes memory from units without the heap's lock. */
#include "host/heap/reclaim.h"
#include "host/heap/retire.h"
#include "host/heap/small.h"
#include <stdlib.h>

static struct cs_host_leaving *take_first(struct cs_host_heap *heap) {
  struct cs_host_leaving *leaving = heap->leaving_first;
  if (!leaving)
    return NULL;
  heap->leaving_first = leaving->next;
  if (!leaving->next)
    heap->leaving_last = NULL;
  cs_host_words_leave(&heap->words, cs_host_unit_address(leaving->tag, leaving->unit), leaving->bytes);
  heap->reclaiming++;
  return leaving;
}

static void reclaimed(struct cs_host_heap *heap, struct cs_host_leaving *leaving) {
  cs_u64 first = cs_host_unit_address(leaving->tag, leaving->unit);
  if (leaving->shows_zeros)
    cs_host_region_give(&heap->region[leaving->tag], leaving->unit);
  else
    for (cs_u32 unit = leaving->unit; unit <= cs_unit_of(first + leaving->bytes - 1); unit++)
      cs_host_retire(heap, leaving->tag, unit);
  if (leaving->chunk)
    cs_host_small_reclaimed(heap, leaving->chunk);
  free(leaving);
  if (--heap->reclaiming == 0)
    cs_host_lock_wake(CS_HOST_LOCK_HEAP);
}

void cs_host_heap_reclaim(struct cs_host_heap *heap) {
  cs_host_lock(CS_HOST_LOCK_HEAP);
  for (struct cs_host_leaving *leaving; (leaving = take_first(heap));) {
    cs_host_unlock(CS_HOST_LOCK_HEAP);
    heap->vmm->unmap(cs_host_unit_address(leaving->tag, leaving->unit), leaving->bytes);
    if (leaving->handle)
      heap->vmm->release(leaving->handle);
    cs_host_lock(CS_HOST_LOCK_HEAP);
    reclaimed(heap, leaving);
  }
  cs_host_unlock(CS_HOST_LOCK_HEAP);
}

void cs_host_heap_reclaim_all(struct cs_host_heap *heap) {
  cs_host_heap_reclaim(heap);
  cs_host_lock(CS_HOST_LOCK_HEAP);
  while (heap->reclaiming)
    cs_host_lock_wait(CS_HOST_LOCK_HEAP);
  cs_host_unlock(CS_HOST_LOCK_HEAP);
}

int cs_host_heap_has_leaving(struct cs_host_heap *heap) {
  cs_host_lock(CS_HOST_LOCK_HEAP);
  int any = heap->leaving_first != NULL;
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  return any;
}
