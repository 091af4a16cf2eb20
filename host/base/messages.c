/* messages.c: CuSafe's own lines and the report stream. */
#include "host/base/messages.h"
#include "options/process.h"
#include "report/print.h"
#include <pthread.h>
#include <stdarg.h>

static FILE *out;

static void open_out(void) {
  char path[CS_OPTIONS_TEXT_MAX + 64];
  if (cs_options_path(cs_options()->log_path, path, sizeof path))
    path[0] = 0;
  FILE *file = *path ? fopen(path, "ae") : NULL;
  out = file ? file : stderr;
  if (*path && !file)
    cs_report_print(stderr, "cusafe: cannot write to log_path '%s'; reports go to standard error\n", path);
}

FILE *cs_host_out(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_out);
  return out;
}

void cs_host_message(int level, const char *format, ...) {
  if (cs_options()->verbosity < level)
    return;
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  cs_report_print(cs_host_out(), "cusafe: %s\n", line);
  fflush(cs_host_out());
}
