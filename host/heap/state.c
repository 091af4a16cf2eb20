/* state.c: opens the heap: maps the metadata when the first buffer is requested. */
#include "host/heap/state.h"
#include "host/base/messages.h"

int cs_host_heap_is_open(struct cs_host_heap *heap) {
  if (heap->state == 0) {
    int error = cs_host_words_open(&heap->words, heap->vmm, heap->placement);
    if (error && error != CS_HOST_VMM_NEVER)
      error = cs_host_words_open(&heap->words, heap->vmm, heap->placement); /* the driver may have failed once only */
    heap->state = error ? error == CS_HOST_VMM_NEVER ? -1 : 0 : 1; /* 0: the next allocation tries again */
    if (error)
      cs_host_message_once(0, "the driver refused memory for metadata (error %d)", error);
  }
  return heap->state == 1;
}
