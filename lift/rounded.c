/* rounded.c: writes numbers that a compiler has rounded to a multiple in the form that shows the multiple. nvcc counts
 * the iterations of an unrolled loop as x minus its remainder; where it adds the parts in another order, LLVM does not
 * find how often the loop runs. */
#include "lift/rounded.h"
#include "ir/instructions.h"

/* value + by */
struct moved {
  LLVMValueRef value;
  unsigned long long by;
};

static int has_opcode(LLVMValueRef value, LLVMOpcode opcode) {
  return LLVMIsAInstruction(value) && LLVMGetInstructionOpcode(value) == opcode;
}

static struct moved without_constant(LLVMValueRef value) {
  struct moved found = {value, 0};
  while (has_opcode(found.value, LLVMAdd) && LLVMIsAConstantInt(LLVMGetOperand(found.value, 1))) {
    found.by += LLVMConstIntGetZExtValue(LLVMGetOperand(found.value, 1));
    found.value = LLVMGetOperand(found.value, 0);
  }
  return found;
}

/* x, if `rest` - `whole` is (x & mask) - x with a mask of low bits; NULL otherwise. */
static LLVMValueRef rounded(LLVMValueRef rest, LLVMValueRef whole, unsigned long long *mask) {
  struct moved low = without_constant(rest), high = without_constant(whole);
  LLVMValueRef by = has_opcode(low.value, LLVMAnd) ? LLVMIsAConstantInt(LLVMGetOperand(low.value, 1)) : NULL;
  unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(rest));
  if (!by || bits > 64)
    return NULL;
  LLVMValueRef x = LLVMGetOperand(low.value, 0);
  struct moved part = without_constant(x);
  *mask = LLVMConstIntGetZExtValue(by);
  unsigned long long distance = (low.by - high.by + part.by) << (64 - bits); /* modulo 2^bits */
  return (*mask & (*mask + 1)) == 0 && part.value == high.value && distance == 0 ? x : NULL;
}

static void rewrite(LLVMBuilderRef builder, LLVMValueRef difference) {
  LLVMValueRef left = LLVMGetOperand(difference, 0), right = LLVMGetOperand(difference, 1), x;
  unsigned long long mask = 0;
  int is_negative = (x = rounded(left, right, &mask)) != NULL;
  if (!x && !(x = rounded(right, left, &mask)))
    return;
  LLVMPositionBuilderBefore(builder, difference);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(difference));
  LLVMValueRef multiple = LLVMBuildAnd(builder, x, LLVMConstInt(LLVMTypeOf(x), ~mask, 0), "");
  LLVMReplaceAllUsesWith(difference, is_negative ? LLVMBuildNeg(builder, multiple, "") : multiple);
}

void cs_lift_show_multiples(struct cs_lift_unit *unit, LLVMValueRef function) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  for (LLVMValueRef i = cs_ir_first(function), next; i; i = next) {
    next = cs_ir_next(i);
    if (has_opcode(i, LLVMSub))
      rewrite(builder, i);
  }
  LLVMDisposeBuilder(builder);
}
