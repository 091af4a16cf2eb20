/* settle.c: which bytes of a divided buffer may be accessed where its parts overlap: pools inside of regions, regions
 * inside of regions. */
#include "host/base/degraded.h"
#include "host/heap/division.h"
#include <stdlib.h>

struct range {
  cs_u64 start, end;
};

struct layers {
  struct cs_host_part **parts; /* that have bytes in the range, in the order in which they were added */
  size_t count;
  /* What was refused in poisoned parts, which may have been unpoisoned in part. With a pool, bytes may be refused for
   * other reasons: then none. */
  struct range *poisoned;
  size_t poisoned_count;
  int is_complete; /* 0: out of memory */
};

static struct range clip(const struct cs_host_part *part, struct range to) {
  cs_u64 start = part->known.start, end = start + part->known.size;
  return (struct range){start > to.start ? start : to.start, end < to.end ? end : to.end};
}

static int is_layer(const struct cs_host_part *part, struct range in) {
  struct range r = clip(part, in);
  return r.start < r.end && !(part->known.call == CS_HOST_BY_REGION && part->known.freed);
}

static int is_later(const void *a, const void *b) {
  cs_u64 x = (*(struct cs_host_part *const *)a)->serial, y = (*(struct cs_host_part *const *)b)->serial;
  return (x > y) - (x < y);
}

static void list_poisoned(const struct cs_host_shadow *s, struct range in, struct layers *layers) {
  for (cs_u64 at = in.start, refused; at < in.end; at += refused) {
    at += cs_host_shadow_granted(s, at, in.end - at);
    refused = cs_host_shadow_refused(s, at, in.end - at);
    size_t n = layers->poisoned_count;
    if (!refused)
      return;
    if (!(n & (n - 1))) { /* it grows at powers of two */
      struct range *more = realloc(layers->poisoned, 2 * (n + 1) * sizeof *more);
      if (!more) {
        layers->is_complete = 0;
        return;
      }
      layers->poisoned = more;
    }
    layers->poisoned[layers->poisoned_count++] = (struct range){at, at + refused};
  }
}

static struct layers list(const struct cs_host_shadow *s, const struct cs_host_divided *of, struct range in) {
  struct layers layers = {.parts = malloc((of->count + 1) * sizeof(void *)), .is_complete = 1};
  if (!layers.parts)
    return (struct layers){0};
  for (struct cs_host_part *r = of->first; r; r = r->next)
    if (is_layer(r, in)) {
      layers.parts[layers.count++] = r;
      if (r->known.call == CS_HOST_BY_POISON && !(of->is_unpoisoned && of->has_pool))
        list_poisoned(s, clip(r, in), &layers);
    }
  qsort(layers.parts, layers.count, sizeof *layers.parts, is_later);
  return layers;
}

static void poison(struct cs_host_shadow *s, const struct layers *layers, struct range in) {
  for (size_t i = 0; i < layers->poisoned_count; i++) {
    struct range r = layers->poisoned[i];
    cs_u64 start = r.start > in.start ? r.start : in.start, end = r.end < in.end ? r.end : in.end;
    if (start < end)
      cs_host_shadow_set(s, start, end - start, 0);
  }
}

void cs_host_divided_settle(struct cs_host_division *d, struct cs_host_divided *of, cs_u64 start, cs_u64 bytes) {
  struct range in = {start, start + bytes};
  struct layers layers = list(&d->shadow, of, in);
  cs_host_shadow_set(&d->shadow, start, bytes, 1);
  if (!layers.is_complete) /* all of the range may be accessed */
    cs_host_degraded(CS_DEGRADED_PARTS);
  for (size_t i = 0; layers.is_complete && i < layers.count; i++) {
    const struct cs_host_part *r = layers.parts[i];
    struct range here = clip(r, in);
    if (r->known.call == CS_HOST_BY_POISON)
      poison(&d->shadow, &layers, here);
    else
      cs_host_shadow_set(&d->shadow, here.start, here.end - here.start, r->known.call == CS_HOST_BY_REGION);
  }
  free(layers.parts);
  free(layers.poisoned);
}
