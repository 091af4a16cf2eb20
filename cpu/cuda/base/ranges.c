/* ranges.c: an ordered set of address ranges, as a treap. */
#include "cpu/cuda/base/ranges.h"

/* Priorities only have to be unpredictable enough for balance; a node's start is unique in its set. */
static uint32_t mix(uint64_t x) {
  x ^= x >> 33;
  x *= 0xff51afd7ed558ccdull;
  x ^= x >> 33;
  x *= 0xc4ceb9fe1a85ec53ull;
  return (uint32_t)(x >> 32);
}

static struct cs_cpu_range *floor_of(const struct cs_cpu_ranges *ranges, uint64_t address) {
  struct cs_cpu_range *best = NULL;
  for (struct cs_cpu_range *node = ranges->root; node;) {
    if (node->start <= address) {
      best = node;
      node = node->right;
    } else {
      node = node->left;
    }
  }
  return best;
}

struct cs_cpu_range *cs_cpu_ranges_ceiling(const struct cs_cpu_ranges *ranges, uint64_t address) {
  struct cs_cpu_range *best = NULL;
  for (struct cs_cpu_range *node = ranges->root; node;) {
    if (node->start >= address) {
      best = node;
      node = node->left;
    } else {
      node = node->right;
    }
  }
  return best;
}

struct cs_cpu_range *cs_cpu_ranges_find(const struct cs_cpu_ranges *ranges, uint64_t address) {
  struct cs_cpu_range *range = floor_of(ranges, address);
  return range && address - range->start < range->size ? range : NULL;
}

int cs_cpu_ranges_overlap(const struct cs_cpu_ranges *ranges, uint64_t start, uint64_t size) {
  if (size == 0)
    return 0;
  struct cs_cpu_range *below = floor_of(ranges, start + (size - 1));
  return below && below->start + (below->size - 1) >= start;
}

/* Splits the tree at key: nodes below it go to *low, the others to *high. */
static void split(struct cs_cpu_range *node, uint64_t key, struct cs_cpu_range **low, struct cs_cpu_range **high) {
  while (node) {
    if (node->start < key) {
      *low = node;
      low = &node->right;
      node = node->right;
    } else {
      *high = node;
      high = &node->left;
      node = node->left;
    }
  }
  *low = NULL;
  *high = NULL;
}

/* Joins two trees at *slot; all of low is below all of high. */
static void join(struct cs_cpu_range **slot, struct cs_cpu_range *low, struct cs_cpu_range *high) {
  while (low && high) {
    if (low->priority >= high->priority) {
      *slot = low;
      slot = &low->right;
      low = low->right;
    } else {
      *slot = high;
      slot = &high->left;
      high = high->left;
    }
  }
  *slot = low ? low : high;
}

int cs_cpu_ranges_insert(struct cs_cpu_ranges *ranges, struct cs_cpu_range *range) {
  if (range->size == 0 || range->start + (range->size - 1) < range->start)
    return -1;
  if (cs_cpu_ranges_overlap(ranges, range->start, range->size))
    return -1;
  range->priority = mix(range->start);
  struct cs_cpu_range **slot = &ranges->root;
  while (*slot && (*slot)->priority >= range->priority)
    slot = range->start < (*slot)->start ? &(*slot)->left : &(*slot)->right;
  split(*slot, range->start, &range->left, &range->right);
  *slot = range;
  ranges->count++;
  return 0;
}

void cs_cpu_ranges_remove(struct cs_cpu_ranges *ranges, struct cs_cpu_range *range) {
  struct cs_cpu_range **slot = &ranges->root;
  while (*slot != range)
    slot = range->start < (*slot)->start ? &(*slot)->left : &(*slot)->right;
  join(slot, range->left, range->right);
  ranges->count--;
}
