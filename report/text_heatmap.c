/* text_heatmap.c: the lines of a report that show the offending blocks and threads, when there is more than one
 * error. */
#include "report/heatmap.h"
#include "report/page.h"
#include <string.h>

enum { STRIP = 64 };

/* The plane along x, darker for more errors. Cells that share a column of the strip add up. */
static void print_strip(const struct cs_report_page *p, const struct cs_report_heatmap *m) {
  static const char ramp[] = ".:-=+*#%@";
  enum { SHADES = sizeof ramp - 1 };
  cs_u64 sums[STRIP] = {0}, highest = 1;
  cs_u32 each = cs_report_heatmap_steps(m->cells.columns, STRIP),
         columns = cs_report_heatmap_steps(m->cells.columns, each);
  for (cs_u32 i = 0; i < m->cells.columns; i++)
    if ((sums[i / each] += m->bins[i]) > highest)
      highest = sums[i / each];
  fprintf(p->out, "   %8s |", "");
  for (cs_u32 i = 0; i < columns; i++)
    fputc(sums[i] ? ramp[(sums[i] * SHADES - 1) / highest] : ' ', p->out);
  fputs("|\n", p->out);
}

static void print_plane(const struct cs_report_page *p, enum cs_heat_plane plane) {
  const struct cs_report_heatmap m = cs_report_heatmap(p->f->heat, plane);
  const cs_u32 *a = m.min, *b = m.max, *e = m.extent;
  if (e[0] == 1 && e[1] == 1 && e[2] == 1)
    return;
  if (memcmp(a, b, sizeof m.min) == 0)
    fprintf(p->out, "   %9s (%u,%u,%u) only, of %u x %u x %u\n", m.name, a[0], a[1], a[2], e[0], e[1], e[2]);
  else
    fprintf(p->out, "   %8ss (%u,%u,%u) to (%u,%u,%u), of %u x %u x %u\n", m.name, a[0], a[1], a[2], b[0], b[1], b[2],
            e[0], e[1], e[2]);
  if (m.cells.rows == 1 && m.cells.columns > 1 && memcmp(a, b, sizeof m.min) != 0)
    print_strip(p, &m);
}

void cs_report_page_heatmap(const struct cs_report_page *p) {
  if (!p->f->heat || p->f->count < 2)
    return;
  print_plane(p, CS_HEAT_BLOCKS);
  print_plane(p, CS_HEAT_THREADS);
}
