/* html_grid.c: the drawing of the offending blocks of the grid and threads of a block: a heatmap of all errors at the
 * site if the device has counted them, and the first recorded error. */
#include "report/heatmap.h"
#include "report/html.h"
#include <string.h>

enum { CELLS_MAX = 64, WIDTH = 400, HEIGHT = 200, CELL = 16, VISIBLE = 5 };

/* A plane in cells, each of several blocks or threads. A plane of one long row is wrapped to several lines. */
struct plane {
  const char *name;
  const cs_u32 *extent, *first;        /* first: the recorded one */
  struct cs_report_heatmap_cells each; /* how it is divided */
  cs_u32 across, cells;                /* cells per line, and in total */
  const cs_u32 *bins;                  /* NULL: only the first error is known */
  cs_u32 highest;
  double side_x, side_y; /* of a cell, in pixels */
};

static double smaller(double a, double b) {
  return a < b ? a : b;
}

static double larger(double a, double b) {
  return a > b ? a : b;
}

static cs_u32 lines_of(const struct plane *p) {
  return cs_report_heatmap_steps(p->cells, p->across);
}

static void measure(struct plane *p) {
  p->side_x = smaller(CELL, (double)WIDTH / p->across);
  p->side_y = smaller(CELL, (double)HEIGHT / lines_of(p));
}

static void draw_lines(const struct plane *p, FILE *out) {
  cs_u32 lines = lines_of(p);
  fputs("<path d=\"M0 0", out);
  for (cs_u32 i = 1; p->side_x >= VISIBLE && i < p->across; i++)
    fprintf(out, "M%.1f 0V%.1f", i * p->side_x, lines * p->side_y);
  for (cs_u32 i = 1; p->side_y >= VISIBLE && i < lines; i++)
    fprintf(out, "M0 %.1fH%.1f", i * p->side_y, p->across * p->side_x);
  fputs("\"/>", out);
}

static void draw_cell(const struct plane *p, cs_u32 cell, const char *name, cs_u32 side_min, FILE *out) {
  cs_u32 column = cell % p->across, line = cell / p->across;
  fprintf(out, "<rect class=\"%s\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"", name, column * p->side_x,
          line * p->side_y, larger(p->side_x, side_min), larger(p->side_y, side_min));
}

/* The opacity starts at a fifth, so that a single error among thousands is visible. */
static void draw_errors(const struct plane *p, FILE *out) {
  enum { OPACITY_MIN = 20, OPACITY_MAX = 100 };
  for (cs_u32 cell = 0; p->bins && cell < p->cells; cell++) {
    cs_u32 errors = cs_report_heatmap_errors_in(p->bins, p->each, cell);
    if (!errors)
      continue;
    draw_cell(p, cell, "hot", 1, out);
    fprintf(out, " fill-opacity=\"%.2f\"><title>%u error%s</title></rect>",
            (OPACITY_MIN + (double)(OPACITY_MAX - OPACITY_MIN) * errors / p->highest) / OPACITY_MAX, errors,
            errors == 1 ? "" : "s");
  }
}

/* Blanks the last line after the last cell. */
static void draw_rest(const struct plane *p, FILE *out) {
  cs_u32 used = p->cells % p->across;
  if (used)
    fprintf(out, "<rect class=\"rest\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/>", used * p->side_x,
            (lines_of(p) - 1) * p->side_y + 1, (p->across - used) * p->side_x + 1, p->side_y);
}

static void draw_plane(struct plane *p, FILE *out) {
  const cs_u32 *at = p->first, *e = p->extent;
  cs_u32 first = (at[2] * e[1] + at[1]) / p->each.height * p->each.columns + at[0] / p->each.width;
  measure(p);
  fprintf(out, "<figure><svg class=\"grid\" width=\"%.0f\" height=\"%.0f\" role=\"img\">",
          p->across * p->side_x + VISIBLE, lines_of(p) * p->side_y + VISIBLE);
  fprintf(out, "<rect class=\"all\" width=\"%.1f\" height=\"%.1f\"/>", p->across * p->side_x, lines_of(p) * p->side_y);
  draw_errors(p, out);
  draw_lines(p, out);
  draw_rest(p, out);
  draw_cell(p, first, "first", VISIBLE, out);
  fputs("/></svg>", out);
  fprintf(out, "<figcaption>%ss, %u × %u × %u", p->name, e[0], e[1], e[2]);
  if (p->each.width > 1 || p->each.height > 1)
    fprintf(out, ", %u × %u per cell", p->each.width, p->each.height);
  if (p->bins)
    fprintf(out, "; at most %u error%s per cell", p->highest, p->highest == 1 ? "" : "s");
  fprintf(out, "<br/>outlined: %s (%u,%u,%u), the first recorded</figcaption></figure>\n", p->name, at[0], at[1],
          at[2]);
}

/* An overwritten record may name any thread. */
static int is_inside(const cs_u32 *extent, const cs_u32 *at) {
  return at[0] < extent[0] && at[1] < extent[1] && at[2] < extent[2];
}

/* The cells that the device counts in. */
static struct plane plane_of(const char *name, const cs_u32 *extent, const cs_u32 *first) {
  struct cs_report_heatmap_cells c = cs_report_heatmap_cells(extent);
  struct plane p = {
      .name = name, .extent = extent, .first = first, .each = c, .across = c.columns, .cells = c.columns * c.rows};
  if (c.rows == 1 && p.across > CELLS_MAX)
    p.across = CELLS_MAX;
  return p;
}

/* A single cell is not worth drawing. */
static int is_single(const cs_u32 *extent) {
  return extent[0] == 1 && extent[1] == 1 && extent[2] == 1;
}

static void draw_heatmap(const struct cs_heat *heat, enum cs_heat_plane id, const cs_u32 *first, FILE *out) {
  struct cs_report_heatmap m = cs_report_heatmap(heat, id);
  struct plane p = plane_of(m.name, m.extent, first);
  if (is_single(m.extent))
    return;
  p.bins = m.bins;
  p.highest = m.highest;
  draw_plane(&p, out);
}

static void draw_first(const char *name, const cs_u32 *extent, const cs_u32 *first, FILE *out) {
  struct plane p = plane_of(name, extent, first);
  if (!is_single(extent))
    draw_plane(&p, out);
}

static void write_span_of(const struct cs_report_heatmap *m, FILE *out) {
  const cs_u32 *a = m->min, *b = m->max;
  if (memcmp(a, b, sizeof m->min) == 0)
    fprintf(out, "%s (%u,%u,%u)", m->name, a[0], a[1], a[2]);
  else
    fprintf(out, "%ss (%u,%u,%u) to (%u,%u,%u)", m->name, a[0], a[1], a[2], b[0], b[1], b[2]);
}

static void write_span(const struct cs_finding *f, FILE *out) {
  struct cs_report_heatmap b = cs_report_heatmap(f->heat, CS_HEAT_BLOCKS),
                           t = cs_report_heatmap(f->heat, CS_HEAT_THREADS);
  if (b.errors < f->count)
    fprintf(out, "<p>%llu of %llu errors, those in launches of this size", b.errors, f->count);
  else
    fprintf(out, "<p>%llu error%s", b.errors, b.errors == 1 ? "" : "s");
  fputs(": ", out);
  write_span_of(&b, out);
  fputs(", ", out);
  write_span_of(&t, out);
  fputs(".</p>\n", out);
}

void cs_report_html_grid(const struct cs_finding *f, FILE *out) {
  const struct cs_report_launch *l = f->launch;
  if (f->event != CS_EVENT_ACCESS)
    return;
  fprintf(out, "<h3>Offending thread%s</h3>\n", f->count > 1 ? "s" : "");
  if (f->heat && is_inside(f->heat->extent[CS_HEAT_BLOCKS], f->block) &&
      is_inside(f->heat->extent[CS_HEAT_THREADS], f->thread)) {
    write_span(f, out);
    fputs("<div class=\"planes\">", out);
    draw_heatmap(f->heat, CS_HEAT_BLOCKS, f->block, out);
    draw_heatmap(f->heat, CS_HEAT_THREADS, f->thread, out);
    fputs("</div>\n", out);
    return;
  }
  if (f->count > 1)
    fprintf(out, "<p>%llu errors at this site; the first recorded:</p>\n", f->count);
  if (l && is_inside(l->grid, f->block) && is_inside(l->block, f->thread) &&
      !(is_single(l->grid) && is_single(l->block))) {
    fputs("<div class=\"planes\">", out);
    draw_first("block", l->grid, f->block, out);
    draw_first("thread", l->block, f->thread, out);
    fputs("</div>\n", out);
  } else
    fprintf(out, "<p>thread (%u,%u,%u) of block (%u,%u,%u)</p>\n", f->thread[0], f->thread[1], f->thread[2],
            f->block[0], f->block[1], f->block[2]);
}
