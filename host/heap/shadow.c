/* shadow.c: maps the shadow of divided buffers where it is used, and transfers its bits. */
#include "host/heap/shadow.h"
#include "cusafe/divided.h"
#include "host/base/lazy_memory.h"
#include <stdlib.h>
#include <sys/mman.h>

/* One bit for each byte: a granule covers 16 MiB of addresses. */
enum { GRANULE_SHIFT = CS_GRANULE_LOG2 + 3, WORDS = CS_HOST_GRANULE / 8, MAPPED_MAX = 512 };

/* Of a granule; first == end: none. */
struct words {
  cs_u64 first, end;
};

struct cs_host_shadow_granule {
  struct cs_host_node node;
  struct cs_host_shadow_granule *next;
  cs_u64 handle;  /* 0: not mapped, or not usable */
  cs_u64 spare;   /* mapped, and not usable yet */
  cs_u64 *bits;   /* as they should be; NULL while it is not mapped */
  cs_u64 *device; /* as the device sees them after the next flush: more may be granted than in bits */
  struct words dirty, late,
      queued; /* to write; to refuse; refused in the order of a stream, which may not have come to it */
  cs_u32 users;
};

static void extend(struct words *range, cs_u64 first, cs_u64 end) {
  int is_empty = range->first == range->end;
  range->first = is_empty || first < range->first ? first : range->first;
  range->end = is_empty || end > range->end ? end : range->end;
}

static void extend_by(struct words *range, const struct words *other) {
  if (other->first != other->end)
    extend(range, other->first, other->end);
}

static struct cs_host_shadow_granule *find(const struct cs_host_shadow *s, cs_u64 number) {
  return (struct cs_host_shadow_granule *)cs_host_hash_find(&s->granules, number);
}

static cs_u64 address_of(const struct cs_host_shadow_granule *g) {
  return CS_SHADOW_BASE + g->node.key * CS_HOST_GRANULE;
}

static void give_bits(struct cs_host_shadow_granule *g) {
  if (g->bits)
    munmap(g->bits, CS_HOST_GRANULE);
  if (g->device)
    munmap(g->device, CS_HOST_GRANULE);
  g->bits = g->device = NULL;
  g->dirty = g->late = g->queued = (struct words){0};
}

/* Takes the memory of granules without users. */
static void trim(struct cs_host_shadow *s, const struct cs_host_vmm *vmm) {
  for (struct cs_host_shadow_granule *g = s->first; g; g = g->next)
    if (!g->users && g->handle) {
      vmm->unmap(address_of(g), CS_HOST_GRANULE);
      vmm->release(g->handle);
      give_bits(g);
      g->handle = 0;
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
  if (s->mapped == MAPPED_MAX || !g->bits || !g->device)
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

static int use(struct cs_host_shadow *s, const struct cs_host_vmm *vmm, cs_u64 number, int is_idle) {
  struct cs_host_shadow_granule *g = find(s, number);
  if (!g)
    g = make(s, vmm, number);
  if (!g)
    return CS_HOST_OUT_OF_MEMORY;
  if (!g->handle) {
    if (s->mapped == MAPPED_MAX && is_idle)
      trim(s, vmm);
    g->bits = cs_host_lazy_memory(CS_HOST_GRANULE);
    g->device = cs_host_lazy_memory(CS_HOST_GRANULE);
    int error = map(s, vmm, g);
    if (error) {
      give_bits(g);
      return error;
    }
  }
  g->users++;
  return 0;
}

int cs_host_shadow_add(struct cs_host_shadow *s, const struct cs_host_vmm *vmm, cs_u64 address, cs_u64 bytes,
                       int is_idle) {
  cs_u64 first = address >> GRANULE_SHIFT, last = (address + bytes - 1) >> GRANULE_SHIFT;
  for (cs_u64 n = first; n <= last; n++) {
    int error = use(s, vmm, n, is_idle);
    if (!error)
      continue;
    while (n-- > first)
      find(s, n)->users--;
    return error;
  }
  return 0;
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
    if (granted) {
      g->bits[p.word] |= p.bits;
      g->device[p.word] |= p.bits;
    } else
      g->bits[p.word] &= ~p.bits;
    extend(granted ? &g->dirty : &g->late, p.word, p.word + 1);
    at = p.next;
  }
  if (!granted && bytes)
    __atomic_store_n(&s->is_late, 1, __ATOMIC_RELEASE);
}

/* The buffer is gone, and its word with it: its bits are not read. */
void cs_host_shadow_remove(struct cs_host_shadow *s, cs_u64 address, cs_u64 bytes) {
  for (cs_u64 at = address, end = address + bytes; at < end;) {
    struct part p = part_at(s, at, end);
    p.granule->bits[p.word] &= ~p.bits;
    p.granule->device[p.word] &= ~p.bits;
    extend(&p.granule->dirty, p.word, p.word + 1);
    at = p.next;
  }
  for (cs_u64 n = address >> GRANULE_SHIFT; n <= (address + bytes - 1) >> GRANULE_SHIFT; n++)
    find(s, n)->users--;
}

void cs_host_shadow_announce(struct cs_host_shadow *s) {
  for (struct cs_host_shadow_granule *g = s->first; g; g = g->next) {
    extend_by(&g->late, &g->queued);
    for (cs_u64 w = g->late.first; w < g->late.end; w++)
      g->device[w] = g->bits[w];
    extend_by(&g->dirty, &g->late);
    g->late = g->queued = (struct words){0};
  }
  __atomic_store_n(&s->is_late, 0, __ATOMIC_RELEASE);
}

/* The device's copy stays: until the stream has come to it, a flush must not refuse what it refuses. */
int cs_host_shadow_announce_by(struct cs_host_shadow *s,
                               int (*fill)(cs_u64 address, unsigned char value, cs_u64 bytes, void *data), void *data) {
  enum { FILLS_MAX = 64 };
  int fills = 0, error = 0;
  for (struct cs_host_shadow_granule *g = s->first; g && !error; g = g->next) {
    const unsigned char *bits = (const unsigned char *)g->bits, *device = (const unsigned char *)g->device;
    for (cs_u64 at = g->late.first * 8, end = g->late.end * 8, next; at < end && !error; at = next) {
      for (next = at + 1; bits[at] != device[at] && next < end && bits[next] == bits[at] && bits[next] != device[next];)
        next++;
      if (bits[at] != device[at])
        error = ++fills > FILLS_MAX ? -1 : fill(address_of(g) + at, bits[at], next - at, data);
    }
    if (!error) {
      extend_by(&g->queued, &g->late);
      g->late = (struct words){0};
    }
  }
  return error;
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
    cs_u64 first = g->dirty.first, end = g->dirty.end;
    if (first == end)
      continue;
    int error = vmm->write(address_of(g) + first * 8, g->device + first, (end - first) * 8);
    if (error)
      return error;
    wrote = 1;
  }
  int error = wrote ? vmm->settle() : 0;
  for (struct cs_host_shadow_granule *g = s->first; g && !error; g = g->next) {
    cs_u64 first = g->dirty.first > g->queued.first ? g->dirty.first : g->queued.first;
    cs_u64 end = g->dirty.end < g->queued.end ? g->dirty.end : g->queued.end;
    if (first < end) { /* a stream may have refused before what this write grants: once more */
      extend(&g->late, first, end);
      __atomic_store_n(&s->is_late, 1, __ATOMIC_RELEASE);
    }
    g->dirty = (struct words){0};
  }
  return error;
}
