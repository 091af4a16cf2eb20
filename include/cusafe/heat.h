/* heat.h: which blocks and threads erred at a place: a histogram that the device fills on the cold path, and the host draws.
 *
 * An entry is for one place (site and fault) and one shape of launch. Its two planes, the blocks of the grid and the threads of
 * the block, are divided into at most CS_HEAT_BINS cells each; whoever errs counts in its cell, so the counts are exact and no
 * error is lost but those of places and shapes for which the table had no room: they have no entry at all. */
#ifndef CUSAFE_HEAT_H
#define CUSAFE_HEAT_H

#include "cusafe/layout.h"

#define CS_HEAT_BINS 256u
#define CS_HEAT_SIDE 16u     /* cells along x where there is a y or a z as well */
#define CS_HEAT_ENTRIES 128u /* at most, for a module; a power of two */
#define CS_HEAT_PROBES 8u

enum cs_heat_plane { CS_HEAT_BLOCKS, CS_HEAT_THREADS, CS_HEAT_PLANES };

struct cs_heat {
  cs_u64 key;                       /* cs_heat_key(); 0: free */
  cs_u32 extent[CS_HEAT_PLANES][3]; /* of the grid, in blocks; of a block, in threads */
  cs_u32 most[CS_HEAT_PLANES][3];   /* the largest coordinates that erred */
  cs_u32 least[CS_HEAT_PLANES][3];  /* the complements of the smallest, so that 0 is where both begin */
  cs_u32 bins[CS_HEAT_PLANES][CS_HEAT_BINS];
};
_Static_assert(sizeof(struct cs_heat) == 8 + 9 * 8 + 2 * 4 * 256, "cs_heat");

/* The place, from 1, above a hash of the launch's shape. Two shapes with one hash share an entry: accepted, once in 2^32. */
static inline cs_u64 cs_heat_key(cs_u32 place, cs_u32 shape) {
  return (cs_u64)(place + 1) << 32 | shape;
}
static inline cs_u32 cs_heat_mix(cs_u32 hash, cs_u32 value) {
  hash = (hash ^ value) * 0x9E3779B1u;
  return hash ^ hash >> 15;
}

/* How a plane of x by y by z is divided: along x, and along y and z, which are one behind the other. A cell is 2^shift long,
 * because divisions take registers on the device; where there is only x, it has all the cells. */
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
