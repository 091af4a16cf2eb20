/* text_frames.c: source locations and stacks in the text report, and the width of its lines. */
#include "report/page.h"
#include "report/paint.h"
#include "report/shorten.h"
#include "report/words.h"
#include <stdarg.h>
#include <string.h>

int cs_report_page_phrase(const struct cs_report_page *p, int used, const char *format, ...) {
  char phrase[4096];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(phrase, sizeof phrase, format, arguments);
  va_end(arguments);
  int length = (int)strlen(phrase);
  if (used + 1 + length <= CS_REPORT_PAGE_COLUMNS) {
    fprintf(p->out, " %s", phrase);
    return used + 1 + length;
  }
  fprintf(p->out, "\n   %s", phrase);
  return 3 + length;
}

/* The path gets the columns that the line number leaves. */
const char *cs_report_page_location(const struct cs_report_page *p, const struct cs_source *s, size_t columns, char *to,
                                    size_t room) {
  char line[32] = "", open[2] = "", path[CS_REPORT_LOCATION_MAX];
  const char *file = s->file ? s->file : s->module;
  if (s->file && s->line && s->column)
    snprintf(line, sizeof line, ":%u:%u", s->line, s->column);
  else if (s->file && s->line)
    snprintf(line, sizeof line, ":%u", s->line);
  else if (!s->file && !s->function && s->offset)
    snprintf(line, sizeof line, "+0x%llx)", s->offset);
  else if (!s->file)
    strcpy(line, ")");
  if (!s->file)
    strcpy(open, "(");
  size_t others = strlen(open) + strlen(line);
  columns = columns < room ? columns : room - 1;
  to[0] = 0;
  if (file)
    snprintf(
        to, room, "%s%s%s", open,
        cs_report_short_path(cs_report_shown_path(p->options, file), columns > others ? columns - others : 0, path),
        line);
  return to;
}

/* One line per frame; a location that does not fit goes to the next line. */
static void print_frame(const struct cs_report_page *p, size_t number, const struct cs_source *s, const char *note) {
  static const char at[] = "\n       at ";
  char where[CS_REPORT_LOCATION_MAX], name[CS_REPORT_PAGE_COLUMNS + 1];
  const char *function = s->function ? s->function : "<unknown function>";
  cs_report_page_location(p, s, CS_REPORT_PAGE_COLUMNS + 1 - strlen(at) - strlen(note), where, sizeof where);
  size_t used = (size_t)fprintf(p->out, "    #%zu ", number);
  if (s->pc)
    used += (size_t)fprintf(p->out, "0x%012llx ", s->pc);
  used += (size_t)fprintf(p->out, "in ");
  function = cs_report_short_name(function, CS_REPORT_PAGE_COLUMNS - used - (*where ? 0 : strlen(note)), name);
  used += (size_t)fprintf(p->out, "%s", function);
  const char *before = !*where ? "" : used + 1 + strlen(where) + strlen(note) > CS_REPORT_PAGE_COLUMNS ? at : " ";
  fprintf(p->out, "%s%s%s\n", before, where, note);
}

static int is_in_header(const struct cs_source *frame) {
  return frame->file && frame->line && !cs_report_is_user_frame(frame);
}

static int has_user_frame(const struct cs_stack *stack, size_t count) {
  for (size_t i = 0; i < count; i++)
    if (cs_report_is_user_frame(&stack->frames[i]))
      return 1;
  return 0;
}

/* How many frames to omit from this one on: a template library or a Python package has many between the user's call and
 * the access. The outermost, which the user calls, stays, and so does a short run. Those that call the user's Python
 * code, as pytest's, are all omitted. */
static size_t omitted_frames(const struct cs_report_page *p, const struct cs_stack *stack, size_t first) {
  enum { SHORT = 3 };
  size_t end = first;
  while (end < stack->count && is_in_header(&stack->frames[end]) &&
         stack->frames[end].is_python == stack->frames[first].is_python)
    end++;
  int is_python = end > first && stack->frames[first].is_python, is_last = end == stack->count;
  if ((p->options && p->options->all_frames) || end - first < SHORT ||
      (is_last && !(is_python && has_user_frame(stack, first))))
    return 0;
  size_t omitted = end - first - !is_last;
  fprintf(p->out, "    ... %zu frames in %s\n", omitted,
          is_python ? "Python packages" : "headers of CUDA, the compiler or the system");
  return omitted;
}

/* Without a line, a frame that the C library calls: other functions may have main's name or its symbol. */
static int is_entry(const struct cs_stack *stack, size_t i) {
  const struct cs_source *frame = &stack->frames[i];
  if (!frame->function || frame->is_python || strcmp(frame->function, "main") != 0)
    return 0;
  const char *caller = i + 1 < stack->count ? stack->frames[i + 1].module : NULL;
  return frame->line || (frame->module && caller && strcmp(frame->module, caller) != 0);
}

static int has_python(const struct cs_stack *stack) {
  for (size_t i = 0; i < stack->count; i++)
    if (stack->frames[i].is_python)
      return 1;
  return 0;
}

/* Up to main, whose callers are the same in every program. Far from the call, only frames with line information: an
 * interpreter has many without, and so has a framework between a line in Python and the call. */
void cs_report_page_host_stack(const struct cs_report_page *p, const struct cs_stack *stack) {
  enum { NEAR = 10, NEAR_IN_PYTHON = 2 };
  size_t omitted = 0, near = has_python(stack) ? NEAR_IN_PYTHON : NEAR;
  for (size_t i = 0; i < stack->count; i++) {
    i += omitted_frames(p, stack, i);
    if (i == stack->count)
      break;
    const struct cs_source *frame = &stack->frames[i];
    int entry = is_entry(stack, i);
    if (i < near || frame->line || entry)
      print_frame(p, i, frame, "");
    else
      omitted++;
    if (entry)
      break;
  }
  if (omitted)
    fprintf(p->out, "    ... and %zu frame%s without line information\n", omitted, cs_report_plural(omitted));
}

/* Only an access has a direction; the other kinds of check are known from the table itself. */
static int table_was_read(const struct cs_finding *f) {
  return f->access != CS_ACCESS_COUNT || f->kind == CS_KIND_FIELD_OVERFLOW || cs_report_is_free(f);
}

void cs_report_page_device_stack(const struct cs_report_page *p, const struct cs_stack *stack) {
  for (size_t i = 0; i < stack->count; i++) {
    i += omitted_frames(p, stack, i);
    print_frame(p, i, &stack->frames[i], i + 1 < stack->count && !stack->frames[i].is_called ? " (inlined)" : "");
  }
  if (stack->count == 0)
    fprintf(p->out, "    #0 <no source line: the module's %s>\n",
            table_was_read(p->f) ? "device code has no debug information" : "site table cannot be read");
}

void cs_report_page_event(const struct cs_report_page *p, const char *verb, const char *call,
                          const struct cs_stack *stack) {
  fprintf(p->out, "%s%s%s%s%s%s\n", cs_report_paint(p->options, CS_REPORT_PAINT_ACCESS), verb, call ? " by " : "",
          call ? call : "", stack->count ? " here:" : " (call stack not available)",
          cs_report_paint(p->options, CS_REPORT_PAINT_PLAIN));
  cs_report_page_host_stack(p, stack);
}
