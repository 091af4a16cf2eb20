/* slab.c: adjacent windows that the device itself hands out: malloc in kernels.
 *
 * A slab keeps its units for ever. They are in no directory, so the rest of the heap sees no buffers there. The device owns their
 * words; the host only makes them writable. */
#include "host/heap/slab.h"
#include "host/heap/retire.h"
#include "host/heap/state.h"

/* Memory and words for one more unit. Slabs are never released, so a failure keeps the units made before. */
static int add_unit(struct cs_host_heap *heap, int location, cs_u32 tag, cs_u32 unit) {
  const struct cs_host_vmm *vmm = heap->vmm;
  cs_u64 address = cs_host_unit_address(tag, unit), bytes = 1ull << cs_unit_log2(tag), handle;
  int error = vmm->create(location, bytes, &handle);
  if (error)
    return error;
  error = vmm->map(address, bytes, handle);
  if (!error)
    error = vmm->access(address, bytes, location, 1);
  if (!error)
    error = vmm->zero(address, bytes);
  if (!error)
    cs_host_unit_opened(heap, tag, unit);
  for (cs_u64 window = address; !error && window < address + bytes; window += cs_tag_window(tag))
    error = cs_host_heap_claim_words(heap, window);
  return error;
}

static int fill_slab(struct cs_host_heap *heap, int location, cs_u32 tag, cs_u32 units, struct cs_device_slab *slab) {
  struct cs_host_region *region = &heap->region[tag];
  for (cs_u32 made = 0, unit, expected = 0; made < units; made++, expected = unit + 1) {
    if (cs_host_region_next(region, heap->vmm, tag, &unit))
      return made ? 0 : -1;
    if (made && unit != expected)
      return 0; /* the region wrapped around: the slab ends here */
    cs_host_region_take(region, unit);
    int error = add_unit(heap, location, tag, unit);
    if (error)
      return made ? 0 : error;
    if (!made)
      slab->base = cs_host_unit_address(tag, unit);
    slab->count += (cs_u32)(1u << (cs_unit_log2(tag) - cs_tag_log2(tag)));
  }
  return heap->vmm->settle();
}

int cs_host_heap_slabs(struct cs_host_heap *heap, int location, cs_u64 bytes, struct cs_device_heap *slabs) {
  int error = 0;
  cs_host_lock(CS_HOST_LOCK_HEAP);
  if (!cs_host_heap_is_open(heap))
    error = -1;
  for (cs_u32 tag = CS_HEAP_TAG_MIN; !error && cs_tag_window(tag) <= bytes; tag++)
    error = fill_slab(heap, location, tag, (cs_u32)(bytes >> cs_unit_log2(tag)), &slabs->slabs[tag]);
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  return error;
}
