/* state.c: maps the heap's metadata: when the first buffer is requested, and when a granule of the table is first used.
 * Mapping may wait for the device, so one thread at a time does it, without the lock. */
#include "host/heap/state.h"
#include "host/base/messages.h"

static void begin(struct cs_host_heap *heap) {
  heap->preparing = 1;
  cs_host_unlock(CS_HOST_LOCK_HEAP);
}

static void end(struct cs_host_heap *heap) {
  cs_host_lock(CS_HOST_LOCK_HEAP);
  heap->preparing = 0;
  cs_host_lock_wake(CS_HOST_LOCK_HEAP);
}

int cs_host_heap_is_open(struct cs_host_heap *heap) {
  while (heap->state == 0 && heap->preparing)
    cs_host_lock_wait(CS_HOST_LOCK_HEAP);
  if (heap->state == 0) {
    begin(heap);
    int error = cs_host_words_open(&heap->words, heap->vmm, heap->placement);
    if (error && error != CS_HOST_VMM_NEVER)
      error = cs_host_words_open(&heap->words, heap->vmm, heap->placement); /* the driver may have failed once only */
    if (error)
      cs_host_message_once(0, "the driver refused memory for metadata (error %d)", error);
    end(heap);
    heap->state = error ? error == CS_HOST_VMM_NEVER ? -1 : 0 : 1; /* 0: the next allocation tries again */
  }
  return heap->state == 1;
}

int cs_host_heap_claim_words(struct cs_host_heap *heap, cs_u64 address) {
  struct cs_host_granule made;
  while (heap->preparing)
    cs_host_lock_wait(CS_HOST_LOCK_HEAP);
  if (cs_host_words_has(&heap->words, address))
    return 0;
  made.is_hole = cs_host_words_take_hole(&heap->words, address);
  begin(heap);
  int error = cs_host_words_make(&heap->words, address, &made);
  end(heap);
  if (!error)
    cs_host_words_add(&heap->words, address, &made);
  else if (made.is_hole)
    cs_host_words_add_hole(&heap->words, address);
  return error;
}

void cs_host_heap_leave(struct cs_host_heap *heap, struct cs_host_leaving *leaving) {
  leaving->next = NULL;
  *(heap->leaving_last ? &heap->leaving_last->next : &heap->leaving_first) = leaving;
  heap->leaving_last = leaving;
}
