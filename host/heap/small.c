/* small.c: windows smaller than a granule. */
#include "host/heap/small.h"
#include "host/base/lazy_memory.h"
#include "host/heap/alias.h"
#include "host/heap/retire.h"
#include <stdlib.h>
#include <string.h>

enum { EMPTY_KEPT = 1, WORDS_ZEROED_SINGLY = 64, PAUSE = 4096 };

static struct cs_host_view *view_at(struct cs_host_heap *heap, cs_u32 tag, cs_u32 unit) {
  return heap->directory[tag] ? heap->directory[tag][unit] : NULL;
}

static cs_u32 slot_index(cs_u64 address) {
  return (cs_u32)((address & (CS_HOST_GRANULE - 1)) >> cs_tag_log2(cs_tag_of(address)));
}

static cs_u32 *uses_of(struct cs_host_chunk *chunk, cs_u32 index) {
  return (cs_u32 *)(chunk->slot + chunk->slots) + index;
}

/* A chunk is worth a new mapping when at least a quarter of it is free. In-window words cannot distinguish two mappings
 * of a chunk, so there it must be entirely free. Accepted loss: memory next to long-lived buffers is not used again. */
static int is_worth_mapping(const struct cs_host_heap *heap, const struct cs_host_chunk *chunk) {
  cs_u32 worth = heap->placement == CS_PLACEMENT_WINDOW ? chunk->slots : (chunk->slots + 3) / 4;
  return chunk->free >= worth && !chunk->leaving;
}

static void list_push(struct cs_host_class *class, struct cs_host_chunk *chunk) {
  chunk->waiting = 1;
  chunk->next = NULL;
  chunk->previous = class->last;
  *(class->last ? &class->last->next : &class->first) = chunk;
  class->last = chunk;
  class->empty += chunk->free == chunk->slots;
}

static void list_remove(struct cs_host_class *class, struct cs_host_chunk *chunk) {
  chunk->waiting = 0;
  *(chunk->previous ? &chunk->previous->next : &class->first) = chunk->next;
  *(chunk->next ? &chunk->next->previous : &class->last) = chunk->previous;
  class->empty -= chunk->free == chunk->slots;
}

static void release_chunk(struct cs_host_heap *heap, struct cs_host_chunk *chunk) {
  cs_host_memory_leave(heap, chunk->memory);
  heap->vmm->release(chunk->handle);
  heap->stats.physical_bytes -= CS_HOST_GRANULE;
  free(chunk);
}

static struct cs_host_chunk *new_chunk(struct cs_host_heap *heap, int location, cs_u32 tag, int *error) {
  cs_u32 slots = (cs_u32)(CS_HOST_GRANULE >> cs_tag_log2(tag));
  struct cs_host_chunk *chunk = calloc(1, sizeof *chunk + slots * (sizeof *chunk->slot + sizeof(cs_u32)));
  *error = chunk ? heap->vmm->create(location, CS_HOST_GRANULE, &chunk->handle) : CS_HOST_OUT_OF_MEMORY;
  if (*error) {
    free(chunk);
    return NULL;
  }
  chunk->location = location;
  chunk->tag = tag;
  chunk->slots = chunk->free = slots;
  heap->stats.physical_bytes += CS_HOST_GRANULE;
  return chunk;
}

/* The unit is about to lose its memory, and `view` with it. */
static void leave(struct cs_host_heap *heap, struct cs_host_view *view, struct cs_host_chunk *chunk, cs_u32 unit) {
  view->leaving = (struct cs_host_leaving){
      .tag = chunk->tag, .unit = unit, .bytes = CS_HOST_GRANULE, .chunk = chunk->leaving ? chunk : NULL};
  cs_host_heap_leave(heap, &view->leaving);
}

static void drop_view(struct cs_host_heap *heap, struct cs_host_view *view) {
  heap->directory[view->chunk->tag][view->unit] = NULL;
  view->chunk->leaving = heap->placement == CS_PLACEMENT_WINDOW;
  leave(heap, view, view->chunk, view->unit);
}

/* Host code makes pointers just outside a buffer (arrays counted from one): they must not be in another buffer. So a
 * view hands out no two adjacent slots; the chunk's next view hands out those between. With CS_PLACEMENT_WINDOW a chunk
 * has only one view. */
static void space_out(cs_u64 *serve, cs_u32 length) {
  cs_u64 last = 0;
  for (cs_u32 i = 0; i < length; i++) {
    cs_u64 free = serve[i] & ~last, pick = 0;
    while (free) {
      cs_u64 bit = free & -free;
      pick |= bit;
      free &= ~(bit | bit << 1);
    }
    serve[i] = pick;
    last = pick >> 63;
  }
}

static int is_live(struct cs_host_heap *heap, cs_u64 address) {
  int location;
  return cs_unit_of(address) < heap->region[cs_tag_of(address)].reserved &&
         cs_host_small_slot(heap, address, &location);
}

/* Whether the windows on both sides of the unit are free. */
static int is_apart(struct cs_host_heap *heap, cs_u32 tag, cs_u32 unit) {
  return !(unit > 0 && is_live(heap, cs_host_unit_address(tag, unit) - 1)) &&
         !(unit + 1 < cs_host_unit_count(tag) && is_live(heap, cs_host_unit_address(tag, unit + 1)));
}

/* Which slots of the chunk can be handed out through this unit: physically free, and their words not in use. */
static cs_u32 count_servable(struct cs_host_heap *heap, struct cs_host_class *class, const struct cs_host_chunk *chunk,
                             cs_u32 unit, int spaced) {
  memset(class->serve, 0, sizeof class->serve);
  for (cs_u32 i = 0; i < chunk->slots; i++)
    if (!chunk->slot[i].size)
      class->serve[i / 64] |= 1ull << i % 64;
  cs_host_words_exclude_used(&heap->words, cs_host_unit_address(chunk->tag, unit), chunk->slots, class->serve);
  if (spaced)
    space_out(class->serve, (chunk->slots + 63) / 64);
  cs_u32 count = 0;
  for (cs_u32 i = 0; i < (chunk->slots + 63) / 64; i++)
    count += (cs_u32)__builtin_popcountll(class->serve[i]);
  return count;
}

/* Searches for a unit that serves at least a quarter of the free slots. After one pass over the table's row, takes any
 * unit. */
static int choose_unit(struct cs_host_heap *heap, struct cs_host_class *class, const struct cs_host_chunk *chunk,
                       cs_u32 *unit) {
  cs_u32 pass = (1u << CS_TABLE_INDEX_BITS) / chunk->slots;
  for (cs_u32 tried = 0; tried < 2 * pass; tried++) {
    int error = cs_host_region_next(&heap->region[chunk->tag], heap->vmm, chunk->tag, unit);
    if (error)
      return error;
    int spaced = heap->placement == CS_PLACEMENT_TABLE && tried < pass;
    if (spaced && !is_apart(heap, chunk->tag, *unit))
      continue;
    class->left = count_servable(heap, class, chunk, *unit, spaced);
    if (class->left > 0 && (tried >= pass || class->left >= chunk->free / 4))
      return 0;
  }
  return CS_HOST_HEAP_UNTAGGED;
}

/* Frees `view` if it fails. */
static int map_view(struct cs_host_heap *heap, struct cs_host_view *view, struct cs_host_chunk *chunk, cs_u32 unit) {
  cs_u64 address = cs_host_unit_address(chunk->tag, unit);
  int error = heap->vmm->map(address, CS_HOST_GRANULE, chunk->handle);
  if (error) {
    free(view);
    return error;
  }
  cs_host_region_take(&heap->region[chunk->tag], unit);
  error = heap->vmm->access(address, CS_HOST_GRANULE, chunk->location, 1);
  if (error)
    leave(heap, view, chunk, unit);
  return error;
}

/* In-window words of slots that are not handed out yet must not hold stale values. */
static int clear_window_words(struct cs_host_heap *heap, const struct cs_host_chunk *chunk, cs_u64 address) {
  if (heap->placement != CS_PLACEMENT_WINDOW)
    return 0;
  if (chunk->slots > WORDS_ZEROED_SINGLY)
    return heap->vmm->zero(address, CS_HOST_GRANULE) ? CS_HOST_OUT_OF_MEMORY : heap->vmm->settle();
  for (cs_u32 i = 0; i < chunk->slots; i++)
    if (cs_host_words_set(&heap->words, address + i * cs_tag_window(chunk->tag), 0))
      return CS_HOST_OUT_OF_MEMORY;
  return 0;
}

static int open_view(struct cs_host_heap *heap, struct cs_host_class *class, struct cs_host_chunk *chunk) {
  cs_u32 unit;
  int error = choose_unit(heap, class, chunk, &unit);
  if (error)
    return error;
  cs_u64 address = cs_host_unit_address(chunk->tag, unit);
  if (!cs_host_words_has(&heap->words, address)) {
    heap->wanted = address;
    return CS_HOST_HEAP_NEEDS_WORDS;
  }
  struct cs_host_view *view = calloc(1, sizeof *view);
  error = view ? map_view(heap, view, chunk, unit) : CS_HOST_OUT_OF_MEMORY;
  if (error)
    return error;
  *view = (struct cs_host_view){.chunk = chunk, .unit = unit, .serving = 1};
  cs_host_unit_opened(heap, chunk->tag, unit);
  heap->directory[chunk->tag][unit] = view;
  class->view = view;
  class->cursor = 0;
  return clear_window_words(heap, chunk, address);
}

/* The serving view has no slots left to hand out. */
static void close_view(struct cs_host_heap *heap, struct cs_host_class *class) {
  struct cs_host_view *view = class->view;
  if (!view)
    return;
  struct cs_host_chunk *chunk = view->chunk;
  class->view = NULL;
  class->left = 0;
  view->serving = 0;
  if (view->live == 0)
    drop_view(heap, view);
  if (is_worth_mapping(heap, chunk))
    list_push(class, chunk);
}

static int refill(struct cs_host_heap *heap, struct cs_host_class *class, int location, cs_u32 tag) {
  close_view(heap, class);
  int error = 0;
  struct cs_host_chunk *chunk = class->first;
  if (chunk)
    list_remove(class, chunk);
  else
    chunk = new_chunk(heap, location, tag, &error);
  if (!chunk)
    return error;
  error = open_view(heap, class, chunk);
  if (error) {
    class->left = 0;
    if (class->view)
      close_view(heap, class);
    else if (chunk->free == chunk->slots)
      release_chunk(heap, chunk);
    else
      list_push(class, chunk);
  }
  return error;
}

/* When all words of the tag are in use, the search is long and fails: not at every request. */
static int refill_or_pause(struct cs_host_heap *heap, struct cs_host_class *class, int location, cs_u32 tag) {
  if (class->pause) {
    class->pause--;
    return CS_HOST_HEAP_UNTAGGED;
  }
  int error = refill(heap, class, location, tag);
  if (error == CS_HOST_HEAP_UNTAGGED)
    class->pause = PAUSE;
  return error;
}

static struct cs_host_class *class_for(struct cs_host_heap *heap, int location, cs_u32 tag) {
  struct cs_host_class **class = &heap->class[location][tag];
  if (!*class)
    *class = calloc(1, sizeof **class);
  if (!heap->directory[tag])
    heap->directory[tag] = cs_host_lazy_memory(cs_host_unit_count(tag) * sizeof(void *));
  return heap->directory[tag] ? *class : NULL;
}

static cs_u32 next_slot(struct cs_host_class *class) {
  while (!class->serve[class->cursor])
    class->cursor++;
  cs_u32 bit = (cs_u32)__builtin_ctzll(class->serve[class->cursor]);
  class->serve[class->cursor] &= class->serve[class->cursor] - 1;
  class->left--;
  return class->cursor * 64 + bit;
}

int cs_host_small_alloc(struct cs_host_heap *heap, int location, cs_u32 tag, const struct cs_host_slot *slot,
                        cs_u64 *window) {
  struct cs_host_class *class = class_for(heap, location, tag);
  if (!class)
    return CS_HOST_OUT_OF_MEMORY;
  int error = class->left ? 0 : refill_or_pause(heap, class, location, tag);
  if (error)
    return error;
  struct cs_host_view *view = class->view;
  cs_u32 index = next_slot(class);
  view->chunk->slot[index] = *slot;
  view->chunk->slot[index].unit = view->unit;
  ++*uses_of(view->chunk, index);
  view->chunk->free--;
  view->live++;
  *window = cs_host_unit_address(tag, view->unit) + index * cs_tag_window(tag);
  return 0;
}

int cs_host_small_free_before(struct cs_host_heap *heap, cs_u64 address, cs_u32 *uses) {
  struct cs_host_view *view = view_at(heap, cs_tag_of(address), cs_unit_of(address));
  cs_u32 index = slot_index(address);
  if (!view || !index)
    return 0;
  *uses = *uses_of(view->chunk, index - 1);
  return !view->chunk->slot[index - 1].size;
}

struct cs_host_slot *cs_host_small_slot(struct cs_host_heap *heap, cs_u64 address, int *location) {
  struct cs_host_view *view = view_at(heap, cs_tag_of(address), cs_unit_of(address));
  if (!view)
    return NULL;
  struct cs_host_slot *slot = &view->chunk->slot[slot_index(address)];
  *location = view->chunk->location;
  return slot->size && slot->unit == view->unit ? slot : NULL;
}

/* Lists a chunk that is worth a new mapping, or releases it if it is empty and enough others are. */
static void offer(struct cs_host_heap *heap, struct cs_host_class *class, struct cs_host_chunk *chunk) {
  if (!chunk->waiting && is_worth_mapping(heap, chunk))
    list_push(class, chunk);
  if (chunk->waiting && chunk->free == chunk->slots && class->empty > EMPTY_KEPT) {
    list_remove(class, chunk);
    release_chunk(heap, chunk);
  }
}

void cs_host_small_reclaimed(struct cs_host_heap *heap, struct cs_host_chunk *chunk) {
  chunk->leaving = 0;
  offer(heap, heap->class[chunk->location][chunk->tag], chunk);
}

/* A chunk that no view serves from gained a free slot. */
static void reconsider(struct cs_host_heap *heap, struct cs_host_class *class, struct cs_host_chunk *chunk) {
  if (chunk->waiting && chunk->free == chunk->slots)
    class->empty++;
  offer(heap, class, chunk);
}

void cs_host_small_free(struct cs_host_heap *heap, cs_u64 address) {
  struct cs_host_view *view = view_at(heap, cs_tag_of(address), cs_unit_of(address));
  struct cs_host_chunk *chunk = view->chunk;
  struct cs_host_class *class = heap->class[chunk->location][chunk->tag];
  memset(&chunk->slot[slot_index(address)], 0, sizeof(struct cs_host_slot));
  chunk->free++;
  if (--view->live == 0 && !view->serving)
    drop_view(heap, view);
  if (!class->view || class->view->chunk != chunk)
    reconsider(heap, class, chunk);
}

void cs_host_small_trim(struct cs_host_heap *heap, int location) {
  for (cs_u32 tag = 0; tag < CS_HOST_SMALL_TAGS; tag++) {
    struct cs_host_class *class = heap->class[location][tag];
    if (!class)
      continue;
    if (class->view && class->view->chunk->free == class->view->chunk->slots)
      close_view(heap, class);
    for (struct cs_host_chunk *chunk = class->first, *next; chunk; chunk = next) {
      next = chunk->next;
      if (chunk->free == chunk->slots) {
        list_remove(class, chunk);
        release_chunk(heap, chunk);
      }
    }
  }
}
