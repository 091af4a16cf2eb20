/* slab.c: adjacent windows that the device itself hands out: malloc in kernels.
 *
 * A slab's units are in no directory, so the rest of the heap sees no buffers there. The device owns their words; the
 * host only makes them writable, and clears them in the end. */
#include "host/heap/slab.h"
#include "host/heap/retire.h"
#include "host/heap/state.h"
#include <stdlib.h>
#include <string.h>

/* Memory and words for one more unit. The mapping holds the memory. After a failure the unit is not used again, and the
 * units made before are a slab. */
static int add_unit(struct cs_host_heap *heap, int location, cs_u32 tag, cs_u32 unit) {
  const struct cs_host_vmm *vmm = heap->vmm;
  cs_u64 address = cs_host_unit_address(tag, unit), bytes = 1ull << cs_unit_log2(tag), handle;
  int error = vmm->create(location, bytes, &handle);
  if (error)
    return error;
  error = vmm->map(address, bytes, handle);
  vmm->release(handle);
  if (!error)
    error = vmm->access(address, bytes, location, 1);
  if (!error && heap->placement == CS_PLACEMENT_WINDOW) /* the words, which are in the windows */
    error = vmm->zero(address, bytes);
  if (!error)
    cs_host_unit_opened(heap, tag, unit);
  for (cs_u64 window = address; !error && window < address + bytes; window += cs_tag_window(tag)) {
    error = cs_host_heap_claim_words(heap, window);
    if (!error)
      cs_host_words_lend(&heap->words, window);
  }
  return error;
}

/* Units far apart share words: a buffer of another one may use some of this unit's. */
static int are_words_free(const struct cs_host_heap *heap, cs_u32 tag, cs_u32 unit) {
  enum { MAX_WINDOWS = CS_HOST_GRANULE >> 8 }; /* CS_HEAP_TAG_MIN */
  cs_u64 bits[MAX_WINDOWS / 64], all = ~(cs_u64)0;
  if (cs_tag_window(tag) >= CS_HOST_GRANULE)
    return 1; /* the table has a word for every window */
  cs_u32 count = (cs_u32)(CS_HOST_GRANULE >> cs_tag_log2(tag));
  memset(bits, 0xff, sizeof bits);
  cs_host_words_exclude_used(&heap->words, cs_host_unit_address(tag, unit), count, bits);
  for (cs_u32 i = 0; i < MAX_WINDOWS / 64; i++)
    all &= bits[i];
  return all == ~(cs_u64)0;
}

/* The next unit, after `before` if that is not NULL. Returns 0, or -1. */
static int next_unit(struct cs_host_heap *heap, cs_u32 tag, const cs_u32 *before, cs_u32 *unit) {
  for (cs_u32 tried = 0; tried < heap->region[tag].reserved || !tried; tried++) {
    if (cs_host_region_next(&heap->region[tag], heap->vmm, tag, unit))
      return -1;
    int is_free = are_words_free(heap, tag, *unit);
    if (before)
      return is_free && *unit == *before + 1 ? 0 : -1;
    if (is_free)
      return 0;
  }
  return -1;
}

static int fill_slab(struct cs_host_heap *heap, int location, cs_u32 tag, cs_u32 units, struct cs_device_slab *slab) {
  for (cs_u32 made = 0, unit, before = 0; made < units; made++, before = unit) {
    if (next_unit(heap, tag, made ? &before : NULL, &unit))
      return made ? 0 : -1;
    cs_host_region_take(&heap->region[tag], unit);
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

/* Out of memory: the unit is not used again. */
static void free_unit(struct cs_host_heap *heap, cs_u32 tag, cs_u32 unit) {
  struct cs_host_leaving *leaving = malloc(sizeof *leaving);
  if (!leaving)
    return;
  *leaving = (struct cs_host_leaving){.tag = tag, .unit = unit, .bytes = 1ull << cs_unit_log2(tag)};
  cs_host_heap_leave(heap, leaving);
}

/* CS_PLACEMENT_WINDOW: the words go with the memory. */
static void clear_words(struct cs_host_heap *heap, const struct cs_device_slab *slab, cs_u32 tag) {
  for (cs_u32 i = 0; heap->placement == CS_PLACEMENT_TABLE && i < slab->count; i++)
    cs_host_words_set(&heap->words, slab->base + i * cs_tag_window(tag), 0);
}

void cs_host_heap_free_slabs(struct cs_host_heap *heap, const struct cs_device_heap *slabs) {
  cs_host_lock(CS_HOST_LOCK_HEAP);
  for (cs_u32 tag = CS_HEAP_TAG_MIN; tag <= CS_TAG_MAX; tag++) {
    const struct cs_device_slab *slab = &slabs->slabs[tag];
    cs_u64 units = (slab->count * cs_tag_window(tag)) >> cs_unit_log2(tag);
    clear_words(heap, slab, tag);
    for (cs_u64 i = 0; i < units; i++)
      free_unit(heap, tag, cs_unit_of(slab->base) + (cs_u32)i);
  }
  cs_host_unlock(CS_HOST_LOCK_HEAP);
}
