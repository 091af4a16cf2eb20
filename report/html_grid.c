/* html_grid.c: the drawing of which block of the grid, and which thread of it, erred. The device records the first error of each
 * place, so one cell is marked; how many erred is told in words. */
#include "report/html.h"

enum { CELLS_MAX = 64, WIDTH = 320, HEIGHT = 160, CELL = 16, VISIBLE = 5 };

static cs_u32 cells_of(cs_u32 extent) {
  return extent < CELLS_MAX ? extent : CELLS_MAX;
}

struct cells {
  cs_u32 columns, rows;
  double width, height; /* of one */
};

static double smaller(double a, double b) {
  return a < b ? a : b;
}

static double larger(double a, double b) {
  return a > b ? a : b;
}

/* Lines between cells that are large enough for them. */
static void draw_lines(const struct cells *c, FILE *out) {
  fputs("<path d=\"M0 0", out);
  for (cs_u32 i = 1; c->width >= VISIBLE && i < c->columns; i++)
    fprintf(out, "M%.1f 0V%.1f", i * c->width, c->rows * c->height);
  for (cs_u32 i = 1; c->height >= VISIBLE && i < c->rows; i++)
    fprintf(out, "M0 %.1fH%.1f", i * c->height, c->columns * c->width);
  fputs("\"/>", out);
}

/* One plane, x to the right and y down; large ones have several to a cell. */
static void draw_plane(const char *name, const cs_u32 *extent, const cs_u32 *at, FILE *out) {
  struct cells c = {.columns = cells_of(extent[0]), .rows = cells_of(extent[1])};
  c.width = smaller(CELL, (double)WIDTH / c.columns);
  c.height = smaller(CELL, (double)HEIGHT / c.rows);
  cs_u32 x = (cs_u32)((cs_u64)at[0] * c.columns / extent[0]), y = (cs_u32)((cs_u64)at[1] * c.rows / extent[1]);
  fprintf(out, "<figure><svg class=\"grid\" width=\"%.0f\" height=\"%.0f\" role=\"img\">",
          c.columns * c.width + VISIBLE, c.rows * c.height + VISIBLE);
  fprintf(out, "<rect class=\"all\" width=\"%.1f\" height=\"%.1f\"/>", c.columns * c.width, c.rows * c.height);
  draw_lines(&c, out);
  fprintf(out, "<rect class=\"bad\" x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"%.1f\"/></svg>", x * c.width,
          y * c.height, larger(c.width, VISIBLE), larger(c.height, VISIBLE));
  fprintf(out, "<figcaption>%s (%u,%u,%u) of %u × %u × %u</figcaption></figure>\n", name, at[0], at[1], at[2],
          extent[0], extent[1], extent[2]);
}

/* A record that was overwritten may name any thread. */
static int is_inside(const cs_u32 *extent, const cs_u32 *at) {
  return at[0] < extent[0] && at[1] < extent[1] && at[2] < extent[2];
}

void cs_html_grid(const struct cs_finding *f, FILE *out) {
  const struct cs_launch *l = f->launch;
  if (f->event != CS_EVENT_ACCESS)
    return;
  fputs("<h3>Threads</h3>\n", out);
  if (f->count > 1)
    fprintf(out, "<p>%llu errors at this place; the first that was recorded:</p>\n", f->count);
  if (l && is_inside(l->grid, f->block) && is_inside(l->block, f->thread)) {
    fputs("<div class=\"planes\">", out);
    draw_plane("block", l->grid, f->block, out);
    draw_plane("thread", l->block, f->thread, out);
    fputs("</div>\n", out);
  } else
    fprintf(out, "<p>thread (%u,%u,%u) of block (%u,%u,%u)</p>\n", f->thread[0], f->thread[1], f->thread[2],
            f->block[0], f->block[1], f->block[2]);
}
