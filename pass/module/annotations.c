/* annotations.c: reads the module's list of annotations. */
#include "pass/module/annotations.h"
#include <string.h>

/* The initialiser of the global variable that an entry of the list points to, or NULL. */
static LLVMValueRef pointed_to(LLVMValueRef entry, unsigned index) {
  LLVMValueRef global =
      (unsigned)LLVMGetNumOperands(entry) > index ? LLVMIsAGlobalVariable(LLVMGetOperand(entry, index)) : NULL;
  return global ? LLVMGetInitializer(global) : NULL;
}

static int has_text(LLVMValueRef entry, const char *text) {
  LLVMValueRef value = pointed_to(entry, 1);
  size_t length;
  return value && LLVMIsConstantString(value) && strcmp(LLVMGetAsString(value, &length), text) == 0;
}

void cs_pass_each_annotated(LLVMModuleRef module, const char *text,
                            void (*visit)(LLVMModuleRef, LLVMValueRef, LLVMValueRef)) {
  enum { FUNCTION = 0, ARGUMENTS = 4 };
  LLVMValueRef all = LLVMGetNamedGlobal(module, "llvm.global.annotations");
  LLVMValueRef list = all ? LLVMGetInitializer(all) : NULL;
  for (unsigned i = 0; list && i < (unsigned)LLVMGetNumOperands(list); i++) {
    LLVMValueRef entry = LLVMGetOperand(list, i);
    LLVMValueRef function = LLVMGetNumOperands(entry) > 1 ? LLVMIsAFunction(LLVMGetOperand(entry, FUNCTION)) : NULL;
    if (function && has_text(entry, text))
      visit(module, function, pointed_to(entry, ARGUMENTS));
  }
}
