/* names.h: names of values in IR. */
#ifndef CUSAFE_IR_NAMES_H
#define CUSAFE_IR_NAMES_H

#include <llvm-c/Core.h>

/* The name of a global or local value; "" if it has none. The value owns the text. */
const char *cs_ir_name(LLVMValueRef value);
int cs_ir_starts_with(const char *text, const char *prefix);

#endif
