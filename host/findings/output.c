/* output.c: filters findings and passes them to the renderers. */
#include "host/findings/output.h"
#include "cusafe/environment.h"
#include "host/base/debugger.h"
#include "host/base/degraded.h"
#include "host/base/messages.h"
#include "host/findings/files.h"
#include "host/findings/kernel_filter.h"
#include "host/findings/origin.h"
#include "host/launch/forms.h"
#include "host/modules/counts.h"
#include "host/modules/kernel.h"
#include "host/modules/unchecked.h"
#include "options/baseline.h"
#include "options/inherit.h"
#include "options/process.h"
#include "options/suppress.h"
#include "options/validate.h"
#include "report/words.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <time.h>
#include <unistd.h>

static struct cs_options_suppressions *suppressions;
static struct cs_options_baseline baseline, written; /* of the options baseline and baseline_write */
static char baseline_path[CS_OPTIONS_TEXT_MAX + 64];
static cs_u64 findings, ignored, printed;
static cs_u64 limited;                /* not printed because of print_limit */
static cs_u64 room = ~0ull, left_out; /* see cs_host_output_print_at_most() */
static cs_u64 repeated;               /* reported by another process: option once */
static struct timespec started;

/* The format of what is printed. */
static const struct cs_format *printed_format(void) {
  return cs_format(cs_options()->format);
}

/* ---- opening ---- */

static void open_once(void) {
  const char *folder = cs_options()->once;
  if (*folder && *folder != '/')
    cs_options_die("once: '%s' is not an absolute path", folder);
  if (*folder && mkdir(folder, 0777) && errno != EEXIST)
    cs_options_die("once: cannot create '%s': %s", folder, strerror(errno));
  if (*folder && access(folder, W_OK | X_OK))
    cs_options_die("once: cannot write to '%s': %s", folder, strerror(errno));
}

static void check_control(void) {
  const char *control = cs_options()->control;
  if (*control && *control != '/')
    cs_options_die("control: '%s' is not an absolute path", control);
}

static void open_filters(void) {
  const struct cs_options *o = cs_options();
  char error[CS_OPTIONS_TEXT_MAX + 512];
  if (*o->suppressions && !(suppressions = cs_options_suppressions_read(o->suppressions, error, sizeof error)))
    cs_options_die("%s", error);
  if (*o->baseline && cs_options_baseline_read(&baseline, o->baseline, error, sizeof error))
    cs_options_die("%s", error);
}

void cs_host_output_claim(void) {
  static struct cs_options o; /* large for a stack */
  char error[CS_OPTIONS_TEXT_MAX + 512];
  const char *text = cs_environment("CUSAFE_OPTIONS");
  cs_options_default(&o);
  if (text && !cs_options_parse(&o, text, error, sizeof error) && (*o.json || *o.sarif || *o.html))
    if (!cs_options_validate_outputs(&o, CS_OPTIONS_BEFORE_RUN, error, sizeof error))
      cs_options_make_absolute(&o);
}

void cs_host_output_open(void) {
  const struct cs_options *o = cs_options();
  char error[CS_OPTIONS_TEXT_MAX + 512];
  clock_gettime(CLOCK_MONOTONIC, &started);
  open_filters();
  if (cs_options_validate_outputs(o, CS_OPTIONS_IN_PROCESS, error, sizeof error))
    cs_options_die("%s", error);
  open_once();
  check_control();
  cs_host_files_open();
  cs_host_expand_path("baseline_write", o->baseline_write, baseline_path, sizeof baseline_path);
  if (printed_format()->head) {
    printed_format()->head(cs_host_out());
    fflush(cs_host_out());
  }
}

/* ---- findings ---- */

static int wants_color(void) {
  const char *color = cs_options()->color;
  return strcmp(color, "always") == 0 || (strcmp(color, "auto") == 0 && isatty(fileno(cs_host_out())));
}

/* ---- what one thread met through one pointer ---- */

/* One cause has many findings: x[i] += 1 reads and writes, and a null pointer is used again and again. Each finding
 * counts, and is in every file; the text has the first of a drain in full, and the others in short. */
enum { MET_MAX = 64 };
static struct met {
  enum cs_kind kind;
  cs_u64 root, size;
  enum cs_access access;
  cs_u32 block[3], thread[3];
  char kernel[128], location[256];
} met[MET_MAX];
static size_t met_count;

void cs_host_output_begin(void) {
  met_count = 0;
}

static int is_by_same_thread(const struct met *a, const struct met *b) {
  return memcmp(a->block, b->block, sizeof a->block) == 0 && memcmp(a->thread, b->thread, sizeof a->thread) == 0 &&
         strcmp(a->kernel, b->kernel) == 0;
}

/* Another null pointer has the same value: its line is in the text, too. */
static const struct met *same_as(const struct met *m) {
  size_t i = 0;
  while (i < met_count && !(met[i].kind == m->kind && met[i].root == m->root && is_by_same_thread(&met[i], m)))
    i++;
  return i < met_count ? &met[i] : NULL;
}

/* An invalid read of a pointer by the same thread, whose result was replaced by 0. */
static const struct met *zero_from(const struct met *m) {
  if (m->kind != CS_KIND_NULL_POINTER || cs_options_on_error(cs_options()) != CS_OPTIONS_ON_ERROR_CONTAIN)
    return NULL;
  size_t i = 0;
  while (i < met_count && !(met[i].kind != CS_KIND_NULL_POINTER && met[i].access == CS_ACCESS_READ &&
                            met[i].size >= sizeof(void *) && is_by_same_thread(&met[i], m)))
    i++;
  return i < met_count ? &met[i] : NULL;
}

/* An index has no pointer; that of a variable may be unknown. */
static int has_pointer(const struct cs_finding *f) {
  return f->event == CS_EVENT_ACCESS && f->kind != CS_KIND_FIELD_OVERFLOW && !f->placeless &&
         (f->root || f->kind == CS_KIND_NULL_POINTER);
}

/* Sets how the finding belongs to earlier ones. */
static void meet(const struct cs_finding *f, struct cs_text_options *options) {
  const struct cs_source *own = cs_report_own_frame(&f->where);
  if (!has_pointer(f) || !own || !own->file || cs_options()->verbosity)
    return;
  struct met m = {.kind = f->kind, .root = f->root, .size = f->size, .access = f->access};
  memcpy(m.block, f->block, sizeof m.block);
  memcpy(m.thread, f->thread, sizeof m.thread);
  snprintf(m.kernel, sizeof m.kernel, "%s", f->kernel ? f->kernel : "");
  snprintf(m.location, sizeof m.location, "%s:%u:%u", cs_report_shown_path(options, own->file), own->line, own->column);
  const struct met *first = same_as(&m), *read = zero_from(&m);
  options->same_as = first ? first->location : NULL;
  options->zero_from = read ? read->location : NULL;
  if (!first && met_count < MET_MAX)
    met[met_count++] = m;
}

static void print(const struct cs_finding *f) {
  const struct cs_format *format = printed_format();
  struct cs_text_options options = cs_host_text_options(format->is_relative);
  options.color = wants_color();
  meet(f, &options);
  int limit = cs_options()->print_limit;
  if (limit && printed >= (cs_u64)limit) {
    limited++;
    return;
  }
  if (!room) {
    left_out++;
    return;
  }
  room -= room != ~0ull;
  printed++;
  format->finding(f, &options, cs_host_out());
  fflush(cs_host_out());
}

void cs_host_output_print_at_most(cs_u64 count) {
  room = count;
  left_out = 0;
}

cs_u64 cs_host_output_print_all(void) {
  room = ~0ull;
  return left_out;
}

/* Whether a process of this host has reported the finding before (option once). If the folder cannot tell, it is
 * reported again. */
static int is_reported(const struct cs_finding *f) {
  const char *folder = cs_options()->once;
  char path[2 * CS_OPTIONS_TEXT_MAX];
  if (!*folder)
    return 0;
  snprintf(path, sizeof path, "%s/%s@%s", folder, f->fingerprint, cs_host_origin()->host);
  int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
  if (file >= 0)
    close(file);
  return file < 0 && errno == EEXIST;
}

static void report(const struct cs_finding *f) {
  int limit = cs_options()->findings_limit;
  if (limit && findings > (cs_u64)limit) {
    cs_host_degraded(CS_DEGRADED_BUDGET);
    return;
  }
  cs_host_files_add(f);
  print(f); /* last: a reader that closes the pipe may end the program */
}

static int write_finding(const struct cs_finding *f) {
  if (!cs_host_kernel_filter_accepts(f->kernel))
    return 0;
  if (cs_options_suppressions_match(suppressions, f) || cs_options_baseline_has(&baseline, f->fingerprint)) {
    ignored++;
    return 0;
  }
  if (is_reported(f)) {
    repeated++;
    return 1;
  }
  findings++;
  report(f);
  if (!*baseline_path)
    return 1;
  const struct cs_text_options options = cs_host_text_options(0);
  if (cs_options_baseline_write(&written, baseline_path, f, &options)) {
    cs_host_message(0, "cannot add to the baseline '%s'", baseline_path);
    return 1;
  }
  return 0;
}

int cs_host_output_finding(const struct cs_finding *f) {
  int counts = write_finding(f);
  if (counts)
    cs_host_debugger_stop();
  return counts;
}

/* ---- the end ---- */

static cs_u64 milliseconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  cs_i64 seconds = now.tv_sec - started.tv_sec, nanoseconds = now.tv_nsec - started.tv_nsec;
  return (cs_u64)(seconds * 1000 + nanoseconds / 1000000);
}

static void print_omissions(void) {
  if (limited)
    cs_host_message(0, "%llu more report%s not printed (print_limit=%d)", limited, limited == 1 ? " was" : "s were",
                    cs_options()->print_limit);
  if (ignored)
    cs_host_message(0, "%llu finding%s ignored: suppressed, or in the baseline", ignored,
                    ignored == 1 ? " was" : "s were");
  if (repeated)
    cs_host_message(0, "%llu finding%s not reported again: '%s' has %s from another process", repeated,
                    repeated == 1 ? " was" : "s were", cs_options()->once, repeated == 1 ? "it" : "them");
  if (*baseline_path && findings)
    cs_host_message(0, "the fingerprints of %llu finding%s are in '%s'", findings, findings == 1 ? "" : "s",
                    baseline_path);
}

void cs_host_output_leaks(cs_u64 buffers, cs_u64 bytes) {
  if (printed_format()->leaks)
    printed_format()->leaks(buffers, bytes, cs_host_out());
}

void cs_host_output_end(cs_u64 errors) {
  static int ended;
  if (ended)
    return;
  ended = 1;
  cs_host_files_flush(); /* what is lost is among the totals */
  struct cs_host_heap_stats heap;
  const struct cs_host_checks checks = cs_host_checks_executed();
  cs_host_heap_stats(cs_host_process_heap(), &heap);
  struct cs_run run = {.program = program_invocation_name,
                       .pid = (int)getpid(),
                       .origin = cs_host_origin(),
                       .milliseconds = milliseconds(),
                       .launches = cs_host_kernel_launches(),
                       .kernels = cs_host_kernels_launched(),
                       .buffers = heap.allocated,
                       .bytes = heap.all_bytes,
                       .most_bytes = heap.peak_bytes,
                       .untagged = heap.untagged,
                       .operators = cs_host_unchecked_count(CS_HOST_UNCHECKED_OPERATORS),
                       .checks = checks.executed,
                       .modules = checks.modules,
                       .counting = checks.counting,
                       .silent = checks.silent,
                       .errors = errors,
                       .findings = findings,
                       .hidden = ignored};
  cs_host_degraded_counts(run.degraded);
  cs_host_form_counts(run.forms);
  cs_host_message(2, "launch predicates were evaluated %llu times", cs_host_form_evaluations());
  print_omissions();
  if (printed_format()->run)
    printed_format()->run(&run, cs_host_out());
  if (cs_options()->summary)
    cs_render_summary(&run, "cusafe: ", cs_host_out());
  cs_render_degraded(&run, "cusafe: ", cs_host_out());
  cs_host_files_end(&run);
  cs_host_out_end();
}
