/* heap.c: the device heap: windows from the slab of the size's tag, claimed and released through their metadata words
 * alone. */
#include "device/heap.h"
#include "device/attributes.h"
#include "device/error.h"

extern void *malloc(unsigned long size);
extern void free(void *pointer);

static struct cs_device_heap *device_heap(void) {
  return (struct cs_device_heap *)__cs_state.heap;
}

static cs_u64 *word_of(cs_u64 window) {
  return (cs_u64 *)cs_meta_address(window, CS_PLACEMENT);
}

/* Claims the next free window. A full pass over the slab without one means that the slab is full. */
static cs_u64 take(struct cs_device_slab *slab, cs_u32 tag, cs_u64 size) {
  for (cs_u32 tries = 0; tries < slab->count; tries++) {
    cs_u32 slot = __atomic_fetch_add(&slab->next, 1u, __ATOMIC_RELAXED) % slab->count;
    cs_u64 window = slab->base + ((cs_u64)slot << cs_tag_log2(tag)), expected = 0;
    if (__atomic_compare_exchange_n(word_of(window), &expected, cs_meta_word(window, size), 0, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
      return window + cs_buffer_offset(tag, CS_PLACEMENT);
  }
  return 0;
}

COLD void *__cs_malloc(cs_u64 size) {
  struct cs_device_heap *heap = device_heap();
  if (heap == 0)
    return malloc(size); /* no host runtime in this process */
  cs_u64 bytes = size > 0 ? size : 1;
  for (cs_u32 tag = cs_tag_for_size(bytes, CS_PLACEMENT); tag != 0 && tag <= CS_TAG_MAX; tag++) {
    cs_u64 address = take(&heap->slabs[tag], tag, bytes);
    if (address != 0)
      return (void *)address;
  }
  return 0;
}

/* The window of a pointer that malloc may have returned; 0 for anything else. */
static cs_u64 window_of(const struct cs_device_heap *heap, cs_u64 address) {
  if (!cs_is_tagged(address))
    return 0;
  cs_u32 tag = cs_tag_of(address);
  const struct cs_device_slab *slab = &heap->slabs[tag];
  cs_u64 end = slab->base + ((cs_u64)slab->count << cs_tag_log2(tag));
  return address >= slab->base && address < end ? cs_window_base(address) : 0;
}

COLD void __cs_free(void *pointer, cs_u32 site) {
  struct cs_device_heap *heap = device_heap();
  cs_u64 address = (cs_u64)pointer;
  if (heap == 0) {
    free(pointer);
    return;
  }
  cs_u64 window = address ? window_of(heap, address) : 0;
  if (address == 0)
    return;
  if (window == 0 || address != cs_buffer_start(window, CS_PLACEMENT)) {
    __cs_fail_free(pointer, 0, site);
    return;
  }
  if (__atomic_exchange_n(word_of(window), 0ull, __ATOMIC_RELAXED) == 0)
    __cs_fail_free(pointer, 1, site);
}
