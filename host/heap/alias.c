/* alias.c: maps memory again, and finds windows for sub-allocations there. */
#include "host/heap/alias.h"
#include "host/base/lazy_memory.h"
#include <stdlib.h>

/* Each mapping costs the driver a record, and Linux allows 65,530 in a process. */
enum { ALIASES_OF_TAG = 8, ALIASES_MAX = 8192, LARGER_WINDOWS_TRIED = 3 };

struct cs_host_alias *cs_host_alias_at(const struct cs_host_heap *heap, cs_u64 address) {
  struct cs_host_alias **of_tag = heap->aliases[cs_tag_of(address)];
  return of_tag ? of_tag[cs_unit_of(address)] : NULL;
}

struct cs_host_carved *cs_host_carved_at(const struct cs_host_alias *alias, cs_u64 address) {
  cs_u64 window = (address - alias->base) >> cs_tag_log2(alias->tag);
  return window < alias->windows ? &alias->carved[window] : NULL;
}

/* ---- aliases ---- */

static cs_u32 units_of(cs_u32 tag, cs_u64 bytes) {
  return (cs_u32)((bytes + (1ull << cs_unit_log2(tag)) - 1) >> cs_unit_log2(tag));
}

static void set_units(struct cs_host_heap *heap, const struct cs_host_alias *alias, struct cs_host_alias *to) {
  for (cs_u32 i = 0; i < units_of(alias->tag, alias->memory->bytes); i++)
    heap->aliases[alias->tag][alias->unit + i] = to;
}

/* The units are about to lose their memory, and `alias` with it. */
static void leave(struct cs_host_heap *heap, struct cs_host_alias *alias) {
  free(alias->carved);
  alias->leaving = (struct cs_host_leaving){.tag = alias->tag, .unit = alias->unit, .bytes = alias->memory->bytes};
  heap->alias_count--;
  cs_host_heap_leave(heap, &alias->leaving);
}

/* Returns 0, or an error after which the alias is gone. */
static int map(struct cs_host_heap *heap, struct cs_host_alias *alias) {
  const struct cs_host_memory *memory = alias->memory;
  struct cs_host_region *region = &heap->region[alias->tag];
  cs_u32 units = units_of(alias->tag, memory->bytes);
  int error = cs_host_region_next_run(region, heap->vmm, alias->tag, units, &alias->unit);
  alias->base = cs_host_unit_address(alias->tag, alias->unit);
  if (!error)
    error = heap->vmm->map(alias->base, memory->bytes, memory->handle);
  if (error) {
    free(alias->carved);
    free(alias);
    return error;
  }
  for (cs_u32 i = 0; i < units; i++)
    cs_host_region_take(region, alias->unit + i);
  heap->alias_count++;
  error = heap->vmm->access(alias->base, memory->bytes, memory->location, 1);
  if (error)
    leave(heap, alias);
  return error;
}

static int add_alias(struct cs_host_heap *heap, struct cs_host_memory *memory, cs_u32 tag) {
  if (!heap->aliases[tag])
    heap->aliases[tag] = cs_host_lazy_memory(cs_host_unit_count(tag) * sizeof(void *));
  struct cs_host_alias *alias = heap->aliases[tag] ? calloc(1, sizeof *alias) : NULL;
  cs_u64 windows = (memory->bytes + cs_tag_window(tag) - 1) >> cs_tag_log2(tag);
  if (!alias)
    return CS_HOST_OUT_OF_MEMORY;
  *alias = (struct cs_host_alias){.memory = memory, .tag = tag, .windows = windows};
  alias->carved = calloc(windows, sizeof *alias->carved);
  if (!alias->carved) {
    free(alias);
    return CS_HOST_OUT_OF_MEMORY;
  }
  int error = map(heap, alias);
  if (error)
    return error;
  set_units(heap, alias, alias);
  alias->next = memory->first[tag];
  memory->first[tag] = alias;
  memory->count[tag]++;
  return 0;
}

void cs_host_memory_leave(struct cs_host_heap *heap, struct cs_host_memory *memory) {
  for (cs_u32 tag = 0; memory && tag < CS_HOST_ALIAS_TAGS; tag++)
    for (struct cs_host_alias *alias = memory->first[tag], *next; alias; alias = next) {
      next = alias->next;
      set_units(heap, alias, NULL);
      leave(heap, alias);
    }
  free(memory);
}

static int is_live(const struct cs_host_alias *alias, cs_u64 window) {
  return window < alias->windows && alias->carved[window].slot.size;
}

/* Whether the window that starts at this offset of the memory has a live sub-allocation with a byte of [first, first +
 * bytes). A window may be larger than a buffer, and hold a sub-allocation of another one. */
static int is_live_in(const struct cs_host_alias *alias, cs_u64 at, cs_u64 first, cs_u64 bytes) {
  cs_u64 window = at >> cs_tag_log2(alias->tag);
  if (!is_live(alias, window))
    return 0;
  cs_u64 start = at + alias->carved[window].offset;
  return start < first + bytes && start + alias->carved[window].slot.size > first;
}

void cs_host_memory_each(struct cs_host_memory *memory, cs_u64 first, cs_u64 bytes,
                         void (*visit)(struct cs_host_alias *alias, cs_u64 address, void *data), void *data) {
  for (cs_u32 tag = 0; memory && tag < CS_HOST_ALIAS_TAGS; tag++)
    for (struct cs_host_alias *alias = memory->first[tag]; alias; alias = alias->next)
      for (cs_u64 at = first & ~(cs_tag_window(tag) - 1); alias->live && at < first + bytes; at += cs_tag_window(tag))
        if (is_live_in(alias, at, first, bytes))
          visit(alias, alias->base + at, data);
}

/* ---- sub-allocations ---- */

/* A sub-allocation elsewhere may use the window's word. */
static int is_word_free(const struct cs_host_heap *heap, cs_u64 address) {
  cs_u64 bit = 1;
  cs_host_words_exclude_used(&heap->words, address, 1, &bit);
  return bit != 0;
}

/* The oldest alias of those whose window has served least often, so that no address returns before all others have
 * served. apart: no neighbour is live, since host code makes pointers just outside of a buffer. NULL if there is
 * none. */
static struct cs_host_alias *choose(const struct cs_host_heap *heap, const struct cs_host_memory *memory, cs_u32 tag,
                                    cs_u64 offset, int apart) {
  struct cs_host_alias *best = NULL;
  cs_u64 window = offset >> cs_tag_log2(tag);
  for (struct cs_host_alias *a = memory->first[tag]; a; a = a->next)
    if (!is_live(a, window) && (!best || a->carved[window].uses <= best->carved[window].uses) &&
        !(apart && (is_live(a, window - 1) || is_live(a, window + 1))) && is_word_free(heap, a->base + offset))
      best = a;
  return best;
}

static int may_add(const struct cs_host_heap *heap, const struct cs_host_memory *memory, cs_u32 tag) {
  return memory->count[tag] < ALIASES_OF_TAG && heap->alias_count < ALIASES_MAX;
}

/* Where windows of this tag have room; NULL if none has. */
static struct cs_host_alias *choose_or_add(struct cs_host_heap *heap, struct cs_host_memory *memory, cs_u32 tag,
                                           cs_u64 offset) {
  struct cs_host_alias *alias = choose(heap, memory, tag, offset, 1);
  if ((!alias || alias->carved[offset >> cs_tag_log2(tag)].uses) && may_add(heap, memory, tag) &&
      !add_alias(heap, memory, tag))
    alias = choose(heap, memory, tag, offset, 1);
  return alias ? alias : choose(heap, memory, tag, offset, 0);
}

/* The smallest windows in which the range and the address after it are in the same one. */
static cs_u32 tag_for(cs_u64 offset, cs_u64 size) {
  cs_u32 tag = CS_HEAP_TAG_MIN;
  while (tag < CS_HOST_ALIAS_TAGS && offset >> cs_tag_log2(tag) != (offset + size) >> cs_tag_log2(tag))
    tag++;
  return tag;
}

static int carve_at(struct cs_host_heap *heap, struct cs_host_alias *alias, cs_u64 offset,
                    const struct cs_host_carved *wanted, cs_u64 *made) {
  cs_u64 address = alias->base + offset, size = wanted->slot.size;
  if (!cs_host_words_has(&heap->words, address)) {
    heap->wanted = address;
    return CS_HOST_HEAP_NEEDS_WORDS;
  }
  cs_u64 in_window = address - cs_window_base(address), rest = in_window % CS_START_UNIT;
  if (cs_host_words_set(&heap->words, address, cs_meta_word_at(address, in_window - rest, size + rest)))
    return CS_HOST_OUT_OF_MEMORY;
  struct cs_host_carved *carved = &alias->carved[offset >> cs_tag_log2(alias->tag)];
  cs_u32 uses = carved->uses + 1;
  *carved = *wanted;
  carved->offset = (cs_u32)in_window;
  carved->uses = uses;
  alias->live++;
  *made = address;
  return 0;
}

int cs_host_memory_carve(struct cs_host_heap *heap, struct cs_host_memory *memory, cs_u64 offset,
                         const struct cs_host_carved *wanted, cs_u64 *made) {
  cs_u32 tag = tag_for(offset, wanted->slot.size);
  for (cs_u32 t = tag; t < CS_HOST_ALIAS_TAGS && t <= tag + LARGER_WINDOWS_TRIED; t++) {
    struct cs_host_alias *alias = choose_or_add(heap, memory, t, offset);
    if (alias)
      return carve_at(heap, alias, offset, wanted, made);
  }
  return CS_HOST_HEAP_UNTAGGED;
}
