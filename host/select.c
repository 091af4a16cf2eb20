/* select.c: counts launches, and tells drain.c when those that count begin and end. */
#include "host/select.h"
#include "host/drain.h"
#include "host/module.h"
#include "host/options.h"
#include "report/arena.h"
#include "report/demangle.h"
#include <pthread.h>
#include <regex.h>
#include <string.h>

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int active, counting;
static cs_u64 matched; /* launches of chosen kernels so far */
static regex_t expression;
static const char *wanted; /* kernel=, demangled: for ever */

void cs_select_open(void) {
  const struct cs_options *o = cs_options();
  char why[256];
  int error = *o->kernel_regex ? regcomp(&expression, o->kernel_regex, REG_EXTENDED | REG_NOSUB) : 0;
  if (error) {
    regerror(error, &expression, why, sizeof why);
    cs_options_die("kernel_regex: '%s' is not a regular expression: %s", o->kernel_regex, why);
  }
  static void *arena;
  wanted = cs_demangle(&arena, o->kernel);
  wanted = wanted ? wanted : o->kernel;
  active = cs_options_select_launches(o);
  if (active)
    cs_drain_ignore(1);
}

/* ---- names ---- */

/* "void ns::scale<int>(int*)": the name is "ns::scale", and its last component "scale". */
static int is_called(const char *demangled, const char *wanted) {
  size_t end = strcspn(demangled, "(<"), start = 0;
  for (size_t i = 0; i < end; i++)
    if (demangled[i] == ' ')
      start = i + 1; /* behind the type that it returns */
  size_t length = strlen(wanted), whole = end - start;
  if (whole < length || strncmp(demangled + end - length, wanted, length) != 0)
    return 0;
  return whole == length || (whole > length + 1 && strncmp(demangled + end - length - 2, "::", 2) == 0);
}

int cs_select_name(const char *name) {
  const struct cs_options *o = cs_options();
  if (!active || !name)
    return 1;
  if (*wanted && !is_called(name, wanted) && strcmp(name, wanted) != 0)
    return 0;
  return !*o->kernel_regex || regexec(&expression, name, 0, NULL, 0) == 0;
}

static int is_chosen(CUfunction function) {
  void *arena = NULL;
  const char *mangled = cs_kernel_info(function).name;
  int chosen = cs_select_name(mangled ? cs_demangle(&arena, mangled) : NULL);
  cs_arena_release(&arena);
  return chosen;
}

/* ---- launches ---- */

/* Of a kernel that is chosen. */
static int is_in_range(void) {
  const struct cs_options *o = cs_options();
  cs_u64 number = matched++, skip = (cs_u64)o->launch_skip, count = (cs_u64)o->launch_count;
  return number >= skip && (!count || number - skip < count);
}

static void change(int counts) {
  if (counts == counting)
    return;
  for (struct cs_context *c = cs_context_first(); c; c = c->next)
    cs_context_wait(c);
  cs_drain_ignore(!counts);
  counting = counts;
}

static int decide(int chosen) {
  pthread_mutex_lock(&lock);
  int counts = chosen && is_in_range();
  change(counts);
  pthread_mutex_unlock(&lock);
  return counts;
}

/* What is captured does not run now. */
static int is_capturing(CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  return cs_driver()->cuStreamIsCapturing && !cs_driver()->cuStreamIsCapturing(stream, &status) &&
         status != CU_STREAM_CAPTURE_STATUS_NONE;
}

int cs_select_launch(CUfunction function, CUstream stream) {
  if (!active || is_capturing(stream))
    return 1;
  return decide(is_chosen(function));
}

void cs_select_graph(void) {
  if (active)
    decide(1);
}
