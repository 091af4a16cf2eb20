/* text.c: a finding as text for people, in the order of AddressSanitizer's reports. */
#include "report/arena.h"
#include "report/excerpt.h"
#include "report/finding.h"
#include "report/format.h"
#include "report/page.h"
#include "report/paint.h"
#include "report/printable.h"
#include "report/shorten.h"
#include "report/words.h"
#include <string.h>
#include <unistd.h>

#define RULE "================================================================="

/* After the title, in parentheses: the access, the call, or the size. Returns the columns used so far. */
static int print_manner(const struct cs_report_page *p, int used) {
  const struct cs_finding *f = p->f;
  if (f->free_call)
    return cs_report_page_phrase(p, used, "(%s)", f->call);
  if (f->kind == CS_KIND_UNINITIALISED_USE)
    return cs_report_page_phrase(p, used, "(%s)", f->use ? f->use : "a use");
  if ((f->kind == CS_KIND_INVALID_MASK || f->kind == CS_KIND_MBARRIER_MISUSE) && f->use)
    return cs_report_page_phrase(p, used, "(%s)", f->use);
  if (f->event == CS_EVENT_ACCESS && f->kind != CS_KIND_FIELD_OVERFLOW && !cs_report_is_wait(f))
    return cs_report_page_phrase(p, used, "(%s of %llu byte%s)", cs_report_access_noun(f->access), f->size,
                                 cs_report_plural(f->size));
  if ((f->event == CS_EVENT_API || f->event == CS_EVENT_FAULT) && f->call)
    return cs_report_page_phrase(p, used, "(%s)", f->call);
  if (f->event == CS_EVENT_CANARY)
    return cs_report_page_phrase(p, used, "(%llu byte%s, found %s%s)", f->size, cs_report_plural(f->size),
                                 f->call ? "by " : "at exit", f->call ? f->call : "");
  if (f->event == CS_EVENT_LEAK && f->count > 1)
    return cs_report_page_phrase(p, used, "(%llu bytes in %llu buffers)", f->size, f->count);
  if (f->event == CS_EVENT_LEAK)
    return cs_report_page_phrase(p, used, "(%llu byte%s)", f->size, cs_report_plural(f->size));
  return used;
}

/* label: ERROR, or ALSO for a finding that belongs to an earlier one. */
static void print_error(const struct cs_report_page *p, const char *label) {
  const struct cs_finding *f = p->f;
  int pid = p->options && p->options->pid ? p->options->pid : (int)getpid();
  fputs(cs_report_paint(p->options, CS_REPORT_PAINT_ERROR), p->out);
  int used = fprintf(p->out, "==%d==%s: CuSafe: %s", pid, label, cs_report_title(f));
  used = print_manner(p, used);
  if (cs_report_has_address(f))
    cs_report_page_phrase(p, used, "at 0x%012llx", f->address);
  fprintf(p->out, "%s\n", cs_report_paint(p->options, CS_REPORT_PAINT_PLAIN));
}

/* The kernel's name, shortened to the columns that `used` and `after` leave of the line. */
static void print_kernel(const struct cs_report_page *p, int used, const char *after) {
  char name[CS_REPORT_PAGE_COLUMNS + 1];
  const char *kernel = p->f->kernel ? p->f->kernel : "<unknown>";
  fprintf(p->out, "%s%s%s%s", cs_report_paint(p->options, CS_REPORT_PAINT_STRONG),
          cs_report_short_name(kernel, (size_t)(CS_REPORT_PAGE_COLUMNS - used) - strlen(after), name),
          cs_report_paint(p->options, CS_REPORT_PAINT_PLAIN), after);
}

/* A line for each kernel that it may have been. */
static void print_kernels(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  char name[CS_REPORT_PAGE_COLUMNS + 1];
  fprintf(p->out, "in one of %llu kernels launched since the last synchronisation:", f->kernel_count + f->kernels_more);
  for (size_t i = 0; i < f->kernel_count; i++)
    fprintf(p->out, "\n    %s", cs_report_short_name(f->kernels[i], CS_REPORT_PAGE_COLUMNS - 4, name));
  if (f->kernels_more)
    fprintf(p->out, "\n    ... and %llu more", f->kernels_more);
}

static void print_thread(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  const cs_u32 *b = f->block, *t = f->thread;
  int has_kernel = f->kernel || f->kernel_count;
  if (f->kernel)
    print_kernel(p, fprintf(p->out, "in kernel "), ",");
  else if (f->kernel_count)
    print_kernels(p);
  fputs(has_kernel ? "\n   by" : "by", p->out);
  int used = (has_kernel ? 5 : 2) + fprintf(p->out, " thread (%u,%u,%u) of block (%u,%u,%u)%s", t[0], t[1], t[2], b[0],
                                            b[1], b[2], f->count > 1 ? ";" : "");
  if (f->count > 1)
    cs_report_page_phrase(p, used, "%llu errors at this site so far", f->count);
  fputs("\n", p->out);
  cs_report_page_heatmap(p);
}

static const char *words_of_other(const struct cs_finding *f) {
  switch (f->kind) {
  case CS_KIND_DATA_RACE:
    return "races with ";
  case CS_KIND_ASYNC_COPY_RACE:
    return "while an asynchronous copy may write there, which was started";
  case CS_KIND_UNINITIALISED_USE:
    return "whose value was loaded";
  case CS_KIND_DEADLOCK:
    return "while other threads wait";
  case CS_KIND_INVALID_MASK:
    return f->mask_fault == CS_MASK_DIFFERS ? "while a lane that it names has another mask"
                                            : "while a lane that it names waits";
  case CS_KIND_MBARRIER_MISUSE:
    return f->mbarrier_fault == CS_MBARRIER_NONE_THERE  ? "which was invalidated"
           : f->mbarrier_fault == CS_MBARRIER_UNORDERED ? "which was initialised"
                                                        : "the operation before it was";
  default:
    return "while another thread of its warp waits";
  }
}

/* A value may have been loaded by the thread that uses it. */
static int is_by_another_thread(const struct cs_finding *f) {
  return f->kind != CS_KIND_UNINITIALISED_USE || memcmp(f->other->thread, f->thread, sizeof f->thread) != 0;
}

/* The access that a race is with, the place where another thread waits, or the load of the value. */
static void print_other(const struct cs_report_page *p) {
  const struct cs_other_access *o = p->f->other;
  const cs_u32 *b = o->block, *t = o->thread;
  int is_race = p->f->kind == CS_KIND_DATA_RACE;
  fprintf(p->out, "%s%s%s", cs_report_paint(p->options, CS_REPORT_PAINT_ACCESS), words_of_other(p->f),
          is_race ? cs_report_access_with_article(o->access) : "");
  if (is_race && o->size)
    fprintf(p->out, " of %llu byte%s", o->size, cs_report_plural(o->size));
  fprintf(p->out, " here:%s\n", cs_report_paint(p->options, CS_REPORT_PAINT_PLAIN));
  cs_report_page_device_stack(p, &o->where);
  if (o->where.count)
    cs_report_print_excerpt(cs_report_own_frame(&o->where), p->f->directory, p->options, p->out);
  if (is_by_another_thread(p->f))
    fprintf(p->out, "by thread (%u,%u,%u) of block (%u,%u,%u)\n", t[0], t[1], t[2], b[0], b[1], b[2]);
}

static void print_launch(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  print_kernel(p, fprintf(p->out, "argument %llu of kernel ", f->argument + 1ull), f->call ? "," : "");
  if (f->call)
    fprintf(p->out, "\n   launched by %s", f->call);
  fputs("\n", p->out);
}

/* The stack printed before is that of the call that returned the error. */
static void print_fault(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  if (f->kernel)
    print_kernel(p, fprintf(p->out, "in kernel "), "\n");
  if (f->launch && f->launch->stack.count)
    cs_report_page_event(p, "launched", NULL, &f->launch->stack);
}

/* The kernels without checks that may have written there. The stack printed before is the launch of the only one, or
 * the call that found it. */
static void print_suspects(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  int samples = p->options && p->options->samples;
  if (f->launches == 1)
    print_kernel(p, fprintf(p->out, "launch of kernel "), ", which has no checks\n");
  else if (f->launches)
    print_kernel(p, fprintf(p->out, "one of %llu launches of kernels without checks; the last of kernel ", f->launches),
                 "\n");
  else
    fprintf(p->out, "by host code, %sby a kernel without checks that did not have the buffer as an argument%s\n",
            samples ? "" : "or ", samples ? ", or by a launch that was not sampled" : "");
  if (f->launches > 1 && f->launch && f->launch->stack.count)
    cs_report_page_event(p, "launched", NULL, &f->launch->stack);
}

/* A leak's location is its allocation, which the memory paragraph shows. */
static void print_where(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  if (f->event == CS_EVENT_LEAK)
    return;
  if (f->event != CS_EVENT_ACCESS) {
    cs_report_page_host_stack(p, &f->where);
    if (f->event == CS_EVENT_ARGUMENT)
      print_launch(p);
    if (f->event == CS_EVENT_FAULT)
      print_fault(p);
    if (f->event == CS_EVENT_CANARY)
      print_suspects(p);
  } else {
    cs_report_page_device_stack(p, &p->f->where);
    if (f->where.count)
      cs_report_print_excerpt(cs_report_own_frame(&f->where), f->directory, p->options, p->out);
    print_thread(p);
    if (f->other)
      print_other(p);
    if (f->launch)
      cs_report_page_launches(p, f->launch);
  }
  fputs("\n", p->out);
}

/* The columns of the location. The name is shortened first, so that the path can be opened; if the path is too long for
 * that, they share the line. */
static size_t location_columns(const struct cs_report_page *p, const struct cs_source *s, const char *name,
                               size_t columns) {
  enum { NAME_MIN = 16, NAME_SHARE = 32 };
  char whole[CS_REPORT_LOCATION_MAX];
  size_t length = name ? strlen(name) : 0, shown = length < NAME_MIN ? length : NAME_MIN;
  if (strlen(cs_report_page_location(p, s, sizeof whole, whole, sizeof whole)) + shown <= columns)
    return columns - shown;
  return columns - (length < NAME_SHARE ? length : NAME_SHARE);
}

/* One line, because scripts search logs for it. */
static void print_summary(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  const struct cs_source *frame = cs_report_own_frame(&f->where);
  const char *in = frame && frame->function ? " in " : " in kernel ";
  const char *name = frame && frame->function ? frame->function : f->kernel;
  char where[CS_REPORT_PAGE_COLUMNS + 1], shown[CS_REPORT_PAGE_COLUMNS + 1];
  fputs("\n", p->out);
  size_t used = (size_t)fprintf(p->out, "SUMMARY: CuSafe: %s", cs_report_kind_name(f->kind));
  size_t columns = CS_REPORT_PAGE_COLUMNS - used - 1 - (name ? strlen(in) : 0);
  if (frame && *cs_report_page_location(p, frame, location_columns(p, frame, name, columns), where, sizeof where))
    used += (size_t)fprintf(p->out, " %s", where);
  if (name)
    fprintf(p->out, "%s%s", in, cs_report_short_name(name, CS_REPORT_PAGE_COLUMNS - used - strlen(in), shown));
  fprintf(p->out, "\n" RULE "\n");
}

/* The same thread met the same pointer at another site (of null pointers only the value is known): launch and memory
 * are those of the earlier report. */
static void print_short(const struct cs_report_page *p) {
  const struct cs_finding *f = p->f;
  print_error(p, "ALSO");
  cs_report_page_device_stack(p, &p->f->where);
  int used = fprintf(p->out, "by the same thread, through %s as at",
                     f->kind == CS_KIND_NULL_POINTER ? "a null pointer" : "the same pointer");
  used = cs_report_page_phrase(p, used, "%s%s", p->options->same_as, f->count > 1 ? ";" : "");
  if (f->count > 1)
    cs_report_page_phrase(p, used, "%llu errors at this site so far", f->count);
  fputs("\n", p->out);
}

static void print_full(const struct cs_report_page *p) {
  fputs(RULE "\n", p->out);
  print_error(p, "ERROR");
  print_where(p);
  cs_report_page_memory(p);
  print_summary(p);
}

static void render(const struct cs_finding *finding, const struct cs_text_options *options, FILE *out) {
  void *arena = NULL;
  const struct cs_finding f = cs_report_printable(finding, &arena);
  const struct cs_report_page page = {&f, options, out};
  if (options && options->same_as)
    print_short(&page);
  else
    print_full(&page);
  cs_report_arena_release(&arena);
  fflush(out);
}

const struct cs_format cs_format_text = {.name = "text", .is_relative = 1, .finding = render};
