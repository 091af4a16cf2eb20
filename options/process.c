/* process.c: the process's options. */
#include "options/process.h"
#include "cusafe/environment.h"
#include "report/print.h"
#include <pthread.h>
#include <stdarg.h>
#include <stdlib.h>
#include <unistd.h>

static struct cs_options process_options;

void cs_options_die(const char *format, ...) {
  va_list arguments;
  fputs("cusafe: ", stderr);
  va_start(arguments, format);
  cs_report_vprint(stderr, format, arguments);
  va_end(arguments);
  fputs("\n", stderr);
  fflush(stderr);
  _exit(1);
}

static void read_environment(void) {
  char error[CS_OPTIONS_TEXT_MAX + 256];
  cs_options_default(&process_options);
  const char *text = cs_environment("CUSAFE_OPTIONS");
  if (text && cs_options_parse(&process_options, text, error, sizeof error))
    cs_options_die("CUSAFE_OPTIONS: %s", error);
  if (process_options.help) {
    fputs("CUSAFE_OPTIONS=key=value:key=value...\n", stderr);
    cs_options_list("", stderr);
  }
}

const struct cs_options *cs_options(void) {
  static pthread_once_t once = PTHREAD_ONCE_INIT;
  pthread_once(&once, read_environment);
  return &process_options;
}
