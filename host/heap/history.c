/* history.c: a ring of freed buffers, chained by the hash of their windows; links into overwritten entries end a
 * chain. */
#include "host/heap/history.h"
#include "host/base/degraded.h"
#include "host/base/lazy_memory.h"

void cs_host_history_open(struct cs_host_history *h, cs_u64 capacity) {
  h->ring = cs_host_lazy_memory(capacity * sizeof *h->ring);
  h->newest = cs_host_lazy_memory(capacity * sizeof *h->newest);
  h->capacity = h->ring && h->newest && capacity <= CS_HOST_HISTORY_MAX ? capacity : 0;
  if (!h->ring || !h->newest)
    cs_host_degraded(CS_DEGRADED_HISTORY);
}

/* Adjacent windows have adjacent entries, because they tend to be freed in sequence: scattered, every free would touch
 * another page. Windows of different sizes start at different entries. */
static cs_u64 hash(const struct cs_host_history *h, cs_u64 address) {
  cs_u32 tag = cs_tag_of(address);
  return ((address >> cs_tag_log2(tag)) + tag * 0x9E3779B97F4A7C15ull) & (h->capacity - 1);
}

static struct cs_host_freed *entry_of(const struct cs_host_history *h, cs_u64 number) {
  return &h->ring[number & (h->capacity - 1)];
}

/* How many frees ago the one with this number was. If it is 2^32 frees older than it seems, its entry has been
 * overwritten, and the window there differs. */
static cs_u32 age_of(const struct cs_host_history *h, cs_u32 number) {
  return (cs_u32)h->count - number;
}

void cs_host_history_add(struct cs_host_history *h, const struct cs_host_freed *freed) {
  if (!h->capacity)
    return;
  cs_u64 number = ++h->count;
  cs_u32 *newest = &h->newest[hash(h, freed->start)], age = age_of(h, *newest);
  struct cs_host_freed *entry = entry_of(h, number);
  *entry = *freed;
  entry->before = *newest && age < h->capacity ? age : 0;
  *newest = (cs_u32)number;
}

const struct cs_host_freed *cs_host_history_find(const struct cs_host_history *h, cs_u64 address) {
  if (!h->capacity)
    return 0;
  cs_u32 newest = h->newest[hash(h, address)];
  cs_u64 age = newest ? age_of(h, newest) : h->capacity;
  while (age < h->capacity && age < h->count) {
    const struct cs_host_freed *entry = entry_of(h, h->count - age);
    if (cs_window_base(entry->start) == cs_window_base(address))
      return entry;
    age += entry->before ? entry->before : h->capacity;
  }
  return 0;
}
