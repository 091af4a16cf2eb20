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

/* The entry of a variable that is not in the generic address space has a cast of its address. */
static LLVMValueRef without_cast(LLVMValueRef value) {
  int is_cast = LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMAddrSpaceCast;
  return is_cast ? LLVMGetOperand(value, 0) : value;
}

void cs_pass_each_annotated(LLVMModuleRef module, const char *text,
                            void (*visit)(LLVMModuleRef, LLVMValueRef, LLVMValueRef)) {
  enum { ANNOTATED = 0, ARGUMENTS = 4 };
  LLVMValueRef all = LLVMGetNamedGlobal(module, "llvm.global.annotations");
  LLVMValueRef list = all ? LLVMGetInitializer(all) : NULL;
  for (unsigned i = 0; list && i < (unsigned)LLVMGetNumOperands(list); i++) {
    LLVMValueRef entry = LLVMGetOperand(list, i);
    LLVMValueRef annotated = LLVMGetNumOperands(entry) > 1 ? without_cast(LLVMGetOperand(entry, ANNOTATED)) : NULL;
    if (annotated && LLVMIsAGlobalValue(annotated) && has_text(entry, text))
      visit(module, annotated, pointed_to(entry, ARGUMENTS));
  }
}
