/* text_frames.c: source places and stacks in the text report, and the width of its lines. */
#include "report/page.h"
#include "report/paint.h"
#include "report/words.h"
#include <stdarg.h>
#include <string.h>

int cs_page_phrase(const struct cs_page *p, int used, const char *format, ...) {
  char phrase[4096];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(phrase, sizeof phrase, format, arguments);
  va_end(arguments);
  int length = (int)strlen(phrase);
  if (used + 1 + length <= CS_PAGE_COLUMNS) {
    fprintf(p->out, " %s", phrase);
    return used + 1 + length;
  }
  fprintf(p->out, "\n   %s", phrase);
  return 3 + length;
}

const char *cs_page_place(const struct cs_page *p, const struct cs_source *s, char *to, size_t room) {
  if (s->file && s->line && s->column)
    snprintf(to, room, "%s:%u:%u", cs_shown_path(p->options, s->file), s->line, s->column);
  else if (s->file && s->line)
    snprintf(to, room, "%s:%u", cs_shown_path(p->options, s->file), s->line);
  else if (s->file)
    snprintf(to, room, "%s", cs_shown_path(p->options, s->file));
  else if (s->module && !s->function && s->offset)
    snprintf(to, room, "(%s+0x%llx)", cs_shown_path(p->options, s->module), s->offset);
  else if (s->module)
    snprintf(to, room, "(%s)", cs_shown_path(p->options, s->module));
  else
    snprintf(to, room, "%s", "");
  return to;
}

/* One line a frame; a place that does not fit any more goes to a line of its own. */
static void print_frame(const struct cs_page *p, size_t number, const struct cs_source *s, const char *note) {
  char where[4096];
  const char *function = s->function ? s->function : "<unknown function>";
  cs_page_place(p, s, where, sizeof where);
  int used = fprintf(p->out, "    #%zu ", number);
  if (s->pc)
    used += fprintf(p->out, "0x%012llx ", s->pc);
  used += fprintf(p->out, "in %s", function);
  if (*where && used + 1 + strlen(where) + strlen(note) > CS_PAGE_COLUMNS)
    fprintf(p->out, "\n       at %s%s\n", where, note);
  else
    fprintf(p->out, "%s%s%s\n", *where ? " " : "", where, note);
}

/* Up to main: below it is only what every program has. Far from the call, only frames whose lines are known: an interpreter has
 * many of the others. */
void cs_page_host_stack(const struct cs_page *p, const struct cs_stack *stack) {
  enum { NEAR = 10 };
  size_t left_out = 0;
  for (size_t i = 0; i < stack->count; i++) {
    const struct cs_source *frame = &stack->frames[i];
    int is_main = frame->function && strcmp(frame->function, "main") == 0;
    if (i < NEAR || frame->line || is_main)
      print_frame(p, i, frame, "");
    else
      left_out++;
    if (is_main && frame->line)
      break;
  }
  if (left_out)
    fprintf(p->out, "    ... and %zu frame%s without lines\n", left_out, cs_plural(left_out));
}

/* Only an access has a direction; that the record is of something else, the table itself has said. */
static int table_was_read(const struct cs_finding *f) {
  return f->access != CS_ACCESS_COUNT || f->kind == CS_KIND_FIELD_OVERFLOW || cs_is_free(f);
}

void cs_page_device_stack(const struct cs_page *p) {
  const struct cs_stack *stack = &p->f->where;
  for (size_t i = 0; i < stack->count; i++)
    print_frame(p, i, &stack->frames[i], i + 1 < stack->count ? " (inlined)" : "");
  if (stack->count == 0)
    fprintf(p->out, "    #0 <no source line: the module's %s>\n",
            table_was_read(p->f) ? "device code has no debug information" : "site table cannot be read");
}

void cs_page_event(const struct cs_page *p, const char *verb, const char *call, const struct cs_stack *stack) {
  fprintf(p->out, "%s%s%s%s%s%s\n", cs_paint(p->options, CS_PAINT_ACCESS), verb, call ? " by " : "", call ? call : "",
          stack->count ? " here:" : "; where is not known", cs_paint(p->options, CS_PAINT_PLAIN));
  cs_page_host_stack(p, stack);
}
