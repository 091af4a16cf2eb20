/* text_launches.c: where the kernel was launched, in the text report. */
#include "report/page.h"
#include "report/paint.h"
#include "report/shorten.h"
#include "report/words.h"
#include <string.h>

/* A place as one line. Places whose stacks differ, but not their line, are one place to the reader. */
struct line {
  char launch[CS_REPORT_PAGE_COLUMNS + 1], node[CS_REPORT_PAGE_COLUMNS + 1];
  int is_graph;
  cs_u64 count;
};

enum { LINES_MAX = 16 };

static void title(const struct cs_report_page *p, const char *text) {
  fprintf(p->out, "%s%s%s\n", cs_report_paint(p->options, CS_REPORT_PAINT_ACCESS), text,
          cs_report_paint(p->options, CS_REPORT_PAINT_PLAIN));
}

/* The stack of a place that is the only one. */
static void print_only(const struct cs_report_page *p, const struct cs_report_launch *l) {
  const struct cs_launch_place *place = l->places;
  char text[128], times[64] = "";
  if (place->count > 1)
    snprintf(times, sizeof times, ", %llu times", place->count);
  snprintf(text, sizeof text, "%slaunched %shere%s%s%s:", l->is_earlier ? "last " : "",
           place->is_graph ? "in a graph " : "", times,
           place->count > 1 ? " "
           : l->is_earlier  ? ", "
                            : "",
           place->count > 1 || l->is_earlier ? cs_report_launch_time(l) : "");
  if (place->stack.count) {
    title(p, text);
    cs_report_page_host_stack(p, &place->stack);
  }
  if (place->node.count)
    cs_report_page_event(p, "added to the graph", NULL, &place->node);
}

/* "file:line:column in function", as far as known. */
static const char *place_text(const struct cs_report_page *p, const struct cs_stack *stack, char *to, size_t room) {
  enum { WHERE_COLUMNS = 56, NAME_COLUMNS = 36 };
  char where[WHERE_COLUMNS + 1] = "", name[NAME_COLUMNS + 1];
  const struct cs_source *frame = cs_report_own_frame(stack);
  if (frame)
    cs_report_page_location(p, frame, WHERE_COLUMNS, where, sizeof where);
  const char *function = frame && frame->function ? cs_report_short_name(frame->function, NAME_COLUMNS, name) : "";
  snprintf(to, room, "%s%s%s", *where || *function ? where : "an unknown place", *function ? " in " : "", function);
  return to;
}

static int is_same(const struct line *a, const struct line *b) {
  return strcmp(a->launch, b->launch) == 0 && strcmp(a->node, b->node) == 0 && a->is_graph == b->is_graph;
}

static void add_line(struct line *lines, size_t *count, const struct line *line) {
  size_t i = 0;
  while (i < *count && !is_same(&lines[i], line))
    i++;
  if (i == *count)
    lines[(*count)++] = *line;
  else
    lines[i].count += line->count;
}

static void print_line(const struct cs_report_page *p, const struct line *line) {
  fprintf(p->out, "    %s", line->launch);
  if (line->count > 1)
    fprintf(p->out, ", %llu times", line->count);
  fputs(line->is_graph ? ", in a graph\n" : "\n", p->out);
  if (*line->node)
    fprintf(p->out, "       added to it at %s\n", line->node);
}

static void print_lines(const struct cs_report_page *p, const struct cs_report_launch *l) {
  struct line lines[LINES_MAX];
  size_t count = 0;
  cs_u64 listed = 0;
  for (size_t i = 0; i < l->place_count && i < LINES_MAX; i++) {
    const struct cs_launch_place *place = &l->places[i];
    struct line line = {.count = place->count, .is_graph = place->is_graph};
    place_text(p, &place->stack, line.launch, sizeof line.launch);
    if (place->node.count)
      place_text(p, &place->node, line.node, sizeof line.node);
    add_line(lines, &count, &line);
    listed += place->count;
  }
  for (size_t i = 0; i < count; i++)
    print_line(p, &lines[i]);
  if (l->count > listed)
    fprintf(p->out, "    ... and %llu at other places\n", l->count - listed);
}

void cs_report_page_launches(const struct cs_report_page *p, const struct cs_report_launch *l) {
  char text[96];
  if (!l->place_count && l->stack.count)
    cs_report_page_event(p, "launched", NULL, &l->stack);
  else if (l->place_count == 1 && l->count == l->places->count)
    print_only(p, l);
  else if (l->place_count) {
    snprintf(text, sizeof text, "by one of %s%llu launches %s:", l->is_earlier ? "the last " : "", l->count,
             cs_report_launch_time(l));
    title(p, text);
    print_lines(p, l);
  }
}
