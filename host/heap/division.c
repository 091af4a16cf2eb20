/* division.c: the list of divided buffers and of their parts. */
#include "host/heap/division.h"
#include <stdlib.h>

struct cs_host_divided *cs_host_divided_at(const struct cs_host_division *d, cs_u64 start) {
  return d->buffers.count ? (struct cs_host_divided *)cs_host_hash_find(&d->buffers, start) : NULL;
}

int cs_host_divided_add(struct cs_host_division *d, struct cs_host_divided *of, struct cs_host_part *part) {
  if (cs_host_hash_add(&d->parts, &part->node))
    return -1;
  part->next = of->first;
  part->link = &of->first;
  if (part->next)
    part->next->link = &part->next;
  of->first = part;
  of->count++;
  return 0;
}

void cs_host_divided_remove(struct cs_host_division *d, struct cs_host_divided *of, struct cs_host_part *part) {
  *part->link = part->next;
  if (part->next)
    part->next->link = part->link;
  of->count--;
  cs_host_hash_remove(&d->parts, &part->node);
  free(part);
}

void cs_host_divided_forget(struct cs_host_division *d, struct cs_host_divided *of,
                            int (*chooses)(const struct cs_host_part *part, const void *data), const void *data) {
  for (struct cs_host_part *r = of->first, *next; r; r = next) {
    next = r->next;
    if (chooses(r, data))
      cs_host_divided_remove(d, of, r);
  }
}

static int is_any(const struct cs_host_part *part, const void *data) {
  (void)part, (void)data;
  return 1;
}

void cs_host_divided_leave(struct cs_host_division *d, cs_u64 start) {
  struct cs_host_divided *of = cs_host_divided_at(d, start);
  if (!of)
    return;
  cs_host_shadow_remove(&d->shadow, cs_window_base(start), cs_tag_window(cs_tag_of(start)));
  cs_host_divided_forget(d, of, is_any, NULL);
  cs_host_hash_remove(&d->buffers, &of->node);
  free(of);
  __atomic_store_n(&d->any, d->buffers.count != 0, __ATOMIC_RELEASE);
  __atomic_store_n(&d->dirty, 1, __ATOMIC_RELEASE);
}

int cs_host_divided_each(const struct cs_host_division *d, cs_u64 start,
                         void (*visit)(const struct cs_host_heap_buffer *region, void *data), void *data) {
  const struct cs_host_divided *of = cs_host_divided_at(d, start);
  int any = 0;
  for (const struct cs_host_part *r = of ? of->first : NULL; r; r = r->next)
    if (!r->known.freed) {
      visit(&r->known, data);
      any = 1;
    }
  return any;
}
