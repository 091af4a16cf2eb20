/* heap.c: the heap's interface: chooses a window size, keeps words and history, and answers queries about addresses. */
#include "host/heap/heap.h"
#include "host/base/degraded.h"
#include "host/base/messages.h"
#include "host/heap/account.h"
#include "host/heap/alias.h"
#include "host/heap/init.h"
#include "host/heap/label.h"
#include "host/heap/large.h"
#include "host/heap/reclaim.h"
#include "host/heap/small.h"
#include <stdlib.h>

enum { HISTORY_LENGTH = 1 << 20, LARGER_WINDOWS_TRIED = 6, PAGE_TAG = 12 - 3 };

struct cs_host_heap *cs_host_heap_new(const struct cs_host_vmm *vmm, cs_u32 placement) {
  static struct cs_host_heap spare;
  static int taken;
  struct cs_host_heap *heap = calloc(1, sizeof *heap);
  if (!heap && !__atomic_exchange_n(&taken, 1, __ATOMIC_RELAXED)) {
    heap = &spare; /* a process that is short of memory has a heap, too */
    cs_host_nothing_lost();
  }
  if (!heap)
    return NULL;
  heap->vmm = vmm;
  heap->placement = placement;
  cs_host_history_open(&heap->history, HISTORY_LENGTH);
  return heap;
}

int cs_host_heap_close(struct cs_host_heap *heap) {
  cs_host_lock(CS_HOST_LOCK_HEAP);
  int unused = heap->state == 0 && !heap->preparing;
  if (unused)
    heap->state = -1;
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  return unused ? 0 : -1;
}

cs_u32 cs_host_heap_placement(const struct cs_host_heap *heap) {
  return heap->placement;
}

static int is_small(cs_u32 tag) {
  return tag < CS_HOST_SMALL_TAGS;
}

static int alloc_in_tag(struct cs_host_heap *heap, int location, cs_u32 tag, const struct cs_host_slot *slot,
                        cs_u64 *window) {
  return is_small(tag) ? cs_host_small_alloc(heap, location, tag, slot, window)
                       : cs_host_large_alloc(heap, location, tag, slot, window);
}

/* A region's addresses may be in use, for example by a host sanitizer's shadow; larger windows serve as well. */
static int alloc_somewhere(struct cs_host_heap *heap, int location, cs_u32 tag, const struct cs_host_slot *slot,
                           cs_u64 *window) {
  for (cs_u32 t = tag; t <= CS_TAG_MAX && t <= tag + LARGER_WINDOWS_TRIED; t++) {
    int error = alloc_in_tag(heap, location, t, slot, window);
    if (error != CS_HOST_HEAP_UNTAGGED)
      return error;
    cs_host_message_once(
        1,
        "tagged addresses for %llu-byte windows are in use or exhausted; larger windows or unchecked buffers "
        "are used instead",
        cs_tag_window(t));
  }
  return CS_HOST_HEAP_UNTAGGED;
}

/* Programs assume that pinned memory starts at a page. */
static cs_u32 tag_for(const struct cs_host_heap *heap, const struct cs_host_slot *slot) {
  cs_u32 tag = cs_tag_for_size(slot->size, heap->placement);
  return tag && tag < PAGE_TAG && cs_host_is_pinned(slot->call & 0xff) ? PAGE_TAG : tag;
}

static void release(struct cs_host_heap *heap, cs_u64 address) {
  if (is_small(cs_tag_of(address)))
    cs_host_small_free(heap, address);
  else
    cs_host_large_free(heap, address);
}

static int alloc_locked(struct cs_host_heap *heap, int location, const struct cs_host_slot *slot, cs_u64 *address) {
  cs_u64 window;
  cs_u32 tag = tag_for(heap, slot);
  if (!tag || location < 0 || location >= CS_HOST_LOCATIONS_MAX || !cs_host_heap_is_open(heap))
    return CS_HOST_HEAP_UNTAGGED;
  int error = alloc_somewhere(heap, location, tag, slot, &window);
  while (error == CS_HOST_HEAP_NEEDS_WORDS) {
    error = cs_host_heap_claim_words(heap, heap->wanted);
    if (!error)
      error = alloc_somewhere(heap, location, tag, slot, &window);
  }
  if (error)
    return error;
  *address = cs_buffer_start(window, heap->placement);
  error = cs_host_words_set(&heap->words, window, cs_meta_word(window, slot->size));
  if (error) {
    release(heap, window);
    return error;
  }
  cs_host_label_set(&heap->labels, *address, NULL);
  heap->stats.live++;
  heap->stats.allocated++;
  heap->stats.all_bytes += slot->size;
  heap->stats.live_bytes += slot->size;
  if (heap->stats.peak_bytes < heap->stats.live_bytes)
    heap->stats.peak_bytes = heap->stats.live_bytes;
  return 0;
}

int cs_host_heap_alloc(struct cs_host_heap *heap, int location, cs_u64 size, cs_u32 call, cs_u32 stack,
                       cs_u64 *address) {
  struct cs_host_slot slot = {.size = size, .call = call & 0x7fff, .stack = stack};
  cs_u32 account = cs_host_account_of(slot.call);
  if (size > CS_SIZE_MASK)
    return CS_HOST_HEAP_UNTAGGED; /* larger than any window and the slot's field: the driver decides */
  cs_host_lock(CS_HOST_LOCK_HEAP);
  if (cs_host_account_take(account, size)) {
    cs_host_unlock(CS_HOST_LOCK_HEAP);
    return CS_HOST_HEAP_OVER_LIMIT;
  }
  int error = alloc_locked(heap, location, &slot, address);
  if (error == CS_HOST_OUT_OF_MEMORY) {
    cs_host_small_trim(heap, location);
    cs_host_unlock(CS_HOST_LOCK_HEAP);
    cs_host_heap_reclaim_all(heap);
    cs_host_lock(CS_HOST_LOCK_HEAP);
    error = alloc_locked(heap, location, &slot, address);
  }
  if (error)
    cs_host_account_give(account, size);
  else
    cs_host_account_raise(account);
  heap->stats.untagged += error == CS_HOST_HEAP_UNTAGGED;
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  if (!error)
    cs_host_init_allocated(*address, size, call);
  return error;
}

static int owns(struct cs_host_heap *heap, cs_u64 address) {
  return cs_is_tagged(address) && heap->state == 1 && cs_host_region_owns(&heap->region[cs_tag_of(address)], address);
}

/* A live sub-allocation. */
static struct cs_host_slot *carved_slot(const struct cs_host_alias *alias, cs_u64 address, int *location) {
  struct cs_host_carved *carved = cs_host_carved_at(alias, address);
  *location = alias->memory->location;
  return carved && carved->slot.size ? &carved->slot : NULL;
}

static struct cs_host_slot *live_slot(struct cs_host_heap *heap, cs_u64 address, int *location) {
  if (!owns(heap, address))
    return NULL;
  const struct cs_host_alias *alias = cs_host_alias_at(heap, address);
  if (alias)
    return carved_slot(alias, address, location);
  return is_small(cs_tag_of(address)) ? cs_host_small_slot(heap, address, location)
                                      : cs_host_large_slot(heap, address, location);
}

int cs_host_heap_owns(struct cs_host_heap *heap, cs_u64 address) {
  cs_host_lock(CS_HOST_LOCK_HEAP);
  int answer = owns(heap, address);
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  return answer;
}

/* What only sub-allocations have, as long as their window does not serve again. */
static void describe_carved(const struct cs_host_heap *heap, cs_u64 address, struct cs_host_heap_buffer *b) {
  const struct cs_host_alias *alias = cs_host_alias_at(heap, address);
  const struct cs_host_carved *carved = alias ? cs_host_carved_at(alias, address) : NULL;
  if (!carved)
    return;
  b->start = cs_window_base(address) + carved->offset;
  b->origin = carved->origin;
  b->root = carved->root;
  b->name = carved->name;
  b->is_empty = carved->is_empty;
}

static void describe(const struct cs_host_heap *heap, cs_u64 address, const struct cs_host_slot *slot, int location,
                     struct cs_host_heap_buffer *b) {
  *b = (struct cs_host_heap_buffer){.start = cs_buffer_start(address, heap->placement),
                                    .size = slot->size,
                                    .freeing = slot->freeing,
                                    .device = location % CS_HOST_DEVICES_MAX,
                                    .call = slot->call & 0xff,
                                    .flags = slot->call >> 8,
                                    .allocated_by = slot->stack};
  b->root = b->start;
  b->name = cs_host_label_of(&heap->labels, b->start);
  describe_carved(heap, address, b);
}

void cs_host_heap_count_free(struct cs_host_heap *heap) {
  __atomic_store_n(&heap->frees, heap->frees + 1, __ATOMIC_RELEASE);
}

cs_u64 cs_host_heap_frees(const struct cs_host_heap *heap) {
  return __atomic_load_n(&heap->frees, __ATOMIC_ACQUIRE);
}

static enum cs_host_free_verdict claim_locked(struct cs_host_heap *heap, cs_u64 address, int pinned,
                                              struct cs_host_heap_buffer *b) {
  int location;
  if (!owns(heap, address))
    return CS_HOST_FREE_FOREIGN;
  struct cs_host_slot *slot = live_slot(heap, address, &location);
  if (slot && (slot->call & 0xff) == CS_HOST_BY_CARVE) {
    describe(heap, address, slot, location, b); /* without CuSafe, the pointer to the first byte frees the buffer */
    return address == b->start ? claim_locked(heap, b->origin, pinned, b) : CS_HOST_FREE_BAD;
  }
  if (!slot || slot->freeing || address != cs_buffer_start(address, heap->placement) ||
      cs_host_is_pinned(slot->call & 0xff) != pinned)
    return CS_HOST_FREE_BAD;
  slot->freeing = 1;
  cs_host_account_give(cs_host_account_of(slot->call), slot->size);
  cs_host_heap_count_free(heap);
  describe(heap, address, slot, location, b);
  return CS_HOST_FREE_OK;
}

enum cs_host_free_verdict cs_host_heap_claim_free(struct cs_host_heap *heap, cs_u64 address, int pinned,
                                                  struct cs_host_heap_buffer *buffer) {
  cs_host_lock(CS_HOST_LOCK_HEAP);
  enum cs_host_free_verdict verdict = claim_locked(heap, address, pinned, buffer);
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  return verdict;
}

void cs_host_heap_unclaim(struct cs_host_heap *heap, cs_u64 address) {
  int location;
  cs_host_lock(CS_HOST_LOCK_HEAP);
  struct cs_host_slot *slot = live_slot(heap, address, &location);
  if (slot && slot->freeing) {
    slot->freeing = 0;
    if ((slot->call & 0xff) != CS_HOST_BY_CARVE)
      cs_host_account_restore(cs_host_account_of(slot->call), slot->size);
  }
  cs_host_unlock(CS_HOST_LOCK_HEAP);
}

static void bury(struct cs_host_heap *heap, cs_u64 start, const struct cs_host_slot *slot, cs_u32 stack) {
  struct cs_host_freed freed = {
      .start = start, .size = slot->size, .call = slot->call, .allocated_by = slot->stack, .freed_by = stack};
  cs_host_history_add(&heap->history, &freed);
  cs_host_divided_leave(&heap->division, start);
  cs_host_label_freed(&heap->labels, start);
  if (cs_host_words_set(&heap->words, start, 0)) /* out of memory (WINDOW): the address keeps the old bounds */
    cs_host_degraded(CS_DEGRADED_METADATA);
}

static void free_carved(struct cs_host_heap *heap, struct cs_host_alias *alias, cs_u64 address, cs_u32 stack) {
  struct cs_host_carved *carved = cs_host_carved_at(alias, address);
  bury(heap, cs_window_base(address) + carved->offset, &carved->slot, stack);
  carved->slot.size = carved->slot.freeing = 0;
  alias->live--;
}

struct sweep {
  struct cs_host_heap *heap;
  int device;
  cs_u32 stack;
};

static void free_with_buffer(struct cs_host_alias *alias, cs_u64 address, void *data) {
  const struct sweep *sweep = data;
  free_carved(sweep->heap, alias, address, sweep->stack);
}

void cs_host_heap_each_carved(struct cs_host_heap *heap, cs_u64 address,
                              void (*visit)(struct cs_host_alias *alias, cs_u64 address, void *data), void *data) {
  cs_u32 tag = cs_tag_of(address);
  const void *owner = heap->directory[tag][cs_unit_of(address)];
  if (is_small(tag))
    cs_host_memory_each(((const struct cs_host_view *)owner)->chunk->memory,
                        cs_window_base(address) & (CS_HOST_GRANULE - 1), cs_tag_window(tag), visit, data);
  else
    cs_host_memory_each(((const struct cs_host_large *)owner)->memory, 0, ((const struct cs_host_large *)owner)->bytes,
                        visit, data);
}

static void free_locked(struct cs_host_heap *heap, cs_u64 address, cs_u32 stack) {
  int location;
  const struct cs_host_slot *slot = live_slot(heap, address, &location);
  struct cs_host_alias *alias = cs_host_alias_at(heap, address);
  if (alias && slot && slot->freeing) /* or the window has served again since */
    free_carved(heap, alias, address, stack);
  if (!slot || alias)
    return; /* the buffer of a sub-allocation that waited for its stream was freed first */
  cs_host_heap_each_carved(heap, address, free_with_buffer,
                           &(struct sweep){.heap = heap, .stack = stack}); /* they end with it */
  if (!slot->freeing)
    cs_host_account_give(cs_host_account_of(slot->call), slot->size);
  bury(heap, cs_buffer_start(address, heap->placement), slot, stack);
  cs_host_init_freed(cs_buffer_start(address, heap->placement), slot->size);
  heap->stats.live--;
  heap->stats.live_bytes -= slot->size;
  release(heap, address);
}

void cs_host_heap_free(struct cs_host_heap *heap, cs_u64 address, cs_u32 stack) {
  cs_host_lock(CS_HOST_LOCK_HEAP);
  free_locked(heap, address, stack);
  cs_host_unlock(CS_HOST_LOCK_HEAP);
}

int cs_host_heap_find_locked(struct cs_host_heap *heap, cs_u64 address, struct cs_host_heap_buffer *b) {
  int location;
  const struct cs_host_slot *slot = live_slot(heap, address, &location);
  if (slot) {
    describe(heap, address, slot, location, b);
    return 0;
  }
  const struct cs_host_freed *freed = owns(heap, address) ? cs_host_history_find(&heap->history, address) : NULL;
  if (!freed)
    return -1;
  *b = (struct cs_host_heap_buffer){.start = freed->start,
                                    .size = freed->size,
                                    .freed = 1,
                                    .device = -1,
                                    .call = freed->call & 0xff,
                                    .flags = freed->call >> 8,
                                    .allocated_by = freed->allocated_by,
                                    .freed_by = freed->freed_by,
                                    .name = cs_host_label_of(&heap->labels, freed->start)};
  b->root = b->start;
  describe_carved(heap, address, b);
  return 0;
}

int cs_host_heap_find(struct cs_host_heap *heap, cs_u64 address, struct cs_host_heap_buffer *buffer) {
  cs_host_lock(CS_HOST_LOCK_HEAP);
  int error = cs_host_heap_find_locked(heap, address, buffer);
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  return error;
}

static cs_u64 whole_size(struct cs_host_heap *heap, cs_u64 address) {
  int location;
  if (!owns(heap, address) || cs_host_alias_at(heap, address))
    return CS_HOST_HEAP_NOT_WHOLE;
  const struct cs_host_slot *slot = is_small(cs_tag_of(address)) ? cs_host_small_slot(heap, address, &location)
                                                                 : cs_host_large_slot(heap, address, &location);
  return slot && !slot->freeing && !cs_host_is_graph(slot->call & 0xff) ? slot->size : CS_HOST_HEAP_NOT_WHOLE;
}

void cs_host_heap_whole_sizes(struct cs_host_heap *heap, const cs_u64 *addresses, unsigned count, cs_u64 *sizes) {
  int divides = __atomic_load_n(&heap->division.any, __ATOMIC_ACQUIRE);
  cs_host_lock(CS_HOST_LOCK_HEAP);
  for (unsigned i = 0; i < count; i++)
    sizes[i] = divides ? CS_HOST_HEAP_NOT_WHOLE : whole_size(heap, addresses[i]);
  cs_host_unlock(CS_HOST_LOCK_HEAP);
}

/* The shadow first: a word that divides a buffer relies on it. */
int cs_host_heap_flush(struct cs_host_heap *heap) {
  int divides = __atomic_load_n(&heap->division.dirty, __ATOMIC_ACQUIRE);
  if (!divides && !__atomic_load_n(&heap->words.dirty, __ATOMIC_ACQUIRE))
    return 0;
  cs_host_lock(CS_HOST_LOCK_HEAP);
  int error = divides ? cs_host_shadow_flush(&heap->division.shadow, heap->vmm) : 0;
  if (!error) {
    __atomic_store_n(&heap->division.dirty, 0, __ATOMIC_RELEASE);
    error = cs_host_words_flush(&heap->words);
  }
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  return error;
}

int cs_host_heap_flush_word(struct cs_host_heap *heap, cs_u64 address) {
  cs_host_lock(CS_HOST_LOCK_HEAP);
  int error = cs_host_words_is_dirty(&heap->words, address) ? cs_host_words_flush(&heap->words) : 0;
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  return error;
}

static int is_free_before(struct cs_host_heap *heap, cs_u64 address, cs_u32 *uses) {
  return owns(heap, address) && is_small(cs_tag_of(address)) && cs_host_small_free_before(heap, address, uses);
}

/* The lock is held while the bytes are written: a buffer that gets this memory is not overwritten. */
int cs_host_heap_guard(struct cs_host_heap *heap, cs_u64 address, const void *data, cs_u64 bytes, cs_u32 *uses) {
  cs_host_lock(CS_HOST_LOCK_HEAP);
  int is_free = heap->placement == CS_PLACEMENT_TABLE && is_free_before(heap, address, uses);
  int error = is_free ? heap->vmm->write(cs_window_base(address) - bytes, data, bytes) : 0;
  if (is_free && !error)
    error = heap->vmm->settle();
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  if (error)
    cs_host_degraded(CS_DEGRADED_CANARIES);
  return is_free && !error ? 0 : -1;
}

int cs_host_heap_is_guarded(struct cs_host_heap *heap, cs_u64 address, cs_u32 uses) {
  cs_u32 now;
  cs_host_lock(CS_HOST_LOCK_HEAP);
  int guarded = is_free_before(heap, address, &now) && now == uses;
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  return guarded;
}

/* Visits the live buffers of one unit: all slots of a view, or a large buffer. visit may free the buffer. */
typedef void visitor(struct cs_host_heap *heap, const struct cs_host_heap_buffer *buffer, void *data);

static void visit_unit(struct cs_host_heap *heap, cs_u32 tag, cs_u32 unit, visitor *visit, void *data) {
  cs_u64 first = cs_host_unit_address(tag, unit), window = cs_tag_window(tag);
  cs_u64 end = first + (is_small(tag) ? CS_HOST_GRANULE : window);
  for (cs_u64 address = first; address < end && heap->directory[tag][unit]; address += window) {
    int location;
    struct cs_host_heap_buffer buffer;
    const struct cs_host_slot *slot = live_slot(heap, address, &location);
    if (slot) {
      describe(heap, address, slot, location, &buffer);
      visit(heap, &buffer, data);
    }
  }
}

/* Visits the live sub-allocations of the alias that starts at this unit. */
static void visit_alias(struct cs_host_heap *heap, cs_u32 tag, cs_u32 unit, visitor *visit, void *data) {
  const struct cs_host_alias *alias = heap->aliases[tag] ? heap->aliases[tag][unit] : NULL;
  for (cs_u64 i = 0; alias && alias->unit == unit && i < alias->windows; i++) {
    int location;
    struct cs_host_heap_buffer buffer;
    cs_u64 address = alias->base + i * cs_tag_window(tag);
    const struct cs_host_slot *slot = carved_slot(alias, address, &location);
    if (slot) {
      describe(heap, address, slot, location, &buffer);
      visit(heap, &buffer, data);
    }
  }
}

static void visit_all(struct cs_host_heap *heap, visitor *visit, void *data) {
  for (cs_u32 tag = CS_HEAP_TAG_MIN; tag <= CS_TAG_MAX; tag++)
    for (cs_u32 unit = 0; heap->aliases[tag] && unit < heap->region[tag].reserved; unit++)
      visit_alias(heap, tag, unit, visit, data);
  for (cs_u32 tag = CS_HEAP_TAG_MIN; tag <= CS_TAG_MAX; tag++)
    for (cs_u32 unit = 0; heap->directory[tag] && unit < heap->region[tag].reserved; unit++)
      if (heap->directory[tag][unit])
        visit_unit(heap, tag, unit, visit, data);
}

struct each {
  void (*visit)(const struct cs_host_heap_buffer *buffer, void *data);
  void *data;
};

static void note_carved(struct cs_host_alias *alias, cs_u64 address, void *data) {
  if (!cs_host_carved_at(alias, address)->is_empty)
    *(int *)data = 1;
}

static void show(struct cs_host_heap *heap, const struct cs_host_heap_buffer *buffer, void *data) {
  const struct each *each = data;
  struct cs_host_heap_buffer shown = *buffer;
  if (!cs_host_is_carved(buffer))
    cs_host_heap_each_carved(heap, buffer->start, note_carved, &shown.is_divided);
  shown.is_divided |= cs_host_divided_each(&heap->division, buffer->start, each->visit, each->data);
  each->visit(&shown, each->data);
}

void cs_host_heap_each(struct cs_host_heap *heap, void (*visit)(const struct cs_host_heap_buffer *buffer, void *data),
                       void *data) {
  struct each each = {visit, data};
  cs_host_lock(CS_HOST_LOCK_HEAP);
  visit_all(heap, show, &each);
  cs_host_unlock(CS_HOST_LOCK_HEAP);
}

static void free_on_device(struct cs_host_heap *heap, const struct cs_host_heap_buffer *buffer, void *data) {
  const struct sweep *sweep = data;
  if (sweep->device >= 0 && buffer->device != sweep->device)
    return;
  cs_host_heap_count_free(heap);
  free_locked(heap, buffer->start, sweep->stack);
}

void cs_host_heap_free_device(struct cs_host_heap *heap, int device, cs_u32 stack) {
  struct sweep sweep = {heap, device, stack};
  cs_host_lock(CS_HOST_LOCK_HEAP);
  visit_all(heap, free_on_device, &sweep);
  for (int location = 0; location < CS_HOST_LOCATIONS_MAX; location++)
    if (device < 0 || location % CS_HOST_DEVICES_MAX == device)
      cs_host_small_trim(heap, location);
  cs_host_unlock(CS_HOST_LOCK_HEAP);
}

void cs_host_heap_stats(struct cs_host_heap *heap, struct cs_host_heap_stats *stats) {
  cs_host_lock(CS_HOST_LOCK_HEAP);
  *stats = heap->stats;
  cs_host_unlock(CS_HOST_LOCK_HEAP);
}
