/* heatmap.h: the histogram of offending threads (cusafe/heat.h) as the renderers draw it. */
#ifndef CUSAFE_REPORT_HEATMAP_H
#define CUSAFE_REPORT_HEATMAP_H

#include "report/finding.h"

/* All errors counted in the plane. */
cs_u64 cs_report_heatmap_errors(const struct cs_heat *heat, enum cs_heat_plane plane);

/* 1 if a device can have written it: an invalid access may have overwritten it. */
int cs_report_heatmap_is_sound(const struct cs_heat *heat);

/* The number of steps of length `each` that cover `extent`. */
static inline cs_u32 cs_report_heatmap_steps(cs_u32 extent, cs_u32 each) {
  return extent / each + (extent % each != 0);
}

/* How a plane is divided: columns x rows cells, each width long along x, and height along y and z. */
struct cs_report_heatmap_cells {
  cs_u32 width, height, columns, rows;
};
struct cs_report_heatmap_cells cs_report_heatmap_cells(const cs_u32 *extent);

/* The errors in a cell, numbered row by row. */
static inline cs_u32 cs_report_heatmap_errors_in(const cs_u32 *bins, struct cs_report_heatmap_cells cells,
                                                 cs_u32 cell) {
  return bins[cs_heat_bin(cell / cells.columns, cell % cells.columns)];
}

/* One plane, ready to be drawn. */
struct cs_report_heatmap {
  const char *name; /* of its elements: block, thread */
  const cs_u32 *extent, *bins;
  struct cs_report_heatmap_cells cells;
  cs_u32 min[3], max[3]; /* coordinates of offending blocks or threads, each dimension separately */
  cs_u64 errors;
  cs_u32 highest; /* errors in one cell */
};
struct cs_report_heatmap cs_report_heatmap(const struct cs_heat *heat, enum cs_heat_plane plane);

#endif
