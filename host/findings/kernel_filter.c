/* kernel_filter.c: matches kernel names with the options. */
#include "host/findings/kernel_filter.h"
#include "host/base/degraded.h"
#include "options/process.h"
#include "options/validate.h"
#include "report/demangle.h"
#include <string.h>

static regex_t expression;
static const char *chosen; /* kernel=, demangled; never freed */

void cs_host_kernel_filter_open(void) {
  static void *arena;
  const struct cs_options *o = cs_options();
  char error[CS_OPTIONS_TEXT_MAX + 512];
  if (*o->kernel_regex && cs_options_compile_regex(o, &expression, error, sizeof error))
    cs_options_die("%s", error);
  chosen = *o->kernel ? cs_report_demangle(&arena, o->kernel) : NULL;
  if (*o->kernel && !chosen) /* launches of the kernel may not be recognised */
    cs_host_degraded(CS_DEGRADED_CALLS);
  chosen = chosen ? chosen : o->kernel;
}

const char *cs_host_kernel_plain_name(const char *demangled, size_t *length) {
  static const char unnamed[] = "(anonymous namespace)";
  const char *start = strncmp(demangled, "void ", 5) ? demangled : demangled + 5;
  size_t end = strcspn(start, "(<");
  while (strncmp(start + end, unnamed, sizeof unnamed - 1) == 0) {
    end += sizeof unnamed - 1;
    end += strcspn(start + end, "(<");
  }
  *length = end;
  return start;
}

/* Matches the whole name, or its last components. */
static int is_called(const char *demangled, const char *wanted) {
  size_t whole, length = strlen(wanted);
  const char *end = cs_host_kernel_plain_name(demangled, &whole) + whole;
  if (whole < length || strncmp(end - length, wanted, length) != 0)
    return 0;
  return whole == length || (whole > length + 1 && strncmp(end - length - 2, "::", 2) == 0);
}

int cs_host_kernel_filter_accepts(const char *name) {
  const struct cs_options *o = cs_options();
  if (!cs_options_select_launches(o) || !name)
    return 1;
  if (*chosen && !is_called(name, chosen) && strcmp(name, chosen) != 0)
    return 0;
  return !*o->kernel_regex || regexec(&expression, name, 0, NULL, 0) == 0;
}
