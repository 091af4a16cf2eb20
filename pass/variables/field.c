/* field.c: clang's check of array indices: recognises its calls, and reads the length of the array.
 *
 * The call's data is { location, array type, index type }; a type is { kind, information, name } with a name such as
 * 'float[4]'. */
#include "pass/variables/field.h"
#include "ir/instructions.h"
#include "ir/names.h"
#include <stdlib.h>
#include <string.h>

static LLVMValueRef initializer_of(LLVMValueRef pointer) {
  while (LLVMIsAConstantExpr(pointer))
    pointer = LLVMGetOperand(pointer, 0);
  LLVMValueRef global = LLVMIsAGlobalVariable(pointer);
  return global ? LLVMGetInitializer(global) : NULL;
}

static LLVMValueRef element(LLVMValueRef aggregate, unsigned index) {
  return aggregate && index < (unsigned)LLVMGetNumOperands(aggregate) ? LLVMGetOperand(aggregate, index) : NULL;
}

cs_u64 cs_pass_field_elements(LLVMValueRef data) {
  LLVMValueRef type = element(initializer_of(data), 1);
  LLVMValueRef name = type ? element(initializer_of(type), 2) : NULL;
  if (name == NULL || !LLVMIsConstantString(name))
    return 0;
  size_t length;
  const char *text = LLVMGetAsString(name, &length);
  const char *bracket = memchr(text, '[', length);
  return bracket ? strtoull(bracket + 1, NULL, 10) : 0;
}

/* `array - 1` or `&array[-1]`: the base of an array with indices from one. */
static int is_base(LLVMValueRef index) {
  return LLVMIsAConstantInt(index) && LLVMConstIntGetSExtValue(index) < 0;
}

int cs_pass_is_field_call(LLVMValueRef instruction) {
  LLVMValueRef function = cs_ir_callee(instruction);
  return function != NULL && strcmp(cs_ir_name(function), CS_PASS_FIELD_HANDLER) == 0;
}

/* The call is alone in its block. */
LLVMBasicBlockRef cs_pass_block_after(LLVMValueRef call) {
  LLVMValueRef branch = LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(call));
  int continues = LLVMGetInstructionOpcode(branch) == LLVMBr && LLVMGetNumSuccessors(branch) == 1;
  return continues ? LLVMGetSuccessor(branch, 0) : NULL;
}

/* The first address in the block after the call uses the index; clang's name for it distinguishes arithmetic from
 * indexing. */
static int is_arithmetic(LLVMValueRef call) {
  LLVMBasicBlockRef block = cs_pass_block_after(call);
  LLVMValueRef i = block ? LLVMGetFirstInstruction(block) : NULL;
  while (i && !LLVMIsAGetElementPtrInst(i))
    i = LLVMGetNextInstruction(i);
  return i != NULL && cs_ir_starts_with(cs_ir_name(i), "add.ptr");
}

static void forget(LLVMModuleRef module, int all) {
  LLVMValueRef handler = LLVMGetNamedFunction(module, CS_PASS_FIELD_HANDLER);
  LLVMUseRef use = handler ? LLVMGetFirstUse(handler) : NULL;
  while (use) {
    LLVMValueRef call = LLVMGetUser(use);
    use = LLVMGetNextUse(use);
    if (LLVMIsACallInst(call) && (all || is_base(LLVMGetOperand(call, 1)) || is_arithmetic(call)))
      LLVMInstructionEraseFromParent(call);
  }
}

void cs_pass_forget_arithmetic(LLVMModuleRef module) {
  LLVMValueRef handler = LLVMGetNamedFunction(module, CS_PASS_FIELD_HANDLER);
  if (handler) /* so that LLVM hoists invariant code across it */
    cs_pass_set_unseen(handler);
  forget(module, 0);
}

int cs_pass_forget_fields(struct cs_pass *pass) {
  forget(pass->module, 1);
  return 0;
}
