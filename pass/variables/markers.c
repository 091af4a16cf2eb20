/* markers.c: recognises the markers of a local variable's scope. */
#include "pass/variables/markers.h"
#include <string.h>

enum cs_pass_marker cs_pass_marker_of(LLVMValueRef instruction) {
  LLVMValueRef callee = LLVMIsACallInst(instruction) ? LLVMIsAFunction(LLVMGetCalledValue(instruction)) : NULL;
  if (callee == NULL)
    return CS_PASS_NO_MARKER;
  size_t length;
  const char *name = LLVMGetValueName2(callee, &length);
  if (strncmp(name, "llvm.lifetime.start", 19) == 0 || strcmp(name, CS_PASS_SCOPE_BEGIN_NAME) == 0)
    return CS_PASS_SCOPE_START;
  if (strncmp(name, "llvm.lifetime.end", 17) == 0 || strcmp(name, CS_PASS_SCOPE_END_NAME) == 0)
    return CS_PASS_SCOPE_END;
  return CS_PASS_NO_MARKER;
}

LLVMValueRef cs_pass_marked_variable(LLVMValueRef marker) {
  LLVMValueRef variable = LLVMGetOperand(marker, LLVMGetNumArgOperands(marker) - 1); /* older IR has the size first */
  while (LLVMIsAAddrSpaceCastInst(variable))
    variable = LLVMGetOperand(variable, 0);
  return variable;
}

static void add_markers(struct cs_pass_markers *markers, LLVMValueRef pointer) {
  for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (cs_pass_marker_of(user) != CS_PASS_NO_MARKER)
      cs_pass_push(markers->items, markers->count, markers->capacity, user);
    else if (LLVMIsAAddrSpaceCastInst(user))
      add_markers(markers, user);
  }
}

struct cs_pass_markers cs_pass_markers_of(LLVMValueRef variable) {
  struct cs_pass_markers markers = {0};
  add_markers(&markers, variable);
  return markers;
}
