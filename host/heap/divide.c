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

static int is_of_pool(const struct cs_host_heap_buffer *region, const void *data) {
  (void)data;
  return region->call != CS_HOST_BY_POISON;
}
/* All of a poisoned range may be accessed again. */
static int is_granted(const struct cs_host_heap_buffer *region, const void *data) {
  return region->call == CS_HOST_BY_POISON && cs_host_shadow_granted(data, region->start, region->size) == region->size;
}

/* The divided buffer of a range, which becomes divided if `make`. Without an error and without a buffer, there is nothing to do. */
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

/* A range that was poisoned as a whole is found by its start. Others that the program has unpoisoned are searched only once there are many: pools
 * poison and unpoison all the time. */
static void forget_poison(struct cs_host_division *d, struct cs_host_divided *of, cs_u64 address, cs_u64 bytes) {
  enum { FEW = 64 };
  for (struct cs_host_part *r; (r = poison_at(d, address, bytes));)
    cs_host_divided_remove(d, of, r);
  if (of->count <= of->sweep_at || of->count <= FEW)
    return;
  cs_host_divided_forget(d, of, is_granted, &d->shadow);
  of->sweep_at = 2 * of->count;
}

/* The region that was added last at this start. */
static struct cs_host_part *region_at(const struct cs_host_division *d, cs_u64 start) {
  struct cs_host_part *last = NULL;
  for (struct cs_host_node *n = d->parts.count ? cs_host_hash_find(&d->parts, start) : NULL; n; n = n->next) {
    struct cs_host_part *r = (struct cs_host_part *)n;
    if (n->key == start && r->known.call == CS_HOST_BY_REGION && (!last || r->serial > last->serial))
      last = r;
  }
  return last;
}

static int narrow(struct cs_host_heap *heap, const struct cs_host_heap_buffer *known) {
  struct cs_host_divided *of;
  cs_host_lock(CS_HOST_LOCK_HEAP);
  int error = buffer_of(heap, known->start, known->size, 1, &of);
  if (!error && of && known->call == CS_HOST_BY_POISON) /* the latest call explains it */
    forget_poison(&heap->division, of, known->start, known->size);
  if (!error && of && !add_region(&heap->division, of, known))
    error = CS_HOST_OUT_OF_MEMORY; /* what could not be explained is not refused */
  if (!error && of) {
    cs_host_shadow_set(&heap->division.shadow, known->start, known->size, 0);
    changed(heap);
  }
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  return error;
}

int cs_host_heap_poison(struct cs_host_heap *heap, cs_u64 address, cs_u64 bytes, cs_u32 stack) {
  return narrow(
      heap,
      &(struct cs_host_heap_buffer){
          .start = address, .size = bytes, .freed = 1, .is_poisoned = 1, .call = CS_HOST_BY_POISON, .freed_by = stack});
}

int cs_host_heap_hide(struct cs_host_heap *heap, cs_u64 address, cs_u64 bytes, cs_u32 stack) {
  return narrow(heap, &(struct cs_host_heap_buffer){.start = address,
                                                    .size = bytes,
                                                    .freed = 1,
                                                    .is_poisoned = 1,
                                                    .call = CS_HOST_BY_POOL_HEAP,
                                                    .freed_by = stack});
}

int cs_host_heap_unpoison(struct cs_host_heap *heap, cs_u64 address, cs_u64 bytes) {
  struct cs_host_divided *of;
  cs_host_lock(CS_HOST_LOCK_HEAP);
  int error = buffer_of(heap, address, bytes, 0, &of);
  if (!error && of) {
    cs_host_shadow_set(&heap->division.shadow, address, bytes, 1);
    forget_poison(&heap->division, of, address, bytes);
    changed(heap);
  }
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  return error;
}

int cs_host_heap_region_add(struct cs_host_heap *heap, cs_u64 address, cs_u64 bytes, cs_u32 stack) {
  const struct cs_host_heap_buffer known = {
      .start = address, .size = bytes, .call = CS_HOST_BY_REGION, .allocated_by = stack};
  struct cs_host_divided *of;
  cs_host_lock(CS_HOST_LOCK_HEAP);
  int error = buffer_of(heap, address, bytes, 0, &of);
  if (!error && of) {
    struct cs_host_part *before = region_at(&heap->division, address);
    if (before) {
      before->known = known;
      before->known.origin = address;
      before->serial = ++heap->division.serial;
    } else if (!add_region(&heap->division, of, &known))
      error = CS_HOST_OUT_OF_MEMORY;
    cs_host_shadow_set(&heap->division.shadow, address, bytes, 1);
    changed(heap);
  }
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  return error;
}

enum cs_host_free_verdict cs_host_heap_region_end(struct cs_host_heap *heap, cs_u64 address, cs_u32 stack) {
  enum cs_host_free_verdict verdict = CS_HOST_FREE_FOREIGN;
  cs_host_lock(CS_HOST_LOCK_HEAP);
  struct cs_host_part *r = region_at(&heap->division, address);
  if (r && r->known.freed)
    verdict = CS_HOST_FREE_BAD;
  if (r && !r->known.freed) {
    r->known.freed = 1;
    r->known.freed_by = stack;
    r->serial = ++heap->division.serial;
    cs_host_shadow_set(&heap->division.shadow, address, r->known.size, 0);
    changed(heap);
    verdict = CS_HOST_FREE_OK;
  }
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  return verdict;
}

cs_u64 cs_host_heap_region_bytes(struct cs_host_heap *heap, cs_u64 address) {
  cs_host_lock(CS_HOST_LOCK_HEAP);
  const struct cs_host_part *r = region_at(&heap->division, address);
  cs_u64 bytes = r && !r->known.freed ? r->known.size : 0;
  cs_host_unlock(CS_HOST_LOCK_HEAP);
  return bytes;
}

void cs_host_heap_region_name(struct cs_host_heap *heap, cs_u64 address, const char *name) {
  cs_host_lock(CS_HOST_LOCK_HEAP);
  struct cs_host_part *r = region_at(&heap->division, address);
  if (r)
    r->known.name = name;
  cs_host_unlock(CS_HOST_LOCK_HEAP);
}

struct range {
  cs_u64 start, bytes;
};

/* The ranges of [start, start + bytes) that may not be accessed; a poisoned range may be unpoisoned in part. Without memory, some are left out. */
static size_t list_refused(const struct cs_host_shadow *s, cs_u64 start, cs_u64 bytes, struct range **list,
                           size_t count) {
  for (cs_u64 at = start, end = start + bytes, refused; at < end; at += refused) {
    at += cs_host_shadow_granted(s, at, end - at);
    refused = cs_host_shadow_refused(s, at, end - at);
    if (!refused)
      return count;
    if (!(count & (count - 1))) { /* it grows at powers of two */
      struct range *more = realloc(*list, 2 * (count + 1) * sizeof **list);
      if (!more)
        return count;
      *list = more;
    }
    (*list)[count++] = (struct range){at, refused};
  }
  return count;
}

static void undivide(struct cs_host_heap *heap, struct cs_host_divided *of) {
  struct cs_host_shadow *shadow = &heap->division.shadow;
  struct range *poisoned = NULL;
  size_t count = 0;
  cs_host_divided_forget(&heap->division, of, is_of_pool, NULL);
  for (const struct cs_host_part *r = of->first; r; r = r->next)
    count = list_refused(shadow, r->known.start, r->known.size, &poisoned, count);
  cs_host_shadow_set(shadow, of->node.key, of->bytes, 1);
  for (size_t i = 0; i < count; i++)
    cs_host_shadow_set(shadow, poisoned[i].start, poisoned[i].bytes, 0);
  free(poisoned);
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
