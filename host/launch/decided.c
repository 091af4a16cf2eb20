/* decided.c: remembers for which of a kernel's last launches the predicate held, and for which it did not. */
#include "host/launch/decided.h"
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

enum { MAX_DECIDED = 4 }; /* launches of one kernel: programs swap buffers between two */
enum { MAX_ALIKE = 4 };   /* kinds of launches */
enum { MAX_FAILED = 16 }; /* launches for which the predicate failed */
/* After PATIENCE failures in a row, the predicate is evaluated for every PAUSE-th launch. */
enum { PATIENCE = 16, PAUSE = 64 };

struct cs_host_decided {
  /* It holds again for the same arguments while no buffer is freed. */
  struct {
    struct cs_host_asked asked;
    cs_u64 bounds[CS_FORM_BOUNDS];
  } same[MAX_DECIDED];
  unsigned oldest;
  /* And for other buffers, if they are as large, and the pointers are at the same places in them. */
  struct cs_host_alike_reads reads;
  int are_alike; /* 0, or -1: launches of this kernel never are */
  struct {
    struct cs_host_alike_key key;
    cs_u64 bounds[CS_FORM_BOUNDS];
  } alike[MAX_ALIKE];
  unsigned oldest_alike;
  /* Hashes of launches for which it did not hold. Two launches with the same hash cost time, not a finding. */
  cs_u64 failed[MAX_FAILED];
  unsigned oldest_failed;
  cs_u32 failures; /* since it last held */
  cs_u32 passed;   /* launches since it was last evaluated */
};

struct cs_host_decided *cs_host_decided_make(const struct cs_host_form *form) {
  struct cs_host_decided *d = calloc(1, sizeof *d);
  if (d)
    d->are_alike = cs_host_alike_reads(form, &d->reads);
  return d;
}

void cs_host_decided_delete(struct cs_host_decided *decided) {
  free(decided);
}

/* All arguments in one piece; 0 bytes if they have no room. */
static cs_u32 pack(const struct cs_host_form *form, const char *const *values, char *to) {
  cs_u32 used = 0;
  for (cs_u32 i = 0; i < form->form.parameter_count; i++) {
    cs_u32 bytes = form->parameters[i].size;
    if (bytes > CS_HOST_DECIDED_ARGUMENTS - used)
      return 0;
    memcpy(to + used, values[i], bytes);
    used += bytes;
  }
  return used;
}

void cs_host_decided_ask(const struct cs_host_form *form, const struct cs_host_launch_values *launch, cs_u64 frees,
                         struct cs_host_asked *asked) {
  asked->frees = frees;
  asked->argument_bytes = pack(form, launch->parameters, asked->arguments);
  memcpy(asked->shape, launch->grid, sizeof launch->grid);
  memcpy(asked->shape + 3, launch->block, sizeof launch->block);
  asked->shape[6] = launch->dynamic;
}

static int is_same(const struct cs_host_asked *a, const struct cs_host_asked *b) {
  return a->argument_bytes == b->argument_bytes && a->frees == b->frees &&
         memcmp(a->shape, b->shape, sizeof a->shape) == 0 && memcmp(a->arguments, b->arguments, a->argument_bytes) == 0;
}

static void add_same(struct cs_host_decided *d, const struct cs_host_form *form, const struct cs_host_asked *asked,
                     const cs_u64 *bounds) {
  struct cs_host_asked *slot = &d->same[d->oldest].asked;
  memcpy(slot, asked, offsetof(struct cs_host_asked, arguments) + asked->argument_bytes);
  memcpy(d->same[d->oldest].bounds, bounds, form->form.bound_count * sizeof *bounds);
  d->oldest = (d->oldest + 1) % MAX_DECIDED;
}

int cs_host_decided_same(const struct cs_host_decided *decided, const struct cs_host_form *form,
                         const struct cs_host_asked *asked, cs_u64 *bounds) {
  int i = 0;
  while (i < MAX_DECIDED && !is_same(&decided->same[i].asked, asked))
    i++;
  if (!asked->argument_bytes || i == MAX_DECIDED)
    return 0;
  memcpy(bounds, decided->same[i].bounds, form->form.bound_count * sizeof *bounds);
  return 1;
}

int cs_host_decided_alike(struct cs_host_decided *decided, const struct cs_host_form *form,
                          const struct cs_host_launch_values *launch, const struct cs_host_asked *asked,
                          struct cs_host_alike_key *key, cs_u64 *bounds) {
  int i = 0;
  key->count = key->found.count = key->found.last = 0;
  if (decided->are_alike)
    return 0;
  cs_host_alike_key(form, &decided->reads, launch, key);
  while (i < MAX_ALIKE && !cs_host_alike_equal(&decided->alike[i].key, key))
    i++;
  if (i == MAX_ALIKE)
    return 0;
  memcpy(bounds, decided->alike[i].bounds, form->form.bound_count * sizeof *bounds);
  cs_host_alike_bounds(form, &decided->reads, key, bounds);
  add_same(decided, form, asked, bounds);
  decided->failures = decided->passed = 0;
  return 1;
}

/* Never 0. */
static cs_u64 hash_of(const struct cs_host_asked *asked) {
  cs_u64 hash = asked->frees ^ (cs_u64)asked->argument_bytes << 48, word = 0;
  const char *parts[] = {(const char *)asked->shape, asked->arguments};
  const size_t bytes[] = {sizeof asked->shape, asked->argument_bytes};
  for (int i = 0; i < 2; i++)
    for (size_t at = 0; at < bytes[i]; at += sizeof word) {
      size_t left = bytes[i] - at;
      word = 0;
      memcpy(&word, parts[i] + at, left < sizeof word ? left : sizeof word);
      hash = (hash ^ word) * 0x9E3779B97F4A7C15ull;
      hash ^= hash >> 29;
    }
  return hash ? hash : 1;
}

static int has_failed(const struct cs_host_decided *d, cs_u64 hash) {
  int i = 0;
  while (i < MAX_FAILED && d->failed[i] != hash)
    i++;
  return i < MAX_FAILED;
}

int cs_host_decided_fails(struct cs_host_decided *decided, const struct cs_host_asked *asked) {
  return (asked->argument_bytes && decided->failed[0] && has_failed(decided, hash_of(asked))) ||
         (decided->failures >= PATIENCE && ++decided->passed % PAUSE != 0);
}

void cs_host_decided_add_failure(struct cs_host_decided *decided, const struct cs_host_asked *asked) {
  decided->failures++;
  if (!asked->argument_bytes)
    return;
  decided->failed[decided->oldest_failed] = hash_of(asked);
  decided->oldest_failed = (decided->oldest_failed + 1) % MAX_FAILED;
}

void cs_host_decided_add(struct cs_host_decided *decided, const struct cs_host_form *form,
                         const struct cs_host_asked *asked, const struct cs_host_alike_key *key, const cs_u64 *bounds) {
  decided->failures = decided->passed = 0;
  add_same(decided, form, asked, bounds);
  if (!key->count)
    return;
  struct cs_host_alike_key *slot = &decided->alike[decided->oldest_alike].key;
  slot->count = key->count;
  memcpy(slot->words, key->words, key->count * sizeof *key->words);
  memcpy(decided->alike[decided->oldest_alike].bounds, bounds, form->form.bound_count * sizeof *bounds);
  decided->oldest_alike = (decided->oldest_alike + 1) % MAX_ALIKE;
}
