/* instructions.c: walks the instructions of a function, and answers questions about one. */
#include "ir/instructions.h"
#include <stddef.h>

/* Blocks may be empty while a function is being written. */
static LLVMValueRef first_from(LLVMBasicBlockRef block) {
  LLVMValueRef first = NULL;
  for (; block && first == NULL; block = LLVMGetNextBasicBlock(block))
    first = LLVMGetFirstInstruction(block);
  return first;
}

LLVMValueRef cs_ir_first(LLVMValueRef function) {
  return first_from(LLVMGetFirstBasicBlock(function));
}

LLVMValueRef cs_ir_next(LLVMValueRef instruction) {
  LLVMValueRef next = LLVMGetNextInstruction(instruction);
  return next ? next : first_from(LLVMGetNextBasicBlock(LLVMGetInstructionParent(instruction)));
}

LLVMValueRef cs_ir_after_allocas(LLVMValueRef function) {
  LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
  while (LLVMIsAAllocaInst(at))
    at = LLVMGetNextInstruction(at);
  return at;
}

LLVMValueRef cs_ir_callee(LLVMValueRef value) {
  return LLVMIsACallInst(value) ? LLVMIsAFunction(LLVMGetCalledValue(value)) : NULL;
}

const char *cs_ir_asm_text(LLVMValueRef value) {
  size_t length;
  LLVMValueRef callee = LLVMIsACallInst(value) ? LLVMGetCalledValue(value) : NULL;
  return callee && LLVMIsAInlineAsm(callee) ? LLVMGetInlineAsmAsmString(callee, &length) : NULL;
}

int cs_ir_is_used_as_number(LLVMValueRef difference, int steps) { // NOLINT(misc-no-recursion): steps decreases
  for (LLVMUseRef use = LLVMGetFirstUse(difference); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    switch (LLVMGetInstructionOpcode(user)) {
    case LLVMAShr:
    case LLVMLShr:
    case LLVMSDiv:
    case LLVMUDiv:
    case LLVMSRem:
    case LLVMURem:
    case LLVMMul:
    case LLVMTrunc:
    case LLVMSIToFP:
    case LLVMUIToFP:
      continue;
    case LLVMAdd:
      if (!steps || !cs_ir_is_used_as_number(user, steps - 1))
        return 0;
      continue;
    case LLVMICmp:
      if (!LLVMIsConstant(LLVMGetOperand(user, 0)) && !LLVMIsConstant(LLVMGetOperand(user, 1)))
        return 0;
      continue;
    default:
      return 0;
    }
  }
  return 1;
}
