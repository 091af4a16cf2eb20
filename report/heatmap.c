/* heatmap.c: reads a histogram of offending threads. */
#include "report/heatmap.h"

static int plane_is_sound(const struct cs_heat *h, enum cs_heat_plane p) {
  for (int i = 0; i < 3; i++)
    if (h->most[p][i] >= h->extent[p][i] || ~h->least[p][i] > h->most[p][i])
      return 0;
  return (cs_u64)h->extent[p][1] * h->extent[p][2] <= 0xffffffffu;
}

cs_u64 cs_report_heatmap_errors(const struct cs_heat *h, enum cs_heat_plane p) {
  cs_u64 sum = 0;
  for (cs_u32 i = 0; i < CS_HEAT_BINS; i++)
    sum += h->bins[p][i];
  return sum;
}

int cs_report_heatmap_is_sound(const struct cs_heat *h) {
  return plane_is_sound(h, CS_HEAT_BLOCKS) && plane_is_sound(h, CS_HEAT_THREADS) &&
         cs_report_heatmap_errors(h, CS_HEAT_BLOCKS) &&
         cs_report_heatmap_errors(h, CS_HEAT_BLOCKS) == cs_report_heatmap_errors(h, CS_HEAT_THREADS);
}

struct cs_report_heatmap_cells cs_report_heatmap_cells(const cs_u32 *e) {
  cs_u32 rows = e[1] * e[2];
  cs_u32 x = cs_heat_shift_x(e[0], rows), y = cs_heat_shift(rows, CS_HEAT_SIDE);
  return (struct cs_report_heatmap_cells){1u << x, 1u << y, ((e[0] - 1) >> x) + 1, ((rows - 1) >> y) + 1};
}

struct cs_report_heatmap cs_report_heatmap(const struct cs_heat *h, enum cs_heat_plane p) {
  struct cs_report_heatmap map = {.name = p == CS_HEAT_BLOCKS ? "block" : "thread",
                                  .extent = h->extent[p],
                                  .bins = h->bins[p],
                                  .cells = cs_report_heatmap_cells(h->extent[p]),
                                  .errors = cs_report_heatmap_errors(h, p)};
  for (int i = 0; i < 3; i++) {
    map.min[i] = ~h->least[p][i];
    map.max[i] = h->most[p][i];
  }
  for (cs_u32 i = 0; i < CS_HEAT_BINS; i++)
    if (map.highest < map.bins[i])
      map.highest = map.bins[i];
  return map;
}
