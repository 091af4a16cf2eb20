/* heap.c: malloc and free in kernels, from the slabs of struct cs_heap. */
#include "support.h"

static struct cs_heap *heap(void) {
  return (struct cs_heap *)((struct cs_launch *)__cr_block())->heap;
}

static u32 *states(struct cs_heap *h, u32 class_number) {
  return (u32 *)h->states + cs_heap_first_slot(h, class_number);
}

static char *take(struct cs_heap *h, u32 class_number) {
  u64 slots = cs_heap_slots(h, class_number);
  for (u64 tries = 0; tries < slots; tries++) {
    u64 slot = __atomic_fetch_add(&h->next[class_number], 1u, __ATOMIC_RELAXED) & (slots - 1);
    u32 expected = 0;
    if (__atomic_compare_exchange_n(states(h, class_number) + slot, &expected, 1u, 0, __ATOMIC_RELAXED,
                                    __ATOMIC_RELAXED))
      return (char *)(h->memory + class_number * h->slab_bytes + (slot << CS_HEAP_SLOT_LOG2(class_number)));
  }
  return 0;
}

PER_LANE char *__cr_malloc(u64 size) {
  struct cs_heap *h = heap();
  if (h == 0 || size == 0)
    return 0;
  for (u32 c = 0; c < CS_HEAP_CLASSES; c++) {
    char *found = size <= 1ull << CS_HEAP_SLOT_LOG2(c) ? take(h, c) : 0;
    if (found)
      return found;
  }
  return 0;
}

PER_LANE void __cr_free(char *pointer) {
  struct cs_heap *h = heap();
  u64 offset = (u64)pointer - (h ? h->memory : 0);
  if (h == 0 || pointer == 0 || offset >= CS_HEAP_CLASSES * h->slab_bytes)
    return;
  u32 c = (u32)(offset / h->slab_bytes);
  u64 slot = (offset - c * h->slab_bytes) >> CS_HEAP_SLOT_LOG2(c);
  __atomic_store_n(states(h, c) + slot, 0u, __ATOMIC_RELAXED);
}
