/* shadow.c: maps the shadow of divided buffers where it is used, and transfers its bits. */
#include "host/heap/shadow.h"
#include "cusafe/divided.h"
#include "host/base/lazy_memory.h"
#include <stdlib.h>
#include <sys/mman.h>

/* One bit for each byte: a granule covers 16 MiB of addresses. */
enum { GRANULE_SHIFT = CS_GRANULE_LOG2 + 3, WORDS = CS_HOST_GRANULE / 8, MAPPED_MAX = 512 };

struct cs_host_shadow_granule {
  struct cs_host_node node;
  struct cs_host_shadow_granule *next;
  cs_u64 handle;     /* 0: not mapped, or not usable */
  cs_u64 spare;      /* mapped, and not usable yet */
  cs_u64 *bits;      /* as the device sees them after the next flush; NULL while it is not mapped */
  cs_u64 first, end; /* the words to write */
  cs_u32 users;
};

static struct cs_host_shadow_granule *find(const struct cs_host_shadow *s, cs_u64 number) {
  return (struct cs_host_shadow_granule *)cs_host_hash_find(&s->granules, number);
}

static cs_u64 address_of(const struct cs_host_shadow_granule *g) {
  return CS_SHADOW_BASE + g->node.key * CS_HOST_GRANULE;
}

/* Takes the memory of granules without users. */
static void trim(struct cs_host_shadow *s, const struct cs_host_vmm *vmm) {
  for (struct cs_host_shadow_granule *g = s->first; g; g = g->next)
    if (!g->users && g->handle) {
      vmm->unmap(address_of(g), CS_HOST_GRANULE);
      vmm->release(g->handle);
      munmap(g->bits, CS_HOST_GRANULE);
      g->handle = g->first = g->end = 0;
      g->bits = NULL;
      s->mapped--;
    }
}

/* Memory that cannot be used stays mapped for the next try: unmapping may wait, which the lock of heaps forbids. */
static int make_spare(const struct cs_host_vmm *vmm, struct cs_host_shadow_granule *g) {
  cs_u64 handle;
  int error = vmm->create(-1, CS_HOST_GRANULE, &handle);
  if (error)
    return error;
  error = vmm->map(address_of(g), CS_HOST_GRANULE, handle);
  if (error)
    vmm->release(handle);
  else
    g->spare = handle;
  return error;
}

static int map(struct cs_host_shadow *s, const struct cs_host_vmm *vmm, struct cs_host_shadow_granule *g) {
  if (s->mapped == MAPPED_MAX || !g->bits)
    return CS_HOST_OUT_OF_MEMORY;
  int error = g->spare ? 0 : make_spare(vmm, g);
  if (!error)
    error = vmm->access(address_of(g), CS_HOST_GRANULE, -1, 1);
  if (!error)
    error = vmm->zero(address_of(g), CS_HOST_GRANULE);
  if (!error)
    error = vmm->settle();
  if (error)
    return error;
  g->handle = g->spare;
  g->spare = 0;
  s->mapped++;
  return 0;
}

/* The addresses stay reserved when the memory goes. */
static struct cs_host_shadow_granule *make(struct cs_host_shadow *s, const struct cs_host_vmm *vmm, cs_u64 number) {
  struct cs_host_shadow_granule *g = calloc(1, sizeof *g);
  if (!g)
    return NULL;
  g->node.key = number;
  if (vmm->reserve(address_of(g), CS_HOST_GRANULE) || cs_host_hash_add(&s->granules, &g->node)) {
    free(g);
    return NULL;
  }
  g->next = s->first;
  return s->first = g;
}

static int use(struct cs_host_shadow *s, const struct cs_host_vmm *vmm, cs_u64 number) {
  struct cs_host_shadow_granule *g = find(s, number);
  if (!g)
    g = make(s, vmm, number);
  if (!g)
    return CS_HOST_OUT_OF_MEMORY;
  if (!g->handle) {
    if (s->mapped == MAPPED_MAX)
      trim(s, vmm);
    g->bits = cs_host_lazy_memory(CS_HOST_GRANULE);
    int error = map(s, vmm, g);
    if (error) {
      if (g->bits)
        munmap(g->bits, CS_HOST_GRANULE);
      g->bits = NULL;
      return error;
    }
  }
  g->users++;
  return 0;
}

int cs_host_shadow_add(struct cs_host_shadow *s, const struct cs_host_vmm *vmm, cs_u64 address, cs_u64 bytes) {
  cs_u64 first = address >> GRANULE_SHIFT, last = (address + bytes - 1) >> GRANULE_SHIFT;
  for (cs_u64 n = first; n <= last; n++) {
    int error = use(s, vmm, n);
    if (!error)
      continue;
    while (n-- > first)
      find(s, n)->users--;
    return error;
  }
  return 0;
}

void cs_host_shadow_remove(struct cs_host_shadow *s, cs_u64 address, cs_u64 bytes) {
  cs_host_shadow_set(s, address, bytes, 0);
  for (cs_u64 n = address >> GRANULE_SHIFT; n <= (address + bytes - 1) >> GRANULE_SHIFT; n++)
    find(s, n)->users--;
}

/* ---- bits ---- */

/* The part of [at, end) in one word of the shadow. */
struct part {
  struct cs_host_shadow_granule *granule;
  cs_u64 word, bits, next; /* word: its index in the granule; next: the address after it */
};

static struct part part_at(const struct cs_host_shadow *s, cs_u64 at, cs_u64 end) {
  cs_u64 rest = 64 - at % 64, here = end - at < rest ? end - at : rest;
  return (struct part){find(s, at >> GRANULE_SHIFT), (at >> 6) % WORDS, ~0ull >> (64 - here) << at % 64, at + here};
}

void cs_host_shadow_set(struct cs_host_shadow *s, cs_u64 address, cs_u64 bytes, int granted) {
  for (cs_u64 at = address, end = address + bytes; at < end;) {
    struct part p = part_at(s, at, end);
    struct cs_host_shadow_granule *g = p.granule;
    cs_u64 *word = &g->bits[p.word];
    *word = granted ? *word | p.bits : *word & ~p.bits;
    g->first = g->first == g->end || p.word < g->first ? p.word : g->first;
    g->end = p.word >= g->end ? p.word + 1 : g->end;
    at = p.next;
  }
}

/* How many of the first bytes have the same bit, which `same` inverts to 0. */
static cs_u64 run_of(const struct cs_host_shadow *s, cs_u64 address, cs_u64 bytes, cs_u64 same) {
  for (cs_u64 at = address, end = address + bytes; at < end;) {
    struct part p = part_at(s, at, end);
    cs_u64 others = (p.granule->bits[p.word] ^ same) & p.bits;
    if (others)
      return at - at % 64 + (cs_u64)__builtin_ctzll(others) - address;
    at = p.next;
  }
  return bytes;
}

cs_u64 cs_host_shadow_granted(const struct cs_host_shadow *s, cs_u64 address, cs_u64 bytes) {
  return run_of(s, address, bytes, ~0ull);
}

cs_u64 cs_host_shadow_refused(const struct cs_host_shadow *s, cs_u64 address, cs_u64 bytes) {
  return run_of(s, address, bytes, 0);
}

int cs_host_shadow_flush(struct cs_host_shadow *s, const struct cs_host_vmm *vmm) {
  int wrote = 0;
  for (struct cs_host_shadow_granule *g = s->first; g; g = g->next) {
    if (g->first == g->end)
      continue;
    int error = vmm->write(address_of(g) + g->first * 8, g->bits + g->first, (g->end - g->first) * 8);
    if (error)
      return error;
    wrote = 1;
  }
  int error = wrote ? vmm->settle() : 0;
  for (struct cs_host_shadow_granule *g = s->first; g && !error; g = g->next)
    g->first = g->end = 0;
  return error;
}
