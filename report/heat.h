/* heat.h: what the renderers want to know of a histogram of erring threads (cusafe/heat.h). */
#ifndef CUSAFE_REPORT_HEAT_H
#define CUSAFE_REPORT_HEAT_H

#include "report/finding.h"

/* All that were counted in the plane. */
cs_u64 cs_report_heat_errors(const struct cs_heat *heat, enum cs_heat_plane plane);

/* Whether it can be what a device wrote: a bad access may have hit it. */
int cs_report_heat_is_sound(const struct cs_heat *heat);

static inline cs_u32 cs_report_heat_step(cs_u32 extent, cs_u32 each) {
  return extent / each + (extent % each != 0);
}

/* How a plane is divided: so many cells, each so wide along x, and so high along y and z. */
struct cs_report_heat_cells {
  cs_u32 width, height, columns, rows;
};
struct cs_report_heat_cells cs_report_heat_cells(const cs_u32 *extent);

/* The count in a cell, by its number from left to right and down. */
static inline cs_u32 cs_report_heat_in(const cs_u32 *bins, struct cs_report_heat_cells cells, cs_u32 cell) {
  return bins[cs_heat_bin(cell / cells.columns, cell % cells.columns)];
}

/* A plane of it, ready to be drawn. */
struct cs_report_heat_map {
  const char *name; /* of what lies in it: block, thread */
  const cs_u32 *extent, *bins;
  struct cs_report_heat_cells cells;
  cs_u32 least[3], most[3]; /* coordinates */
  cs_u64 errors;
  cs_u32 highest; /* of a cell */
};
struct cs_report_heat_map cs_report_heat_map(const struct cs_heat *heat, enum cs_heat_plane plane);

#endif
