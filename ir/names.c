/* names.c: names of values in IR. */
#include "ir/names.h"
#include <string.h>

const char *cs_ir_name(LLVMValueRef value) {
  size_t length;
  return LLVMGetValueName2(value, &length);
}

int cs_ir_starts_with(const char *text, const char *prefix) {
  return strncmp(text, prefix, strlen(prefix)) == 0;
}
