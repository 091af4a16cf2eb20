/* words.c: keeps the metadata words and writes them to the device. */
#include "host/heap/words.h"
#include "host/base/lazy_memory.h"
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>

#define LENT (~(cs_u64)0) /* in the host's copy only */

/* The host's copy of a granule of words, and one bit for each word that has changed. */
enum { SHADOW_BYTES = CS_HOST_GRANULE + CS_HOST_WORDS_PER_GRANULE / 8 };

static cs_u64 table_granule(cs_u64 index) {
  return CS_TABLE_BASE + index * CS_HOST_GRANULE;
}

/* The granule of zeros is mapped writable once, to be zeroed; later mappings are read-only. */
static int make_zeros(struct cs_host_words *w) {
  cs_u64 zeros;
  int error = cs_host_vmm_make_zeroed(w->vmm, CS_TABLE_BASE, &zeros);
  if (error)
    return error;
  w->vmm->unmap(CS_TABLE_BASE, CS_HOST_GRANULE);
  w->zeros = zeros;
  return 0;
}

static int map_table(struct cs_host_words *w) {
  for (; w->mapped < CS_HOST_TABLE_GRANULES; w->mapped++) {
    int error = w->vmm->map(table_granule(w->mapped), CS_HOST_GRANULE, w->zeros);
    if (error)
      return error;
  }
  return w->vmm->access(CS_TABLE_BASE, CS_TABLE_BYTES, -1, 0);
}

static int make_units(struct cs_host_words *w) {
  if (!w->units)
    w->units = cs_host_lazy_memory(CS_HOST_GRANULE);
  return w->units ? cs_host_vmm_make_zeroed(w->vmm, CS_TABLE_BASE, &w->units_handle) : CS_HOST_OUT_OF_MEMORY;
}

int cs_host_words_open(struct cs_host_words *w, const struct cs_host_vmm *vmm, cs_u32 placement) {
  w->vmm = vmm;
  w->placement = placement;
  int table = placement == CS_PLACEMENT_TABLE;
  int error = w->reserved ? 0 : vmm->reserve(CS_TABLE_BASE, table ? CS_TABLE_BYTES : CS_HOST_GRANULE);
  w->reserved = !error;
  if (!error && !w->zeros)
    error = make_zeros(w);
  if (error)
    return error;
  return table ? map_table(w) : make_units(w);
}

static cs_u64 granule_of(const struct cs_host_words *w, cs_u64 address, cs_u64 *index) {
  cs_u64 offset = cs_meta_address(address, w->placement) - CS_TABLE_BASE;
  *index = offset % CS_HOST_GRANULE / 8;
  return offset / CS_HOST_GRANULE;
}

static void mark_dirty(struct cs_host_words *w) {
  __atomic_store_n(&w->dirty, 1, __ATOMIC_RELEASE);
}

/* Shows zeros in a granule that shows nothing: it is not mapped, or mapped without access. */
static int show_zeros(const struct cs_host_words *w, cs_u64 granule) {
  cs_u64 address = table_granule(granule);
  if (w->vmm->access(address, CS_HOST_GRANULE, -1, 0) == 0)
    return 0;
  int error = w->vmm->map(address, CS_HOST_GRANULE, w->zeros);
  return error ? error : w->vmm->access(address, CS_HOST_GRANULE, -1, 0);
}

static int fill_holes(struct cs_host_words *w) {
  for (cs_u64 granule = 0; granule < CS_HOST_TABLE_GRANULES && w->holes; granule++) {
    int error = w->is_hole[granule] ? show_zeros(w, granule) : 0;
    if (error)
      return error;
    w->holes -= w->is_hole[granule];
    w->is_hole[granule] = 0;
  }
  return 0;
}

int cs_host_words_make(const struct cs_host_words *w, cs_u64 word_of, struct cs_host_granule *made) {
  cs_u64 index, granule = granule_of(w, word_of, &index), address = table_granule(granule);
  made->shadow = cs_host_lazy_memory(SHADOW_BYTES);
  if (!made->shadow)
    return CS_HOST_OUT_OF_MEMORY;
  int error = w->vmm->create(-1, CS_HOST_GRANULE, &made->handle);
  if (!error) {
    w->vmm->unmap(address, CS_HOST_GRANULE); /* fails for a hole that is not mapped */
    error = cs_host_vmm_map_zeroed(w->vmm, address, made->handle);
    made->is_hole = error && show_zeros(w, granule);
    if (error)
      w->vmm->release(made->handle);
  }
  if (error)
    munmap(made->shadow, SHADOW_BYTES);
  return error;
}

int cs_host_words_take_hole(struct cs_host_words *w, cs_u64 address) {
  cs_u64 index, granule = granule_of(w, address, &index);
  int was = w->is_hole[granule];
  w->is_hole[granule] = 0;
  w->holes -= was;
  return was;
}

void cs_host_words_add_hole(struct cs_host_words *w, cs_u64 address) {
  cs_u64 index;
  w->is_hole[granule_of(w, address, &index)] = 1;
  w->holes++;
  mark_dirty(w);
}

int cs_host_words_has(const struct cs_host_words *w, cs_u64 address) {
  cs_u64 index;
  return w->placement == CS_PLACEMENT_WINDOW || w->shadow[granule_of(w, address, &index)];
}

void cs_host_words_add(struct cs_host_words *w, cs_u64 address, const struct cs_host_granule *made) {
  cs_u64 index, granule = granule_of(w, address, &index);
  w->shadow[granule] = made->shadow;
  w->dirty_words[granule] = made->shadow + CS_HOST_WORDS_PER_GRANULE;
  w->handle[granule] = made->handle;
}

/* at: the word's device address. */
static int set_pending(struct cs_host_words *w, cs_u64 at, cs_u64 word) {
  if (w->pending_count == w->pending_capacity) {
    size_t capacity = w->pending_capacity ? 2 * w->pending_capacity : 1024;
    void *grown = realloc(w->pending, capacity * sizeof *w->pending);
    if (!grown)
      return CS_HOST_OUT_OF_MEMORY;
    w->pending = grown;
    w->pending_capacity = capacity;
  }
  w->pending[w->pending_count++] = (struct cs_host_pending_word){at, word};
  mark_dirty(w);
  return 0;
}

int cs_host_words_is_dirty(const struct cs_host_words *w, cs_u64 address) {
  cs_u64 index, granule = granule_of(w, address, &index);
  if (w->placement == CS_PLACEMENT_WINDOW)
    return w->dirty;
  return w->dirty_words[granule] && w->dirty_words[granule][index / 64] >> index % 64 & 1;
}

int cs_host_words_set(struct cs_host_words *w, cs_u64 address, cs_u64 word) {
  if (w->placement == CS_PLACEMENT_WINDOW)
    return set_pending(w, cs_meta_address(address, w->placement), word);
  cs_u64 index, granule = granule_of(w, address, &index), page = index / CS_HOST_DIRTY_PAGE;
  w->shadow[granule][index] = word;
  w->dirty_words[granule][index / 64] |= 1ull << index % 64;
  w->dirty_pages[granule][page / 64] |= 1ull << page % 64;
  w->dirty_granules[granule / 64] |= 1ull << granule % 64;
  mark_dirty(w);
  return 0;
}

void cs_host_words_lend(struct cs_host_words *w, cs_u64 address) {
  cs_u64 index, granule = granule_of(w, address, &index);
  if (w->placement == CS_PLACEMENT_TABLE)
    w->shadow[granule][index] = LENT;
}

void cs_host_words_show(struct cs_host_words *w, cs_u64 address, int mapped) {
  if (w->placement != CS_PLACEMENT_WINDOW)
    return;
  cs_u64 bit = cs_unit_bit(address), *word = &w->units[bit / 64], before = *word;
  *word = mapped ? *word | 1ull << bit % 64 : *word & ~(1ull << bit % 64);
  if (*word != before && set_pending(w, cs_unit_word(bit), *word)) {
    w->units_stale = 1;
    mark_dirty(w);
  }
}

int cs_host_words_shows(const struct cs_host_words *w, cs_u64 address) {
  cs_u64 bit = cs_unit_bit(address);
  return w->placement == CS_PLACEMENT_WINDOW && w->units[bit / 64] >> bit % 64 & 1;
}

void cs_host_words_exclude_used(const struct cs_host_words *w, cs_u64 address, cs_u32 count, cs_u64 *bits) {
  if (w->placement == CS_PLACEMENT_WINDOW)
    return;
  cs_u64 index, granule = granule_of(w, address, &index);
  const cs_u64 *shadow = w->shadow[granule];
  for (cs_u32 i = 0; shadow && i < count; i++)
    if (shadow[index + i])
      bits[i / 64] &= ~(1ull << i % 64);
}

/* Drops pending words in these addresses: nothing will read them. */
void cs_host_words_leave(struct cs_host_words *w, cs_u64 address, cs_u64 bytes) {
  size_t kept = 0;
  for (size_t i = 0; i < w->pending_count; i++)
    if (w->pending[i].address - address >= bytes)
      w->pending[kept++] = w->pending[i];
  w->pending_count = kept;
}

struct run {
  cs_u64 first, end;
};

static int write_run(struct cs_host_words *w, cs_u64 granule, const struct run *r) {
  if (r->first == r->end)
    return 0;
  return w->vmm->write(table_granule(granule) + r->first * 8, w->shadow[granule] + r->first, (r->end - r->first) * 8);
}

/* The first bit from this one on that is set; end if there is none. No bit between end and the end of its word is
 * set. */
static cs_u64 next_bit(const cs_u64 *bits, cs_u64 from, cs_u64 end) {
  while (from < end) {
    cs_u64 left = bits[from / 64] >> from % 64;
    if (left)
      return from + (cs_u64)__builtin_ctzll(left);
    from = (from / 64 + 1) * 64;
  }
  return end;
}

/* Writes changed words only: a word that a stream is about to clear must not be restored (see pending.h). */
static int flush_page(struct cs_host_words *w, cs_u64 granule, cs_u64 page, struct run *run) {
  const cs_u64 *bits = w->dirty_words[granule];
  cs_u64 end = (page + 1) * CS_HOST_DIRTY_PAGE;
  for (cs_u64 word = next_bit(bits, page * CS_HOST_DIRTY_PAGE, end); word < end; word = next_bit(bits, word + 1, end)) {
    if (run->end != word) {
      int error = write_run(w, granule, run);
      if (error)
        return error;
      run->first = word;
    }
    run->end = word + 1;
  }
  return 0;
}

static cs_u64 next_page(const struct cs_host_words *w, cs_u64 granule, cs_u64 from) {
  return next_bit(w->dirty_pages[granule], from, CS_HOST_DIRTY_PAGES);
}

static void forget_dirty(struct cs_host_words *w, cs_u64 granule) {
  for (cs_u64 page = next_page(w, granule, 0); page < CS_HOST_DIRTY_PAGES; page = next_page(w, granule, page + 1))
    memset(w->dirty_words[granule] + page * CS_HOST_DIRTY_PAGE / 64, 0, CS_HOST_DIRTY_PAGE / 8);
  memset(w->dirty_pages[granule], 0, sizeof w->dirty_pages[granule]);
  w->dirty_granules[granule / 64] &= ~(1ull << granule % 64);
}

static int flush_granule(struct cs_host_words *w, cs_u64 granule) {
  struct run run = {0, 0};
  for (cs_u64 page = next_page(w, granule, 0); page < CS_HOST_DIRTY_PAGES; page = next_page(w, granule, page + 1)) {
    int error = flush_page(w, granule, page, &run);
    if (error)
      return error;
  }
  int error = write_run(w, granule, &run);
  if (!error)
    forget_dirty(w, granule);
  return error;
}

static int flush_table(struct cs_host_words *w) {
  int error = 0;
  for (cs_u64 granule = next_bit(w->dirty_granules, 0, CS_HOST_TABLE_GRANULES);
       granule < CS_HOST_TABLE_GRANULES && !error;
       granule = next_bit(w->dirty_granules, granule + 1, CS_HOST_TABLE_GRANULES))
    error = flush_granule(w, granule);
  return error;
}

static int flush_windows(struct cs_host_words *w) {
  int stale = w->units_stale ? w->vmm->write(CS_TABLE_BASE, w->units, CS_HOST_GRANULE) : 0;
  if (stale)
    return stale;
  for (size_t i = 0; i < w->pending_count; i++) {
    int error = w->vmm->write(w->pending[i].address, &w->pending[i].word, 8);
    if (error)
      return error;
  }
  return 0;
}

int cs_host_words_flush(struct cs_host_words *w) {
  if (!w->dirty)
    return 0;
  int error = fill_holes(w);
  if (!error)
    error = w->placement == CS_PLACEMENT_TABLE ? flush_table(w) : flush_windows(w);
  if (!error)
    error = w->vmm->settle();
  if (error)
    return error;
  w->pending_count = 0;
  w->units_stale = 0;
  __atomic_store_n(&w->dirty, 0, __ATOMIC_RELEASE);
  return 0;
}
