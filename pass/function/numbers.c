/* numbers.c: separates integers that are used as addresses from those that are used as pointers. */
#include "pass/function/numbers.h"
#include <stdlib.h>

int cs_pass_concerns_addresses(LLVMValueRef user) {
  if (!LLVMIsAICmpInst(user) && !(LLVMIsABinaryOperator(user) && LLVMGetInstructionOpcode(user) == LLVMSub))
    return 0;
  return LLVMIsAPtrToIntInst(LLVMGetOperand(user, 0)) && LLVMIsAPtrToIntInst(LLVMGetOperand(user, 1));
}

static void split(LLVMBuilderRef builder, LLVMValueRef number) {
  LLVMValueRef *users = NULL, address = NULL;
  size_t count = 0, capacity = 0, others = 0;
  for (LLVMUseRef use = LLVMGetFirstUse(number); use; use = LLVMGetNextUse(use)) {
    if (cs_pass_concerns_addresses(LLVMGetUser(use)))
      cs_pass_push(users, count, capacity, LLVMGetUser(use));
    else
      others++;
  }
  if (count && others) {
    address = LLVMInstructionClone(number);
    LLVMPositionBuilderBefore(builder, number);
    LLVMInsertIntoBuilder(builder, address);
  }
  for (size_t i = 0; address && i < count; i++)
    for (unsigned operand = 0; operand < 2; operand++)
      if (LLVMGetOperand(users[i], operand) == number)
        LLVMSetOperand(users[i], operand, address);
  free(users);
}

void cs_pass_split_numbers(LLVMValueRef function) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
      if (LLVMIsAPtrToIntInst(i))
        split(builder, i);
  LLVMDisposeBuilder(builder);
}
