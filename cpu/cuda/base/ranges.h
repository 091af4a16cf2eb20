/* ranges.h: an ordered set of disjoint address ranges, for allocations, mappings and reservations.
 *
 * A treap whose nodes the caller owns, so inserting and removing never allocates. The caller holds
 * cs_cpu_memory_lock(). Expected cost is O(log n) for every operation. */
#ifndef CUSAFE_CPU_RANGES_H
#define CUSAFE_CPU_RANGES_H

#include <stddef.h>
#include <stdint.h>

struct cs_cpu_range {
  uint64_t start, size; /* size > 0; set before insertion, constant afterwards */
  struct cs_cpu_range *left, *right;
  uint32_t priority;
};

struct cs_cpu_ranges {
  struct cs_cpu_range *root;
  size_t count;
};

/* Returns 0, or -1 when the range is empty, wraps around or overlaps another. */
int cs_cpu_ranges_insert(struct cs_cpu_ranges *ranges, struct cs_cpu_range *range);
/* range must be in the set. */
void cs_cpu_ranges_remove(struct cs_cpu_ranges *ranges, struct cs_cpu_range *range);
/* The range that contains the address, or NULL. */
struct cs_cpu_range *cs_cpu_ranges_find(const struct cs_cpu_ranges *ranges, uint64_t address);
/* The first range that starts at or after the address, or NULL. */
struct cs_cpu_range *cs_cpu_ranges_ceiling(const struct cs_cpu_ranges *ranges, uint64_t address);
/* Whether any range intersects [start, start + size). */
int cs_cpu_ranges_overlap(const struct cs_cpu_ranges *ranges, uint64_t start, uint64_t size);

#endif
