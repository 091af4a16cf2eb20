/* retire.c: keeps addresses readable whose memory is gone. */
#include "host/heap/retire.h"
#include <stdlib.h>

static int show_zeros(struct cs_host_heap *heap, cs_u64 address) {
  int error = heap->vmm->map(address, CS_HOST_GRANULE, heap->words.zeros);
  return error ? error : heap->vmm->access(address, CS_HOST_GRANULE, -1, 0);
}

/* A pointer before the first buffer of a region is in the first unit. */
static void open_first(struct cs_host_heap *heap, cs_u32 tag) {
  cs_u64 address = cs_host_unit_address(tag, 0);
  if (cs_host_region_keeps_first(tag) && !cs_host_words_shows(&heap->words, address) && show_zeros(heap, address) == 0)
    cs_host_words_show(&heap->words, address, 1);
}

void cs_host_unit_opened(struct cs_host_heap *heap, cs_u32 tag, cs_u32 unit) {
  if (heap->placement == CS_PLACEMENT_TABLE)
    return;
  open_first(heap, tag);
  cs_host_words_show(&heap->words, cs_host_unit_address(tag, unit), 1);
}

/* Out of memory: the unit shows zeros for ever. */
static void forget_oldest(struct cs_host_heap *heap) {
  cs_u32 tag = heap->retired[heap->retired_next].tag, unit = heap->retired[heap->retired_next].unit;
  struct cs_host_leaving *leaving = malloc(sizeof *leaving);
  if (!leaving)
    return;
  cs_host_words_show(&heap->words, cs_host_unit_address(tag, unit), 0);
  *leaving = (struct cs_host_leaving){.tag = tag, .unit = unit, .bytes = CS_HOST_GRANULE, .shows_zeros = 1};
  cs_host_heap_leave(heap, leaving);
}

/* Only the last CS_HOST_RETIRED_MAX units show zeros: each costs the driver a mapping. */
void cs_host_retire(struct cs_host_heap *heap, cs_u32 tag, cs_u32 unit) {
  cs_u64 address = cs_host_unit_address(tag, unit);
  if (heap->placement == CS_PLACEMENT_TABLE || show_zeros(heap, address)) {
    cs_host_words_show(&heap->words, address, 0);
    cs_host_region_give(&heap->region[tag], unit);
    return;
  }
  cs_host_words_show(&heap->words, address, 1);
  if (heap->retired_count == CS_HOST_RETIRED_MAX)
    forget_oldest(heap);
  else
    heap->retired_count++;
  heap->retired[heap->retired_next].tag = tag;
  heap->retired[heap->retired_next].unit = unit;
  heap->retired_next = (heap->retired_next + 1) % CS_HOST_RETIRED_MAX;
}
