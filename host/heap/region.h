/* region.h: the virtual addresses of each tag, handed out in units of one window or one granule, whichever is larger.
 *
 * Units go up, so an address is not handed out again before its whole region is used up; then the search goes round, and
 * takes the free unit that was handed out longest ago. Reservations grow in contiguous chunks. Where there are many units, the
 * first is never handed out, so that what lies before the first buffer is CuSafe's too. Callers hold the heap's lock. */
#ifndef CUSAFE_HOST_HEAP_REGION_H
#define CUSAFE_HOST_HEAP_REGION_H

#include "host/heap/vmm.h"

struct cs_host_region {
  cs_u32 reserved; /* units */
  cs_u32 cursor;   /* the next unit to look at */
  cs_u32 grown;    /* chunks so far */
  int full;        /* no more can be reserved */
  cs_u64 *used;    /* one bit a unit */
};

static inline cs_u64 cs_host_unit_address(cs_u32 tag, cs_u32 unit) {
  return ((cs_u64)tag << CS_TAG_SHIFT) + ((cs_u64)unit << cs_unit_log2(tag));
}
static inline cs_u32 cs_host_unit_count(cs_u32 tag) {
  return 1u << (CS_TAG_SHIFT - cs_unit_log2(tag));
}

/* The next unit, or -1 when the region has none. The unit is not marked before cs_host_region_take. */
int cs_host_region_next(struct cs_host_region *region, const struct cs_host_vmm *vmm, cs_u32 tag, cs_u32 *unit);
void cs_host_region_take(struct cs_host_region *region, cs_u32 unit);
void cs_host_region_give(struct cs_host_region *region, cs_u32 unit);

/* The same for a unit whose neighbours are unused, so that a pointer just outside a buffer is in no other: host code makes such pointers.
 * In a region that is crowded or has few units, any. */
int cs_host_region_next_apart(struct cs_host_region *region, const struct cs_host_vmm *vmm, cs_u32 tag, cs_u32 *unit);

/* Takes the unit after this one, which was taken. Returns 0, or -1 if it is used, does not exist, or is one of few. */
int cs_host_region_take_next(struct cs_host_region *region, const struct cs_host_vmm *vmm, cs_u32 tag, cs_u32 unit);

/* Whether the first unit of the region is never handed out. */
int cs_host_region_keeps_first(cs_u32 tag);

/* Whether CuSafe owns this address: it lies in a reservation of its tag. */
int cs_host_region_owns(const struct cs_host_region *region, cs_u64 address);

/* Zeroed memory that costs nothing until it is touched; never freed. NULL when out of memory. */
void *cs_host_lazy_memory(size_t bytes);

#endif
