/* messages.c: CuSafe's own lines and the report stream. */
#include "host/base/messages.h"
#include "options/process.h"
#include "report/print.h"
#include <fcntl.h>
#include <pthread.h>
#include <stdarg.h>
#include <unistd.h>

static FILE *out;

static void open_out(void) {
  char path[CS_OPTIONS_TEXT_MAX + 64];
  if (cs_options_path(cs_options()->log_path, path, sizeof path))
    path[0] = 0;
  /* A pipe without a reader, or whose reader does not read, must not block the program. */
  int descriptor = *path ? open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC | O_NONBLOCK, 0666) : -1;
  FILE *file = descriptor < 0 ? NULL : fdopen(descriptor, "a");
  if (descriptor >= 0 && !file)
    close(descriptor);
  out = file ? file : stderr;
  if (*path && !file)
    cs_report_print(stderr, "cusafe: cannot write to log_path '%s'; reports go to standard error\n", path);
}

FILE *cs_host_out(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, open_out);
  return out;
}

void cs_host_out_end(void) {
  FILE *file = cs_host_out();
  if ((fflush(file) || ferror(file)) && file != stderr)
    cs_report_print(stderr, "cusafe: part of the reports could not be written to log_path '%s'\n",
                    cs_options()->log_path);
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
