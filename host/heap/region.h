/* region.h: the virtual addresses of each tag, handed out in units of one window or one granule, whichever is larger.
 *
 * Unit numbers increase, so an address is not handed out again before its whole region is used up; then the search
 * wraps around to the free unit that was handed out longest ago. Reservations grow in contiguous chunks. In a region
 * with many units, the first is never handed out, so that the addresses before the first buffer are CuSafe's too.
 * Callers hold the heap's lock. */
#ifndef CUSAFE_HOST_HEAP_REGION_H
#define CUSAFE_HOST_HEAP_REGION_H

#include "host/heap/vmm.h"

struct cs_host_region {
  cs_u32 reserved; /* units */
  cs_u32 cursor;   /* the next unit to try */
  cs_u32 grown;    /* chunks so far */
  int full;        /* no more can be reserved */
  cs_u64 *used;    /* one bit for each unit */
};

static inline cs_u64 cs_host_unit_address(cs_u32 tag, cs_u32 unit) {
  return ((cs_u64)tag << CS_TAG_SHIFT) + ((cs_u64)unit << cs_unit_log2(tag));
}
static inline cs_u32 cs_host_unit_count(cs_u32 tag) {
  return 1u << (CS_TAG_SHIFT - cs_unit_log2(tag));
}

/* Finds the next free unit. Returns 0, CS_HOST_HEAP_UNTAGGED when the region has none, or a CUresult that may be
 * transient. cs_host_region_take() marks it as used. */
int cs_host_region_next(struct cs_host_region *region, const struct cs_host_vmm *vmm, cs_u32 tag, cs_u32 *unit);
void cs_host_region_take(struct cs_host_region *region, cs_u32 unit);
void cs_host_region_give(struct cs_host_region *region, cs_u32 unit);

/* Finds a free unit whose neighbours are unused, because host code makes pointers just outside a buffer: they must be
 * in no other buffer. In a region that is crowded or has few units, any free unit. */
int cs_host_region_next_apart(struct cs_host_region *region, const struct cs_host_vmm *vmm, cs_u32 tag, cs_u32 *unit);

/* Finds `count` adjacent free units; unit: the first. Returns as cs_host_region_next() does. */
int cs_host_region_next_run(struct cs_host_region *region, const struct cs_host_vmm *vmm, cs_u32 tag, cs_u32 count,
                            cs_u32 *unit);

/* Takes the unit after this used one. Returns 0, or -1 if it is used, does not exist, or the region has few units. */
int cs_host_region_take_next(struct cs_host_region *region, const struct cs_host_vmm *vmm, cs_u32 tag, cs_u32 unit);

/* Whether the first unit of the region is never handed out. */
int cs_host_region_keeps_first(cs_u32 tag);

/* Whether CuSafe owns this address: it is in a reservation of its tag. */
int cs_host_region_owns(const struct cs_host_region *region, cs_u64 address);

#endif
