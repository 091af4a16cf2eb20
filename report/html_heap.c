/* html_heap.c: the drawing of the memory around an access: buffers in the order of their addresses, not to scale. */
#include "report/html.h"
#include "report/page.h"
#include "report/words.h"
#include <stdlib.h>
#include <string.h>

enum { BOXES_MAX = 16, OWN_WIDTH = 300, OTHER_WIDTH = 110, GAP_WIDTH = 66, HEIGHT = 44, TOP = 40 };

struct box {
  cs_u64 start, bytes;
  const char *style;
  int x, width;
};

struct drawing {
  struct box boxes[BOXES_MAX];
  int count, width;
};

static void add(struct drawing *d, cs_u64 start, cs_u64 bytes, const char *style, int width) {
  if (d->count < BOXES_MAX)
    d->boxes[d->count++] = (struct box){start, bytes, style, 0, width};
}

static int by_address(const void *a, const void *b) {
  const struct box *x = a, *y = b;
  return x->start < y->start ? -1 : x->start > y->start;
}

static void collect(struct drawing *d, const struct cs_finding *f) {
  if (f->memory_kind != CS_MEMORY_UNKNOWN && f->object_bytes)
    add(d, f->object_start, f->object_bytes, "own", OWN_WIDTH);
  else if (f->own)
    add(d, f->own->start, f->own->size, f->own->freed ? "own freed" : "own", OWN_WIDTH);
  if (f->touched)
    add(d, f->touched->start, f->touched->size, "hit", OTHER_WIDTH);
  for (size_t i = 0; i < f->around_count; i++)
    add(d, f->around[i].start, f->around[i].size, f->around[i].freed ? "freed" : "live", OTHER_WIDTH);
  qsort(d->boxes, (size_t)d->count, sizeof *d->boxes, by_address);
}

static cs_u64 end_of(const struct box *b) {
  return b->start + b->bytes;
}

static void lay_out(struct drawing *d) {
  int x = GAP_WIDTH;
  for (int i = 0; i < d->count; i++) {
    d->boxes[i].x = x;
    x += d->boxes[i].width + GAP_WIDTH;
  }
  d->width = x;
}

static int within(cs_u64 offset, cs_u64 bytes, int width) {
  return bytes ? (int)((double)offset / (double)bytes * width) : 0;
}

/* The column of an address: in its box, or in the gap between two. */
static int column_of(const struct drawing *d, cs_u64 address) {
  const struct box *before = NULL, *after = NULL;
  for (int i = 0; i < d->count; i++) {
    const struct box *b = &d->boxes[i];
    if (address >= b->start && address - b->start < b->bytes)
      return b->x + within(address - b->start, b->bytes, b->width);
    if (address < b->start) {
      after = b;
      break;
    }
    before = b;
  }
  if (before && after)
    return before->x + before->width + 3 +
           within(address - end_of(before), after->start - end_of(before), GAP_WIDTH - 6);
  if (before)
    return before->x + before->width + (address == end_of(before) ? 3 : GAP_WIDTH / 2);
  return after ? after->x - (after->start - address < 64 ? 3 : GAP_WIDTH / 2) : 0;
}

static void draw_box(const struct box *b, FILE *out) {
  fprintf(out, "<rect class=\"%s\" x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\"/>", b->style, b->x, TOP, b->width,
          HEIGHT);
  fprintf(out, "<text class=\"in\" x=\"%d\" y=\"%d\">%llu bytes</text>", b->x + b->width / 2, TOP + HEIGHT / 2 + 4,
          b->bytes);
  fprintf(out, "<text x=\"%d\" y=\"%d\">0x%012llx</text>\n", b->x, TOP + HEIGHT + 14, b->start);
}

/* The gap has room for eight characters: five digits and more are rounded to a larger unit. */
static const char *short_size(cs_u64 bytes, char *to, size_t room) {
  static const char *const units[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double value = (double)bytes / 1024;
  int unit = 0;
  for (; value >= 999.5; unit++) /* 2^64 is 16 EiB */
    value /= 1024;
  if (bytes < 10000)
    snprintf(to, room, "%llu", bytes);
  else
    snprintf(to, room, "%.*f %s", value < 9.95 ? 1 : 0, value, units[unit]);
  return to;
}

static void draw_gap(const struct box *a, const struct box *b, FILE *out) {
  char size[32];
  if (b->start >= end_of(a))
    fprintf(out, "<text class=\"gap\" x=\"%d\" y=\"%d\">+%s</text>\n", a->x + a->width + GAP_WIDTH / 2,
            TOP + HEIGHT / 2 + 4, short_size(b->start - end_of(a), size, sizeof size));
}

static void draw_access(const struct drawing *d, const struct cs_finding *f, FILE *out) {
  int x = column_of(d, f->address), middle = x < 80 ? 80 : x > d->width - 80 ? d->width - 80 : x;
  fprintf(out, "<path class=\"access\" d=\"M%d 20V%dM%d %dl-4 -7h8z\"/>", x, TOP - 2, x, TOP);
  fprintf(out, "<text class=\"access\" x=\"%d\" y=\"14\">", middle);
  if (f->size)
    fprintf(out, "%s of %llu byte%s", cs_report_access_noun(f->access), f->size, cs_report_plural(f->size));
  else
    fputs("the pointer", out);
  fputs("</text>\n", out);
}

static int has_style(const struct drawing *d, const char *style) {
  for (int i = 0; i < d->count; i++)
    if (strstr(d->boxes[i].style, style))
      return 1;
  return 0;
}

/* Explains only the colours in use. */
static void legend(const struct drawing *d, const struct cs_finding *f, FILE *out) {
  const char *own = f->memory_kind != CS_MEMORY_UNKNOWN ? "variable" : "buffer";
  fputs("<p class=\"soft\">", out);
  if (has_style(d, "own") && f->event == CS_EVENT_LEAK)
    fputs("Blue: the leaked buffer. ", out);
  else if (has_style(d, "own"))
    fprintf(out, "Blue: the %s that the pointer belongs to. ", own);
  if (has_style(d, "hit"))
    fputs("Orange: another buffer that the access hit. ", out);
  if (has_style(d, "freed"))
    fputs("Dashed: freed. ", out);
  fputs(d->count > 1 ? "Ordered by address, not to scale.</p>\n" : "Not to scale.</p>\n", out);
}

void cs_report_html_heap(const struct cs_finding *f, FILE *out) {
  struct drawing d = {.count = 0};
  if (!cs_report_has_address(f))
    return;
  collect(&d, f);
  if (!d.count)
    return;
  lay_out(&d);
  fprintf(out, "<h3>Memory</h3>\n<div class=\"wide\"><svg class=\"heap\" width=\"%d\" height=\"%d\" role=\"img\">\n",
          d.width, TOP + HEIGHT + 20);
  for (int i = 0; i < d.count; i++) {
    draw_box(&d.boxes[i], out);
    if (i)
      draw_gap(&d.boxes[i - 1], &d.boxes[i], out);
  }
  if (f->event != CS_EVENT_LEAK)
    draw_access(&d, f, out);
  fputs("</svg></div>\n", out);
  legend(&d, f, out);
}
