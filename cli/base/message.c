/* message.c: prints messages. Unit tests replace cs_cli_fail by their own, so this file defines nothing else. */
#include "cli/base/message.h"
#include "report/print.h"
#include <stdarg.h>
#include <stdio.h>

int cs_cli_fail(const char *format, ...) {
  va_list args;
  va_start(args, format);
  fputs("cusafe: ", stderr);
  cs_report_vprint(stderr, format, args);
  fputs("\n", stderr);
  va_end(args);
  return 1;
}
