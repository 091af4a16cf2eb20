/* carve.c: carves sub-allocations out of live buffers, and takes them back. */
#include "host/heap/carve.h"
#include "host/heap/alias.h"
#include "host/heap/label.h"
#include <stdlib.h>

/* The memory of a live buffer or sub-allocation, and where this mapping of it starts; NULL when out of memory. */
static struct cs_host_memory *memory_at(struct cs_host_heap *heap, cs_u64 address, cs_u64 *base) {
  const struct cs_host_alias *alias = cs_host_alias_at(heap, address);
  cs_u32 tag = cs_tag_of(address), unit = cs_unit_of(address);
  *base = alias ? alias->base : cs_host_unit_address(tag, unit);
  if (alias)
    return alias->memory;
  void *owner = heap->directory[tag][unit];
  struct cs_host_chunk *chunk = tag < CS_HOST_SMALL_TAGS ? ((struct cs_host_view *)owner)->chunk : NULL;
  struct cs_host_large *large = chunk ? NULL : owner;
  struct cs_host_memory **memory = chunk ? &chunk->memory : &large->memory;
  if (*memory || !(*memory = calloc(1, sizeof **memory)))
    return *memory;
  (*memory)->handle = chunk ? chunk->handle : large->handle;
  (*memory)->bytes = chunk ? CS_HOST_GRANULE : large->bytes;
  (*memory)->location = chunk ? chunk->location : large->location;
  return *memory;
}

static int carve_locked(struct cs_host_heap *heap, cs_u64 address, struct cs_host_carved *wanted, cs_u64 *carved) {
  struct cs_host_heap_buffer b;
  cs_u64 base, size = wanted->is_empty ? 0 : wanted->slot.size;
  if (heap->placement != CS_PLACEMENT_TABLE || cs_host_heap_find_locked(heap, address, &b) || cs_host_is_graph(b.call))
    return CS_HOST_CARVE_FOREIGN;
  cs_u64 room = b.is_empty ? 0 : b.size;
  if (b.freed || b.freeing || address - b.start > room || size > room - (address - b.start))
    return CS_HOST_CARVE_OUTSIDE;
  if (address - b.start == room) /* without bytes, at the end */
    return CS_HOST_HEAP_UNTAGGED;
  wanted->root = b.root + (address - b.start);
  struct cs_host_memory *memory = memory_at(heap, address, &base);
  return memory ? cs_host_memory_carve(heap, memory, address - base, wanted, carved) : CS_HOST_OUT_OF_MEMORY;
}

/* The live sub-allocation that starts at this address, or NULL. */
static struct cs_host_carved *starts_at(struct cs_host_heap *heap, cs_u64 address) {
  const struct cs_host_alias *alias = cs_is_tagged(address) ? cs_host_alias_at(heap, address) : NULL;
  struct cs_host_carved *c = alias ? cs_host_carved_at(alias, address) : NULL;
  return c && c->slot.size && address == cs_window_base(address) + c->offset ? c : NULL;
}

/* Without an address of its own, the new one has that of its sub-allocation. Its end must not be taken for the end of
 * that one. */
static void share_start(struct cs_host_heap *heap, cs_u64 address) {
  struct cs_host_carved *c = starts_at(heap, address);
  if (c)
    c->shared++;
}

/* While words are claimed, the lock is released, and the buffer may be freed. */
int cs_host_heap_carve(struct cs_host_heap *heap, cs_u64 address, cs_u64 size, cs_u32 stack, cs_u64 *carved) {
  struct cs_host_carved wanted = {.slot = {.size = size ? size : 1, .call = CS_HOST_BY_CARVE, .stack = stack},
                                  .origin = address,
                                  .is_empty = !size};
  int error = CS_HOST_HEAP_UNTAGGED;
  cs_host_lock(CS_HOST_LOCK_HEAP);
  if (size <= CS_SIZE_MASK)
    error = carve_locked(heap, address, &wanted, carved);
  while (error == CS_HOST_HEAP_NEEDS_WORDS) {
    error = cs_host_heap_claim_words(heap, heap->wanted);
    if (!error)
      error = carve_locked(heap, address, &wanted, carved);
  }
  if (error)
    share_start(heap, address);
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  return error;
}

enum cs_host_free_verdict cs_host_heap_claim_carved(struct cs_host_heap *heap, cs_u64 address, cs_u64 *origin) {
  enum cs_host_free_verdict verdict = CS_HOST_FREE_BAD;
  cs_host_lock(CS_HOST_LOCK_HEAP);
  struct cs_host_carved *c = starts_at(heap, address);
  *origin = c ? c->origin : address;
  struct cs_host_heap_buffer b;
  if (cs_host_heap_find_locked(heap, address, &b) || !cs_host_is_carved(&b))
    verdict = CS_HOST_FREE_FOREIGN;
  else if (c && !c->slot.freeing && c->shared) {
    c->shared--;
    *origin = address;
    verdict = CS_HOST_FREE_FOREIGN;
  } else if (c && !c->slot.freeing) {
    c->slot.freeing = 1;
    cs_host_heap_count_free(heap);
    verdict = CS_HOST_FREE_OK;
  }
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  return verdict;
}

struct claimed {
  cs_u64 *addresses; /* NULL: only counted */
  size_t count;
};

static void claim(struct cs_host_alias *alias, cs_u64 address, void *data) {
  struct claimed *claimed = data;
  struct cs_host_carved *c = cs_host_carved_at(alias, address);
  if (c->slot.freeing)
    return;
  if (claimed->addresses) {
    c->slot.freeing = 1;
    claimed->addresses[claimed->count] = cs_window_base(address) + c->offset;
  }
  claimed->count++;
}

size_t cs_host_heap_claim_all_carved(struct cs_host_heap *heap, cs_u64 buffer, cs_u64 **addresses) {
  struct claimed claimed = {0};
  *addresses = NULL;
  cs_host_lock(CS_HOST_LOCK_HEAP);
  cs_host_heap_each_carved(heap, buffer, claim, &claimed);
  if (claimed.count)
    *addresses = claimed.addresses = calloc(claimed.count, sizeof *claimed.addresses);
  claimed.count = 0;
  if (*addresses) {
    cs_host_heap_each_carved(heap, buffer, claim, &claimed);
    cs_host_heap_count_free(heap);
  }
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  return claimed.count;
}

int cs_host_heap_name(struct cs_host_heap *heap, cs_u64 address, const char *name) {
  cs_host_lock(CS_HOST_LOCK_HEAP);
  struct cs_host_carved *c = starts_at(heap, address);
  struct cs_host_heap_buffer b;
  int is_buffer = !c && !cs_host_heap_find_locked(heap, address, &b) && b.start == address && !b.freed;
  if (c)
    c->name = name;
  else if (is_buffer)
    cs_host_label_set(&heap->labels, address, name);
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  return c || is_buffer ? 0 : -1;
}

/* ---- the bytes beside a sub-allocation ---- */

struct beside {
  struct cs_host_heap *heap;
  const struct cs_host_alias *alias; /* of the address */
  struct cs_host_heap_buffer *buffer;
  int found;
};

static void compare(struct cs_host_alias *alias, cs_u64 address, void *data) {
  struct beside *beside = data;
  struct cs_host_heap_buffer b;
  if (beside->found || cs_host_heap_find_locked(beside->heap, address, &b) || b.freeing || b.is_empty)
    return;
  *beside->buffer = b;
  beside->buffer->start = beside->alias->base + (b.start - alias->base);
  beside->found = 1;
}

int cs_host_heap_find_beside(struct cs_host_heap *heap, cs_u64 address, struct cs_host_heap_buffer *buffer) {
  cs_host_lock(CS_HOST_LOCK_HEAP);
  const struct cs_host_alias *alias = cs_is_tagged(address) ? cs_host_alias_at(heap, address) : NULL;
  struct beside beside = {heap, alias, buffer, 0};
  if (alias)
    cs_host_memory_each(alias->memory, address - alias->base, 1, compare, &beside);
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  return beside.found ? 0 : -1;
}
