/* retire.c: what becomes of an address whose memory is gone. */
#include "host/heap_parts.h"

static void forget_oldest(struct cs_heap *heap) {
  cs_u32 tag = heap->retired[heap->retired_next].tag, unit = heap->retired[heap->retired_next].unit;
  heap->vmm->unmap(cs_unit_address(tag, unit), CS_GRANULE);
  cs_region_give(&heap->region[tag], unit);
}

/* Only the last CS_RETIRED_MAX units show zeros: each costs the driver a mapping. */
void cs_retire(struct cs_heap *heap, cs_u32 tag, cs_u32 unit) {
  cs_u64 address = cs_unit_address(tag, unit);
  if (heap->placement == CS_PLACEMENT_TABLE || heap->vmm->map(address, CS_GRANULE, heap->words.zeros)) {
    cs_region_give(&heap->region[tag], unit);
    return;
  }
  heap->vmm->access(address, CS_GRANULE, -1, 0);
  if (heap->retired_count == CS_RETIRED_MAX)
    forget_oldest(heap);
  else
    heap->retired_count++;
  heap->retired[heap->retired_next].tag = tag;
  heap->retired[heap->retired_next].unit = unit;
  heap->retired_next = (heap->retired_next + 1) % CS_RETIRED_MAX;
}
