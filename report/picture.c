/* picture.c: the position of an access, drawn below the buffer or variable.
 *
 *              +0                                      +400
 *              |========================================|
 *                                                        ^ write of 4 bytes at +400
 */
#include "report/page.h"
#include "report/paint.h"
#include "report/words.h"
#include <string.h>

enum { LEFT = 12, BAR = 48, FAR_AWAY = 6, RIGHT = LEFT + 1 + BAR, COLUMNS = RIGHT + 2 * FAR_AWAY };

struct span {
  cs_u64 start, bytes; /* what is drawn */
  int freed;
};

static cs_u64 scaled(const struct span *s, cs_u64 distance) {
  return distance / s->bytes > BAR ? BAR + 1 : distance * BAR / s->bytes;
}

static int mark_width(const struct cs_finding *f, const struct span *s) {
  cs_u64 width = scaled(s, f->size);
  return width < 1 ? 1 : width > BAR ? BAR : (int)width;
}

/* The mark's columns [from, to), and whether it is drawn closer than to scale. */
static void place_mark(const struct cs_finding *f, const struct span *s, int *from, int *to, int *is_far) {
  cs_u64 offset = f->address - s->start, gap = scaled(s, f->distance);
  int width = mark_width(f, s), away = gap > FAR_AWAY ? FAR_AWAY : (int)gap;
  *is_far = f->outside && gap > FAR_AWAY;
  if (f->outside && f->before) {
    *to = f->distance < f->size ? LEFT + 1 : LEFT - (away > 1 ? away - 1 : 0); /* it may reach into the buffer */
    *from = *to - (width > 4 ? 4 : width);
    return;
  }
  if (f->outside && offset >= s->bytes) {
    *from = RIGHT + 1 + away;
    *to = *from + (width > 4 ? 4 : width);
    return;
  }
  *from = LEFT + 1 + (int)scaled(s, offset);
  int last = offset == s->bytes ? RIGHT + 1 : RIGHT;
  *to = f->outside ? RIGHT + 2 : *from + width > last ? last : *from + width;
  *from = *from >= *to ? *to - 1 : *from;
}

static void print_bar(const struct cs_report_page *p, const struct span *s, int is_far) {
  char bar[COLUMNS + 1], end[32];
  int before = is_far && p->f->before, past = is_far && !p->f->before;
  snprintf(end, sizeof end, "+%llu", s->bytes);
  fprintf(p->out, "%*s%*s\n", LEFT + 2, "+0", BAR + (int)strlen(end) - 1, end);
  memset(bar, s->freed ? 'x' : '=', sizeof bar);
  fprintf(p->out, "%*s|%.*s|%s\n", LEFT, before ? "... " : "", BAR, bar, past ? " ..." : "");
}

/* Right of the mark, or left of it where the line is too short. */
static void print_mark(const struct cs_report_page *p, int from, int to, const char *label) {
  static const char marks[] = "^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^^";
  const char *paint = cs_report_paint(p->options, CS_REPORT_PAINT_CARET),
             *plain = cs_report_paint(p->options, CS_REPORT_PAINT_PLAIN);
  int length = (int)strlen(label);
  if (to + 1 + length <= CS_REPORT_PAGE_COLUMNS)
    fprintf(p->out, "%*s%s%.*s%s %s\n", from, "", paint, to - from, marks, plain, label);
  else if (from > length)
    fprintf(p->out, "%*s%s %s%.*s%s\n", from - 1 - length, "", label, paint, to - from, marks, plain);
  else /* only a damaged record has such numbers */
    fprintf(p->out, "%*s%s%.*s%s\n", from, "", paint, to - from, marks, plain);
}

static int choose_span(const struct cs_finding *f, struct span *s) {
  if (f->memory_kind != CS_MEMORY_UNKNOWN)
    *s = (struct span){f->object_start, f->object_bytes, 0};
  else if (f->own)
    *s = (struct span){f->own->start, f->own->size, f->own->freed};
  else
    return 0;
  return s->bytes && (f->size || f->address != s->start); /* a pointer to the start needs no picture */
}

void cs_report_page_picture(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  struct span s;
  int from, to, is_far;
  char label[96], how[64] = "the pointer";
  if (!choose_span(f, &s))
    return;
  place_mark(f, &s, &from, &to, &is_far);
  print_bar(p, &s, is_far);
  if (f->size)
    snprintf(how, sizeof how, "%s of %llu byte%s", cs_report_access_noun(f->access), f->size,
             cs_report_plural(f->size));
  snprintf(label, sizeof label, "%s at %s%llu", how, f->address < s.start ? "-" : "+",
           f->address < s.start ? s.start - f->address : f->address - s.start);
  print_mark(p, from, to, label);
}
