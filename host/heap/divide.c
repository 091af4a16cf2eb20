/* divide.c: which bytes of a buffer may be accessed, and the regions that explain why. */
#include "host/heap/divide.h"
#include "cusafe/divided.h"
#include "host/heap/state.h"
#include <stdlib.h>

/* ---- buffers ---- */

static void changed(struct cs_host_heap *heap) {
  __atomic_store_n(&heap->division.dirty, 1, __ATOMIC_RELEASE);
  cs_host_heap_count_free(heap); /* what was decided for launches holds no longer */
}

static int divide(struct cs_host_heap *heap, const struct cs_host_heap_buffer *b) {
  struct cs_host_division *d = &heap->division;
  cs_u64 window = cs_tag_window(cs_tag_of(b->start));
  struct cs_host_divided *made = calloc(1, sizeof *made);
  if (!made)
    return CS_HOST_OUT_OF_MEMORY;
  made->node.key = b->start;
  made->bytes = b->size;
  int error = cs_host_shadow_add(&d->shadow, heap->vmm, cs_window_base(b->start), window);
  if (!error && cs_host_hash_add(&d->buffers, &made->node)) {
    cs_host_shadow_remove(&d->shadow, cs_window_base(b->start), window);
    error = CS_HOST_OUT_OF_MEMORY;
  }
  if (error) {
    free(made);
    return error;
  }
  cs_host_shadow_set(&d->shadow, b->start, b->size, 1);
  __atomic_store_n(&d->any, 1, __ATOMIC_RELEASE);
  changed(heap);
  return cs_host_words_set(&heap->words, b->start, cs_divided_word(b->start));
}

static int is_of_pool(const struct cs_host_part *part, const void *data) {
  (void)data;
  return part->known.call != CS_HOST_BY_POISON || part->is_closing;
}
/* All of a poisoned range may be accessed again. */
static int is_granted(const struct cs_host_part *part, const void *data) {
  const struct cs_host_heap_buffer *k = &part->known;
  return k->call == CS_HOST_BY_POISON && cs_host_shadow_granted(data, k->start, k->size) == k->size;
}

/* The divided buffer of a range, which becomes divided if `make`. Without an error and without a buffer, there is
 * nothing to do. */
static int buffer_of(struct cs_host_heap *heap, cs_u64 address, cs_u64 bytes, int make,
                     struct cs_host_divided **found) {
  struct cs_host_heap_buffer b;
  *found = NULL;
  if (heap->placement != CS_PLACEMENT_TABLE || cs_host_heap_find_locked(heap, address, &b) || cs_host_is_graph(b.call))
    return CS_HOST_CARVE_FOREIGN;
  if (b.freed || b.freeing || address - b.start > b.size || bytes > b.size - (address - b.start))
    return CS_HOST_CARVE_OUTSIDE;
  *found = cs_host_divided_at(&heap->division, b.start);
  int error = *found || !make || !bytes ? 0 : divide(heap, &b);
  if (!error)
    *found = cs_host_divided_at(&heap->division, b.start);
  return error;
}

/* ---- regions ---- */

static struct cs_host_part *add_region(struct cs_host_division *d, struct cs_host_divided *of,
                                       const struct cs_host_heap_buffer *known) {
  struct cs_host_part *r = calloc(1, sizeof *r);
  if (!r)
    return NULL;
  r->node.key = known->start;
  r->known = *known;
  r->known.origin = known->start;
  r->serial = ++d->serial;
  if (cs_host_divided_add(d, of, r)) {
    free(r);
    return NULL;
  }
  return r;
}

/* The poisoned range that starts here and has at most this many bytes, or NULL. */
static struct cs_host_part *poison_at(const struct cs_host_division *d, cs_u64 start, cs_u64 bytes) {
  for (struct cs_host_node *n = d->parts.count ? cs_host_hash_find(&d->parts, start) : NULL; n; n = n->next) {
    struct cs_host_part *r = (struct cs_host_part *)n;
    if (n->key == start && r->known.call == CS_HOST_BY_POISON && r->known.size <= bytes)
      return r;
  }
  return NULL;
}

/* A range that was poisoned as a whole is found by its start. Others that the program has unpoisoned are searched only
 * once there are many: pools poison and unpoison all the time. */
static void forget_poison(struct cs_host_division *d, struct cs_host_divided *of, cs_u64 address, cs_u64 bytes) {
  enum { FEW = 64 };
  for (struct cs_host_part *r; (r = poison_at(d, address, bytes));)
    cs_host_divided_remove(d, of, r);
  if (of->count <= of->sweep_at || of->count <= FEW)
    return;
  cs_host_divided_forget(d, of, is_granted, &d->shadow);
  of->sweep_at = 2 * of->count;
}

/* The live region that was added last at this start; without one, the one that ended last. */
static struct cs_host_part *region_at(const struct cs_host_division *d, cs_u64 start) {
  struct cs_host_part *last = NULL;
  for (struct cs_host_node *n = d->parts.count ? cs_host_hash_find(&d->parts, start) : NULL; n; n = n->next) {
    struct cs_host_part *r = (struct cs_host_part *)n;
    if (n->key != start || r->known.call != CS_HOST_BY_REGION)
      continue;
    if (!last || last->known.freed > r->known.freed ||
        (last->known.freed == r->known.freed && r->serial > last->serial))
      last = r;
  }
  return last;
}

/* Whether a part other than a region that has ended has bytes of the range. */
static int is_used(const struct cs_host_divided *of, cs_u64 start, cs_u64 bytes) {
  for (const struct cs_host_part *r = of->first; r; r = r->next) {
    const struct cs_host_heap_buffer *k = &r->known;
    if (k->start < start + bytes && start < k->start + k->size && !(k->call == CS_HOST_BY_REGION && k->freed))
      return 1;
  }
  return 0;
}

static void note_overlap(struct cs_host_divided *of, const struct cs_host_heap_buffer *known, int is_closing) {
  if (known->call == CS_HOST_BY_POOL_HEAP) {
    of->overlaps |= is_used(of, known->start, known->size);
    of->has_pool = 1;
  } else if (!is_closing)
    of->overlaps |= of->has_pool;
}

static int narrow(struct cs_host_heap *heap, const struct cs_host_heap_buffer *known, int is_closing) {
  struct cs_host_divided *of;
  struct cs_host_part *added = NULL;
  cs_host_lock(CS_HOST_LOCK_HEAP);
  int error = buffer_of(heap, known->start, known->size, 1, &of);
  if (!error && of && known->call == CS_HOST_BY_POISON) /* the latest call explains it */
    forget_poison(&heap->division, of, known->start, known->size);
  if (!error && of) {
    note_overlap(of, known, is_closing);
    added = add_region(&heap->division, of, known);
    error = added ? 0 : CS_HOST_OUT_OF_MEMORY; /* what could not be explained is not refused */
  }
  if (added) {
    added->is_closing = is_closing;
    cs_host_shadow_set(&heap->division.shadow, known->start, known->size, 0);
    changed(heap);
  }
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  return error;
}

static struct cs_host_heap_buffer refused(cs_u64 address, cs_u64 bytes, cs_u32 call, cs_u32 stack) {
  return (struct cs_host_heap_buffer){
      .start = address, .size = bytes, .freed = 1, .is_poisoned = 1, .call = call, .freed_by = stack};
}

int cs_host_heap_poison(struct cs_host_heap *heap, cs_u64 address, cs_u64 bytes, cs_u32 stack) {
  const struct cs_host_heap_buffer known = refused(address, bytes, CS_HOST_BY_POISON, stack);
  return narrow(heap, &known, 0);
}

int cs_host_heap_hide(struct cs_host_heap *heap, cs_u64 address, cs_u64 bytes, cs_u32 stack) {
  const struct cs_host_heap_buffer known = refused(address, bytes, CS_HOST_BY_POOL_HEAP, stack);
  return narrow(heap, &known, 0);
}

int cs_host_heap_unpoison(struct cs_host_heap *heap, cs_u64 address, cs_u64 bytes) {
  struct cs_host_divided *of;
  cs_host_lock(CS_HOST_LOCK_HEAP);
  int error = buffer_of(heap, address, bytes, 0, &of);
  if (!error && of) {
    const struct cs_host_part *whole = poison_at(&heap->division, address, bytes);
    of->is_unpoisoned |= !whole || whole->known.size != bytes;
    cs_host_shadow_set(&heap->division.shadow, address, bytes, 1);
    forget_poison(&heap->division, of, address, bytes);
    changed(heap);
  }
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  return error;
}

/* ---- regions of pools ---- */

/* The bytes become a region's. Returns whether nothing else explains access to them: they were refused, by their pool
 * alone. */
static int grant(struct cs_host_heap *heap, struct cs_host_divided *of, cs_u64 start, cs_u64 bytes) {
  struct cs_host_shadow *shadow = &heap->division.shadow;
  int is_alone = of->has_pool && cs_host_shadow_refused(shadow, start, bytes) == bytes;
  of->overlaps |= !is_alone;
  cs_host_shadow_set(shadow, start, bytes, 1);
  changed(heap);
  return is_alone;
}

/* The bytes are a region's no longer. */
static void refuse(struct cs_host_heap *heap, struct cs_host_divided *of, const struct cs_host_part *r, cs_u64 start,
                   cs_u64 bytes) {
  if (of->overlaps || !r->is_alone)
    cs_host_divided_settle(&heap->division, of, start, bytes);
  else
    cs_host_shadow_set(&heap->division.shadow, start, bytes, 0);
  changed(heap);
}

/* A region that was closed by its permissions ends. */
static void forget_closing(struct cs_host_division *d, struct cs_host_divided *of, cs_u64 start) {
  struct cs_host_part *closing = poison_at(d, start, ~0ull);
  while (closing && closing->is_closing) {
    cs_host_divided_remove(d, of, closing);
    closing = poison_at(d, start, ~0ull);
  }
}

/* The part to use for a region: that of one that has ended here, or of the same one. Otherwise they are two, which end
 * one after the other. NULL: out of memory. */
static struct cs_host_part *part_for(struct cs_host_division *d, struct cs_host_divided *of,
                                     const struct cs_host_heap_buffer *known) {
  struct cs_host_part *before = region_at(d, known->start);
  if (!before || (!before->known.freed && before->known.size != known->size))
    return add_region(d, of, known);
  before->known = *known;
  before->known.origin = known->start;
  before->serial = ++d->serial;
  return before;
}

int cs_host_heap_region_add(struct cs_host_heap *heap, cs_u64 address, cs_u64 bytes, cs_u32 stack) {
  const struct cs_host_heap_buffer known = {
      .start = address, .size = bytes, .call = CS_HOST_BY_REGION, .allocated_by = stack};
  struct cs_host_divided *of;
  cs_host_lock(CS_HOST_LOCK_HEAP);
  int error = buffer_of(heap, address, bytes, 0, &of);
  if (!error && of) {
    forget_closing(&heap->division, of, address);
    int is_alone = grant(heap, of, address, bytes);
    struct cs_host_part *r = part_for(&heap->division, of, &known);
    if (r)
      r->is_alone = is_alone;
    else
      error = CS_HOST_OUT_OF_MEMORY;
  }
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  return error;
}

/* The latest region that starts here, and its buffer; NULL if there is none. */
static struct cs_host_part *region_of(struct cs_host_heap *heap, cs_u64 address, struct cs_host_divided **of) {
  struct cs_host_heap_buffer b;
  struct cs_host_part *r = region_at(&heap->division, address);
  *of = r && !cs_host_heap_find_locked(heap, address, &b) ? cs_host_divided_at(&heap->division, b.start) : NULL;
  return *of ? r : NULL;
}

static void end_region(struct cs_host_heap *heap, struct cs_host_divided *of, struct cs_host_part *r, cs_u32 stack) {
  r->known.freed = 1;
  r->known.freed_by = stack;
  r->serial = ++heap->division.serial;
  forget_closing(&heap->division, of, r->known.start);
}

enum cs_host_free_verdict cs_host_heap_region_end(struct cs_host_heap *heap, cs_u64 address, cs_u32 stack) {
  enum cs_host_free_verdict verdict = CS_HOST_FREE_FOREIGN;
  struct cs_host_divided *of;
  cs_host_lock(CS_HOST_LOCK_HEAP);
  struct cs_host_part *r = region_of(heap, address, &of);
  if (r && r->known.freed)
    verdict = CS_HOST_FREE_BAD;
  if (r && !r->known.freed) {
    end_region(heap, of, r, stack);
    refuse(heap, of, r, address, r->known.size);
    verdict = CS_HOST_FREE_OK;
  }
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  return verdict;
}

void cs_host_heap_region_resize(struct cs_host_heap *heap, cs_u64 address, cs_u64 bytes) {
  struct cs_host_divided *of, *checked;
  cs_host_lock(CS_HOST_LOCK_HEAP);
  struct cs_host_part *r = region_of(heap, address, &of);
  if (r && !r->known.freed && !buffer_of(heap, address, bytes, 0, &checked)) {
    cs_u64 before = r->known.size;
    r->known.size = bytes;
    if (bytes > before)
      r->is_alone &= grant(heap, of, address + before, bytes - before);
    else
      refuse(heap, of, r, address + bytes, before - bytes);
  }
  cs_host_unlock(CS_HOST_LOCK_HEAP);
}

int cs_host_heap_region_bytes(struct cs_host_heap *heap, cs_u64 address, cs_u64 *bytes) {
  cs_host_lock(CS_HOST_LOCK_HEAP);
  const struct cs_host_part *r = region_at(&heap->division, address);
  int is_live = r && !r->known.freed;
  *bytes = is_live ? r->known.size : 0;
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  return is_live ? 0 : -1;
}

int cs_host_heap_region_close(struct cs_host_heap *heap, cs_u64 address, cs_u32 stack) {
  cs_u64 bytes;
  if (cs_host_heap_region_bytes(heap, address, &bytes) || !bytes)
    return 0;
  const struct cs_host_heap_buffer known = refused(address, bytes, CS_HOST_BY_POISON, stack);
  return narrow(heap, &known, 1);
}

void cs_host_heap_region_name(struct cs_host_heap *heap, cs_u64 address, const char *name) {
  cs_host_lock(CS_HOST_LOCK_HEAP);
  struct cs_host_part *r = region_at(&heap->division, address);
  if (r)
    r->known.name = name;
  cs_host_unlock(CS_HOST_LOCK_HEAP);
}

/* ---- the end of pools ---- */

/* The pool's memory that was hidden last at this start, or NULL. */
static struct cs_host_part *pool_at(const struct cs_host_divided *of, cs_u64 start) {
  struct cs_host_part *last = NULL;
  for (struct cs_host_part *r = of->first; r; r = r->next)
    if (r->known.call == CS_HOST_BY_POOL_HEAP && r->known.start == start && (!last || r->serial > last->serial))
      last = r;
  return last;
}

static int is_in(const struct cs_host_part *part, const struct cs_host_part *pool) {
  const struct cs_host_heap_buffer *k = &part->known, *of = &pool->known;
  return part->serial > pool->serial && k->start >= of->start && k->start + k->size <= of->start + of->size;
}

/* What a pool contains, but for ranges that the program has poisoned itself. */
static int is_content(const struct cs_host_part *part, const void *pool) {
  return is_of_pool(part, NULL) && is_in(part, pool);
}
static int is_inner(const struct cs_host_part *part, const void *pool) {
  return part->known.call != CS_HOST_BY_REGION && is_content(part, pool);
}

static void end_regions(struct cs_host_divided *of, const struct cs_host_part *pool, cs_u32 stack) {
  for (struct cs_host_part *r = of->first; r; r = r->next)
    if (r->known.call == CS_HOST_BY_REGION && !r->known.freed && is_in(r, pool)) {
      r->known.freed = 1;
      r->known.freed_by = stack;
    }
}

void cs_host_heap_pool_end(struct cs_host_heap *heap, cs_u64 address, int stays, cs_u32 stack) {
  struct cs_host_heap_buffer b;
  cs_host_lock(CS_HOST_LOCK_HEAP);
  struct cs_host_divided *of =
      cs_host_heap_find_locked(heap, address, &b) ? NULL : cs_host_divided_at(&heap->division, b.start);
  struct cs_host_part *pool = of ? pool_at(of, address) : NULL;
  if (pool) {
    struct cs_host_heap_buffer known = pool->known;
    end_regions(of, pool, stack);
    cs_host_divided_forget(&heap->division, of, stays ? is_inner : is_content, pool);
    if (!stays)
      cs_host_divided_remove(&heap->division, of, pool);
    cs_host_divided_settle(&heap->division, of, known.start, known.size);
    changed(heap);
  }
  cs_host_unlock(CS_HOST_LOCK_HEAP);
}

static void undivide(struct cs_host_heap *heap, struct cs_host_divided *of) {
  cs_host_divided_forget(&heap->division, of, is_of_pool, NULL);
  cs_host_divided_settle(&heap->division, of, of->node.key, of->bytes);
  changed(heap);
}

int cs_host_heap_undivide(struct cs_host_heap *heap, cs_u64 address) {
  struct cs_host_heap_buffer b;
  cs_host_lock(CS_HOST_LOCK_HEAP);
  struct cs_host_hash *all = &heap->division.buffers;
  int found = !address && all->count;
  for (size_t i = 0; found && i < all->capacity; i++)
    for (struct cs_host_node *n = all->buckets[i]; n; n = n->next)
      undivide(heap, (struct cs_host_divided *)n);
  struct cs_host_divided *one =
      address && !cs_host_heap_find_locked(heap, address, &b) ? cs_host_divided_at(&heap->division, b.start) : NULL;
  if (one)
    undivide(heap, one);
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  return found || one;
}

/* ---- questions ---- */

int cs_host_heap_grants(struct cs_host_heap *heap, cs_u64 address, cs_u64 bytes) {
  struct cs_host_heap_buffer b;
  if (!__atomic_load_n(&heap->division.any, __ATOMIC_ACQUIRE))
    return 1;
  cs_host_lock(CS_HOST_LOCK_HEAP);
  int granted = cs_host_heap_find_locked(heap, address, &b) || !cs_host_divided_at(&heap->division, b.start) ||
                cs_host_shadow_granted(&heap->division.shadow, address, bytes) == bytes;
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  return granted;
}

/* How well a region explains a refused access: 0: not at all. */
static cs_u64 explains(const struct cs_host_part *r, cs_u64 address, cs_u64 root) {
  const struct cs_host_heap_buffer *k = &r->known;
  int contains = address - k->start < k->size;
  if (k->call == CS_HOST_BY_POISON)
    return contains ? ~0ull : 0;
  if (k->call == CS_HOST_BY_POOL_HEAP)
    return contains ? 1 : 0;
  if (!k->freed && root - k->start < k->size)
    return ~0ull - 1; /* the pointer's own region */
  if (k->freed)
    return contains ? (1ull << 62) + r->serial : 0;
  cs_u64 distance = address < k->start ? 2 * (k->start - address) : address - k->start - k->size;
  return (1ull << 61) - (distance < 1ull << 60 ? distance : 1ull << 60);
}

int cs_host_heap_find_region(struct cs_host_heap *heap, cs_u64 address, cs_u64 bytes, cs_u64 root,
                             struct cs_host_heap_buffer *found) {
  struct cs_host_heap_buffer b;
  cs_u64 best = 0;
  cs_host_lock(CS_HOST_LOCK_HEAP);
  const struct cs_host_divided *of =
      cs_host_heap_find_locked(heap, address, &b) ? NULL : cs_host_divided_at(&heap->division, b.start);
  cs_u64 rest = of && address - b.start < b.size ? b.size - (address - b.start) : 0;
  if (rest)
    address += cs_host_shadow_granted(&heap->division.shadow, address, bytes < rest ? bytes : rest);
  for (const struct cs_host_part *r = of ? of->first : NULL; r; r = r->next) {
    cs_u64 well = explains(r, address, root);
    if (well > best) {
      best = well;
      *found = r->known;
    }
  }
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  return best ? 0 : -1;
}
