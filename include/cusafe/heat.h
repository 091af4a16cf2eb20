/* heat.h: heatmaps of the blocks and threads that faulted at a site: histograms that the device fills on the cold path,
 * and that the host draws.
 *
 * An entry is for one site and fault, and one launch shape. Its two planes, the blocks of the grid and the threads of
 * the block, are divided into at most CS_HEAT_BINS cells each. A faulting thread increments its cell in both, so the
 * counts are exact; only sites and shapes for which the table has no room are missing, and they have no entry at
 * all. */
#ifndef CUSAFE_HEAT_H
#define CUSAFE_HEAT_H

#include "cusafe/layout.h"

#define CS_HEAT_BINS 256u
#define CS_HEAT_SIDE 16u     /* cells along x if there is more than one row */
#define CS_HEAT_ENTRIES 128u /* maximum for a module; a power of two */
#define CS_HEAT_PROBES 8u

enum cs_heat_plane { CS_HEAT_BLOCKS, CS_HEAT_THREADS, CS_HEAT_PLANES };

struct cs_heat {
  cs_u64 key;                       /* cs_heat_key(); 0: the entry is free */
  cs_u32 extent[CS_HEAT_PLANES][3]; /* of the grid, in blocks; of a block, in threads */
  cs_u32 most[CS_HEAT_PLANES][3];   /* the largest faulting coordinates */
  cs_u32 least[CS_HEAT_PLANES][3];  /* the complements of the smallest ones, so that both start at 0 */
  cs_u32 bins[CS_HEAT_PLANES][CS_HEAT_BINS];
};
_Static_assert(sizeof(struct cs_heat) == 8 + 9 * 8 + 2 * 4 * 256, "cs_heat");

/* site * CS_FAULT_COUNT + fault, plus 1, above a hash of the launch shape. Accepted loss: two shapes with equal hashes,
 * one pair in 2^32, share an entry. */
static inline cs_u64 cs_heat_key(cs_u32 site_and_fault, cs_u32 shape) {
  return (cs_u64)(site_and_fault + 1) << 32 | shape;
}
static inline cs_u32 cs_heat_mix(cs_u32 hash, cs_u32 value) {
  hash = (hash ^ value) * 0x9E3779B1u;
  return hash ^ hash >> 15;
}

/* A plane of x by y by z has columns along x and rows along y and z, all rows of one z after those of the one before. A
 * cell is 2^shift long, because divisions take registers on the device; with a single row, x has all cells. */
static inline cs_u32 cs_heat_shift(cs_u32 extent, cs_u32 cells) {
  cs_u32 shift = 0;
  while ((extent - 1) >> shift >= cells)
    shift++;
  return shift;
}
static inline cs_u32 cs_heat_shift_x(cs_u32 extent, cs_u32 rows) {
  return cs_heat_shift(extent, rows == 1 ? CS_HEAT_BINS : CS_HEAT_SIDE);
}
static inline cs_u32 cs_heat_bin(cs_u32 row, cs_u32 column) {
  return row * CS_HEAT_SIDE + column;
}

#endif
