/* refuse.c: prints what cannot be translated, and counts it. */
#include "retarget/unit/refuse.h"
#include "ir/memory.h"
#include "report/print.h"
#include <stdio.h>
#include <string.h>

/* "file:line:column", for a function "file:line"; the file's name if there is no debug location. */
static void location_of(struct cs_rt_unit *unit, LLVMValueRef at, char *text, size_t size) {
  unsigned length = 0;
  size_t long_length = 0;
  const char *file = at ? LLVMGetDebugLocFilename(at, &length) : NULL;
  if (file && length) {
    unsigned line = LLVMGetDebugLocLine(at), column = LLVMGetDebugLocColumn(at);
    snprintf(text, size, column ? "%.*s:%u:%u" : "%.*s:%u", (int)length, file, line, column);
    return;
  }
  const char *source = LLVMGetSourceFileName(unit->module, &long_length);
  snprintf(text, size, "%s", source);
}

static void refuse(struct cs_rt_unit *unit, LLVMValueRef at, const char *why) {
  static char **printed;
  static unsigned printed_count;
  char location[1024], line[2048];
  unit->refusals++;
  location_of(unit, at, location, sizeof location);
  snprintf(line, sizeof line, "%s: error: cusafe: %s", location, why);
  for (unsigned i = 0; i < printed_count; i++)
    if (strcmp(printed[i], line) == 0)
      return;
  cs_ir_push(printed, printed_count, cs_ir_copy_text(line, strlen(line)));
  cs_report_print(stderr, "%s\n", line);
}

void cs_rt_refuse(struct cs_rt_unit *unit, LLVMValueRef at, const char *construct) {
  char why[1024];
  snprintf(why, sizeof why, "cannot translate '%s' for the CPU device", construct);
  refuse(unit, at, why);
}

void cs_rt_refuse_undefined(struct cs_rt_unit *unit, LLVMValueRef call, const char *name) {
  char why[1024];
  snprintf(why, sizeof why,
           "the device function '%s' is not defined here; if another file defines it, compile all files with -rdc=true",
           name);
  refuse(unit, call, why);
}
