/* history.c: a ring of freed buffers, chained by the hash of their windows; links into overwritten entries end a chain. */
#include "host/history.h"
#include "host/region.h"

int cs_history_open(struct cs_history *h, cs_u64 capacity) {
  h->capacity = capacity;
  h->ring = cs_lazy_memory(capacity * sizeof *h->ring);
  h->newest = cs_lazy_memory(capacity * sizeof *h->newest);
  return h->ring && h->newest ? 0 : -1;
}

static cs_u64 hash(const struct cs_history *h, cs_u64 address) {
  return (cs_window_base(address) * 0x9E3779B97F4A7C15ull >> 20) & (h->capacity - 1);
}

void cs_history_add(struct cs_history *h, const struct cs_freed *freed) {
  cs_u64 number = ++h->count, *head = &h->newest[hash(h, freed->start)];
  struct cs_freed *entry = &h->ring[number & (h->capacity - 1)];
  *entry = *freed;
  entry->before = *head;
  *head = number;
}

const struct cs_freed *cs_history_find(const struct cs_history *h, cs_u64 address) {
  cs_u64 number = h->newest[hash(h, address)];
  while (number && number + h->capacity > h->count) {
    const struct cs_freed *entry = &h->ring[number & (h->capacity - 1)];
    if (cs_window_base(entry->start) == cs_window_base(address))
      return entry;
    number = entry->before;
  }
  return 0;
}
