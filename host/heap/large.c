/* large.c: windows of a granule and more, each with its own physical memory. */
#include "host/heap/large.h"
#include "host/base/lazy_memory.h"
#include "host/heap/alias.h"
#include "host/heap/retire.h"
#include <stdlib.h>

/* The unit is about to lose its memory, and `large` with it. */
static void leave(struct cs_host_heap *heap, struct cs_host_large *large, cs_u32 tag, cs_u32 unit) {
  large->leaving = (struct cs_host_leaving){.tag = tag, .unit = unit, .bytes = large->bytes, .handle = large->handle};
  cs_host_heap_leave(heap, &large->leaving);
}

/* Frees `large` if it fails. */
static int map_large(struct cs_host_heap *heap, struct cs_host_large *large, cs_u32 tag, cs_u32 unit) {
  const struct cs_host_vmm *vmm = heap->vmm;
  cs_u64 address = cs_host_unit_address(tag, unit);
  int error = vmm->create(large->location, large->bytes, &large->handle);
  if (error) {
    free(large);
    return error;
  }
  error = vmm->map(address, large->bytes, large->handle);
  if (error) {
    vmm->release(large->handle);
    free(large);
    return error;
  }
  cs_host_region_take(&heap->region[tag], unit);
  error = vmm->access(address, large->bytes, large->location, 1);
  if (error)
    leave(heap, large, tag, unit);
  return error;
}

/* The units on both sides stay unused. CS_PLACEMENT_WINDOW: the next one shows zeros, so that the device can read the
 * word of a pointer just outside. */
static int next_unit(struct cs_host_heap *heap, cs_u32 tag, cs_u32 *unit) {
  struct cs_host_region *region = &heap->region[tag];
  return heap->placement == CS_PLACEMENT_TABLE ? cs_host_region_next_apart(region, heap->vmm, tag, unit)
                                               : cs_host_region_next(region, heap->vmm, tag, unit);
}

int cs_host_large_alloc(struct cs_host_heap *heap, int location, cs_u32 tag, const struct cs_host_slot *slot,
                        cs_u64 *window) {
  cs_u32 unit;
  if (!heap->directory[tag])
    heap->directory[tag] = cs_host_lazy_memory(cs_host_unit_count(tag) * sizeof(void *));
  if (!heap->directory[tag])
    return CS_HOST_OUT_OF_MEMORY;
  int error = next_unit(heap, tag, &unit);
  if (error)
    return error;
  cs_u64 address = cs_host_unit_address(tag, unit);
  if (!cs_host_words_has(&heap->words, address)) {
    heap->wanted = address;
    return CS_HOST_HEAP_NEEDS_WORDS;
  }
  struct cs_host_large *large = calloc(1, sizeof *large);
  if (!large)
    return CS_HOST_OUT_OF_MEMORY;
  large->location = location;
  large->slot = *slot;
  large->bytes = (cs_buffer_offset(tag, heap->placement) + slot->size + CS_HOST_GRANULE - 1) & ~(CS_HOST_GRANULE - 1);
  error = map_large(heap, large, tag, unit);
  if (error)
    return error;
  cs_host_unit_opened(heap, tag, unit);
  if (heap->placement == CS_PLACEMENT_WINDOW && !cs_host_region_take_next(&heap->region[tag], heap->vmm, tag, unit))
    cs_host_retire(heap, tag, unit + 1);
  heap->directory[tag][unit] = large;
  heap->stats.physical_bytes += large->bytes;
  *window = address;
  return 0;
}

static struct cs_host_large *large_at(struct cs_host_heap *heap, cs_u64 address) {
  void **directory = heap->directory[cs_tag_of(address)];
  return directory ? directory[cs_unit_of(address)] : NULL;
}

struct cs_host_slot *cs_host_large_slot(struct cs_host_heap *heap, cs_u64 address, int *location) {
  struct cs_host_large *large = large_at(heap, address);
  if (!large)
    return NULL;
  *location = large->location;
  return &large->slot;
}

void cs_host_large_free(struct cs_host_heap *heap, cs_u64 address) {
  struct cs_host_large *large = large_at(heap, address);
  cs_u32 tag = cs_tag_of(address), unit = cs_unit_of(address);
  heap->stats.physical_bytes -= large->bytes;
  heap->directory[tag][unit] = NULL;
  cs_host_memory_leave(heap, large->memory);
  leave(heap, large, tag, unit);
}
