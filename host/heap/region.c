/* region.c: reserves tagged addresses and hands them out. */
#include "host/heap/region.h"
#include "host/base/lazy_memory.h"
#include "host/heap/buffer.h"

enum { FIRST_CHUNK_LOG2 = 30, LAST_CHUNK_LOG2 = 36, MANY_UNITS = 1024, APART_TRIES = 64, RUNS_TRIED = 64 };

static int is_used(const struct cs_host_region *r, cs_u32 unit) {
  return r->used[unit / 64] >> unit % 64 & 1;
}
void cs_host_region_take(struct cs_host_region *r, cs_u32 unit) {
  r->used[unit / 64] |= 1ull << unit % 64;
}
void cs_host_region_give(struct cs_host_region *r, cs_u32 unit) {
  r->used[unit / 64] &= ~(1ull << unit % 64);
}

int cs_host_region_keeps_first(cs_u32 tag) {
  return cs_host_unit_count(tag) >= MANY_UNITS;
}

static cs_u32 chunk_units(const struct cs_host_region *r, cs_u32 tag) {
  cs_u32 log2 = FIRST_CHUNK_LOG2 + r->grown;
  log2 = log2 > LAST_CHUNK_LOG2 ? LAST_CHUNK_LOG2 : log2;
  cs_u32 unit = cs_unit_log2(tag), left = cs_host_unit_count(tag) - r->reserved;
  cs_u32 units = log2 > unit ? 1u << (log2 - unit) : 1;
  return units < left ? units : left;
}

/* Returns as cs_host_region_next() does. */
static int grow(struct cs_host_region *r, const struct cs_host_vmm *vmm, cs_u32 tag) {
  if (!r->used)
    r->used = cs_host_lazy_memory((cs_host_unit_count(tag) + 63) / 64 * 8);
  if (!r->used)
    return CS_HOST_OUT_OF_MEMORY;
  cs_u32 units = chunk_units(r, tag);
  int error = units ? vmm->reserve(cs_host_unit_address(tag, r->reserved), (cs_u64)units << cs_unit_log2(tag))
                    : CS_HOST_VMM_NEVER;
  r->full = error == CS_HOST_VMM_NEVER;
  if (error)
    return r->full ? CS_HOST_HEAP_UNTAGGED : error;
  if (!r->reserved && cs_host_region_keeps_first(tag))
    cs_host_region_take(r, 0);
  r->reserved += units;
  r->grown++;
  return 0;
}

int cs_host_region_next(struct cs_host_region *r, const struct cs_host_vmm *vmm, cs_u32 tag, cs_u32 *unit) {
  int error = !r->reserved && !r->full ? grow(r, vmm, tag) : 0;
  for (cs_u32 tried = 0; tried < r->reserved; tried++) {
    if (r->cursor >= r->reserved && (r->full || (error = grow(r, vmm, tag))))
      r->cursor = 0;
    cs_u32 candidate = r->cursor++;
    if (!is_used(r, candidate)) {
      *unit = candidate;
      return 0;
    }
  }
  return error ? error : CS_HOST_HEAP_UNTAGGED;
}

static int has_neighbour(const struct cs_host_region *r, cs_u32 unit) {
  return (unit > 0 && is_used(r, unit - 1)) || (unit + 1 < r->reserved && is_used(r, unit + 1));
}

int cs_host_region_next_apart(struct cs_host_region *r, const struct cs_host_vmm *vmm, cs_u32 tag, cs_u32 *unit) {
  if (cs_host_region_keeps_first(tag) && r->cursor < r->reserved)
    r->cursor++; /* skips the unit after the last one: it may be free again, but has held a buffer */
  for (int tries = 0; tries < APART_TRIES; tries++) {
    int error = cs_host_region_next(r, vmm, tag, unit);
    if (error)
      return error;
    if (!has_neighbour(r, *unit))
      return 0;
  }
  return cs_host_region_next(r, vmm, tag, unit);
}

static int is_next_free(struct cs_host_region *r, const struct cs_host_vmm *vmm, cs_u32 tag, cs_u32 unit) {
  return (unit < r->reserved || (!r->full && !grow(r, vmm, tag))) && !is_used(r, unit);
}

int cs_host_region_next_run(struct cs_host_region *r, const struct cs_host_vmm *vmm, cs_u32 tag, cs_u32 count,
                            cs_u32 *unit) {
  for (cs_u32 tried = 0; tried < RUNS_TRIED; tried++) {
    cs_u32 length = 1;
    int error = cs_host_region_next(r, vmm, tag, unit);
    if (error)
      return error;
    while (length < count && is_next_free(r, vmm, tag, *unit + length))
      length++;
    r->cursor = *unit + length;
    if (length == count)
      return 0;
  }
  return CS_HOST_HEAP_UNTAGGED;
}

int cs_host_region_take_next(struct cs_host_region *r, const struct cs_host_vmm *vmm, cs_u32 tag, cs_u32 unit) {
  if (!cs_host_region_keeps_first(tag) || (unit + 1 == r->reserved && (r->full || grow(r, vmm, tag))) ||
      is_used(r, unit + 1))
    return -1;
  cs_host_region_take(r, unit + 1);
  return 0;
}

int cs_host_region_owns(const struct cs_host_region *r, cs_u64 address) {
  return cs_unit_of(address) < r->reserved;
}
