/* ring.c: reads the error ring and counts. */
#include "host/modules/ring.h"
#include <stdlib.h>

/* Bits of `reported`: one for each kind, whose numbers are below 32; above them one for each ignored fault. */
#define KINDS 0xffffffffull
#define IGNORED(fault) (1ull << (32 + (fault)))
#define HIDDEN (1ull << 63)

cs_u32 cs_host_ring_written(const struct cs_ring *ring, cs_u32 capacity) {
  cs_u32 head = __atomic_load_n(&ring->head, __ATOMIC_ACQUIRE);
  return head < capacity ? head : capacity;
}

const struct cs_record *cs_host_ring_next(const struct cs_ring *ring, cs_u32 capacity, cs_u32 *drained, int last) {
  const struct cs_record *records = (const struct cs_record *)(ring + 1);
  cs_u32 head = cs_host_ring_written(ring, capacity);
  while (*drained < head) {
    const struct cs_record *record = &records[*drained];
    int ready = __atomic_load_n(&record->ready, __ATOMIC_ACQUIRE) != 0;
    if (!ready && !last)
      return NULL;
    ++*drained;
    if (ready)
      return record;
  }
  return NULL;
}

cs_u64 cs_host_ring_errors(const struct cs_ring *ring) {
  return __atomic_load_n(&ring->errors, __ATOMIC_ACQUIRE);
}

cs_u64 cs_host_ring_indices(const struct cs_ring *ring) {
  cs_u64 indices = __atomic_load_n(&ring->indices, __ATOMIC_ACQUIRE), all = cs_host_ring_errors(ring);
  return indices < all ? indices : all;
}

int cs_host_tally_open(struct cs_host_tally *t, cs_u32 site_count) {
  t->site_count = site_count;
  t->errors = calloc(site_count + 1, sizeof *t->errors);
  t->reported = calloc(site_count + 1, sizeof *t->reported);
  if (t->errors && t->reported)
    return 0;
  cs_host_tally_close(t);
  return -1;
}

void cs_host_tally_close(struct cs_host_tally *t) {
  free(t->errors);
  free(t->reported);
  *t = (struct cs_host_tally){0};
}

/* The counter for a record's errors; NULL if the record names no site of the module. */
static cs_u64 *counter_of(const struct cs_host_tally *t, const struct cs_record *record) {
  if (record->site >= t->site_count || record->fault >= CS_FAULT_COUNT)
    return NULL;
  return &t->errors[record->site][record->fault];
}

void cs_host_tally_record(struct cs_host_tally *t, const struct cs_record *record, cs_u64 errors) {
  cs_u64 *counter = counter_of(t, record);
  if (counter && *counter < errors)
    *counter = errors;
}

/* Counts only grow: a module that was reset starts again at 0, which must not remove errors. */
void cs_host_tally_counts(struct cs_host_tally *t, const cs_fault_counts *counts) {
  for (cs_u32 i = 0; i < t->site_count; i++)
    for (cs_u32 fault = 0; fault < CS_FAULT_COUNT; fault++)
      if (counts[i][fault] > t->errors[i][fault])
        t->errors[i][fault] = counts[i][fault];
}

int cs_host_tally_first(struct cs_host_tally *t, cs_u32 site, unsigned kind) {
  if (site >= t->site_count)
    return 1;
  cs_u64 bit = 1ull << (kind & 31);
  int first = !(t->reported[site] & bit);
  t->reported[site] |= bit;
  return first;
}

cs_u64 cs_host_tally_errors(const struct cs_host_tally *t, cs_u32 site) {
  cs_u64 sum = 0;
  for (cs_u32 fault = 0; site < t->site_count && fault < CS_FAULT_COUNT; fault++)
    sum += t->errors[site][fault];
  return sum;
}

cs_u64 cs_host_tally_like(const struct cs_host_tally *t, const struct cs_record *record) {
  const cs_u64 *counter = counter_of(t, record);
  return counter ? *counter : 1;
}

void cs_host_tally_hide(struct cs_host_tally *t, cs_u32 site) {
  if (site < t->site_count)
    t->reported[site] |= HIDDEN;
}

void cs_host_tally_ignore(struct cs_host_tally *t, const struct cs_record *record) {
  if (counter_of(t, record))
    t->reported[record->site] |= IGNORED(record->fault);
}

/* The errors at a site that are neither hidden nor ignored. */
static cs_u64 counting_errors(const struct cs_host_tally *t, cs_u32 site) {
  cs_u64 sum = 0;
  for (cs_u32 fault = 0; fault < CS_FAULT_COUNT; fault++)
    if (!(t->reported[site] & (HIDDEN | IGNORED(fault))))
      sum += t->errors[site][fault];
  return sum;
}

void cs_host_tally_total(const struct cs_host_tally *t, struct cs_host_totals *totals) {
  for (cs_u32 i = 0; i < t->site_count; i++) {
    cs_u64 counting = counting_errors(t, i);
    totals->hidden += cs_host_tally_errors(t, i) - counting;
    totals->sites += counting != 0;
    totals->silent += counting && !(t->reported[i] & KINDS);
  }
}
