/* refuse.c: prints what cannot be translated, and counts it. */
#include "retarget/unit/refuse.h"
#include "ir/memory.h"
#include "report/print.h"
#include "report/toolkit.h"
#include <llvm-c/DebugInfo.h>
#include <stdio.h>
#include <string.h>

/* The file of a location; "" if it has none. */
static void file_of(LLVMMetadataRef location, char *text, size_t size) {
  unsigned length = 0;
  LLVMMetadataRef file = LLVMDIScopeGetFile(LLVMDILocationGetScope(location));
  const char *name = file ? LLVMDIFileGetFilename(file, &length) : "";
  snprintf(text, size, "%.*s", (int)length, name);
}

/* Where the program calls a function of the toolkit's headers that was inlined; 0 if the instruction is not in one. */
static int call_of(LLVMValueRef at, char *text, size_t size) {
  LLVMMetadataRef first = at && LLVMIsAInstruction(at) ? LLVMInstructionGetDebugLoc(at) : NULL, location = first;
  char file[900];
  for (; location; location = LLVMDILocationGetInlinedAt(location)) {
    file_of(location, file, sizeof file);
    if (!cs_report_is_toolkit(file))
      break;
  }
  if (!location || location == first)
    return 0;
  snprintf(text, size, "%s:%u:%u", file, LLVMDILocationGetLine(location), LLVMDILocationGetColumn(location));
  return 1;
}

/* "file:line:column", for a function "file:line"; the file's name if there is no debug location. */
static void location_of(struct cs_rt_unit *unit, LLVMValueRef at, char *text, size_t size) {
  unsigned length = 0;
  size_t long_length = 0;
  if (call_of(at, text, size))
    return;
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

/* NVIDIA's headers call the functions of its device runtime by names with this prefix. */
static const char device_runtime[] = "__cudaCDP2";

void cs_rt_refuse(struct cs_rt_unit *unit, LLVMValueRef at, const char *construct) {
  char why[1024];
  const char *call =
      strncmp(construct, device_runtime, sizeof device_runtime - 1) == 0 ? construct + sizeof device_runtime - 1 : NULL;
  if (call && (strncmp(call, "GetParameterBuffer", 18) == 0 || strncmp(call, "Launch", 6) == 0))
    snprintf(why, sizeof why, "a kernel cannot launch kernels on the CPU device (dynamic parallelism)");
  else if (call)
    snprintf(why, sizeof why, "a kernel cannot call 'cuda%s' on the CPU device (dynamic parallelism)", call);
  else
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
