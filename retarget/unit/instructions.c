/* instructions.c: walks and edits the instructions of a module. */
#include "retarget/unit/instructions.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/names.h"
#include <stdlib.h>
#include <string.h>

/* Collects first: visit may remove instructions. */
void cs_rt_each_instruction(LLVMModuleRef module, void (*visit)(LLVMValueRef instruction, void *with), void *with) {
  LLVMValueRef *all = NULL;
  unsigned count = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (LLVMValueRef i = cs_ir_first(f); i; i = cs_ir_next(i))
      cs_ir_push(all, count, i);
  for (unsigned i = 0; i < count; i++)
    visit(all[i], with);
  free(all);
}

const char *cs_rt_callee(LLVMValueRef instruction) {
  LLVMValueRef callee = cs_ir_callee(instruction);
  return callee ? cs_ir_name(callee) : NULL;
}

int cs_rt_used_in(LLVMValueRef value, LLVMValueRef function) { // NOLINT(misc-no-recursion): constants have no cycles
  for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsAInstruction(user) ? LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) == function
                                 : LLVMIsAConstantExpr(user) && cs_rt_used_in(user, function))
      return 1;
  }
  return 0;
}

void cs_rt_replace_operand(LLVMValueRef instruction, LLVMValueRef old, LLVMValueRef by) {
  for (int i = 0; i < LLVMGetNumOperands(instruction); i++)
    if (LLVMGetOperand(instruction, (unsigned)i) == old)
      LLVMSetOperand(instruction, (unsigned)i, by);
}

void cs_rt_position_at_start(LLVMBuilderRef builder, LLVMValueRef function) {
  LLVMPositionBuilderBefore(builder, cs_ir_after_allocas(function));
}

LLVMValueRef cs_rt_load_u64(struct cs_rt_unit *unit, LLVMBuilderRef builder, LLVMValueRef base, size_t offset) {
  LLVMTypeRef i64 = LLVMInt64TypeInContext(unit->context), byte = LLVMInt8TypeInContext(unit->context);
  LLVMValueRef at = LLVMConstInt(i64, offset, 0);
  LLVMValueRef load = LLVMBuildLoad2(builder, i64, LLVMBuildInBoundsGEP2(builder, byte, base, &at, 1, ""), "");
  LLVMSetAlignment(load, 8);
  return load;
}

long long cs_rt_number_of(const struct cs_rt_unit *unit, LLVMValueRef instruction, const char *kind) {
  unsigned id = LLVMGetMDKindIDInContext(unit->context, kind, (unsigned)strlen(kind));
  LLVMValueRef node = LLVMGetMetadata(instruction, id), number;
  if (!node || LLVMGetMDNodeNumOperands(node) != 1)
    return -1;
  LLVMGetMDNodeOperands(node, &number);
  return (long long)LLVMConstIntGetZExtValue(number);
}

char *cs_rt_name_of(LLVMValueRef value) {
  size_t length;
  const char *name = LLVMGetValueName2(value, &length);
  return cs_ir_copy_text(name, length);
}
