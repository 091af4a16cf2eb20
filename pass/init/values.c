/* values.c: the shadow of a value, built when a check or a store asks for it. */
#include "ir/memory.h"
#include "pass/init/init.h"
#include "pass/module/build.h"
#include <stdlib.h>

/* Of values that have one: the first member of a structure. */
static LLVMTypeRef type_of(const struct cs_pass *pass, LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value);
  if (LLVMGetTypeKind(type) == LLVMStructTypeKind)
    type = LLVMStructGetTypeAtIndex(type, 0);
  LLVMTypeRef shadow = cs_pass_init_type(pass, type);
  return shadow ? shadow : cs_pass_init_int(pass, 1);
}

static LLVMValueRef shadow_of_load(struct cs_pass_init *init, LLVMValueRef load) {
  cs_pass_build_before(init->pass, LLVMGetNextInstruction(load), load);
  return cs_pass_init_load(init, load, LLVMGetOperand(load, 0), type_of(init->pass, load), LLVMGetAlignment(load));
}

/* Loops may need the shadow of a phi node to compute that of its operands. */
static LLVMValueRef shadow_of_phi(struct cs_pass_init *init, LLVMValueRef phi) {
  cs_pass_build_before(init->pass, phi, phi);
  cs_ir_push(init->phis, init->phi_count, phi);
  return LLVMBuildPhi(init->pass->builder, type_of(init->pass, phi), "");
}

static LLVMValueRef shadow_by_rule(struct cs_pass_init *init, LLVMValueRef i) { // NOLINT(misc-no-recursion)
  unsigned count = (unsigned)LLVMGetNumOperands(i);
  LLVMValueRef *operands = cs_ir_allocate(count + 1, sizeof *operands);
  for (unsigned o = 0; o < count; o++)
    operands[o] = cs_pass_init_shadow(init, LLVMGetOperand(i, o));
  cs_pass_build_before(init->pass, LLVMGetNextInstruction(i), i);
  LLVMValueRef shadow = cs_pass_init_apply_rule(init, i, operands);
  free(operands);
  return shadow;
}

LLVMValueRef cs_pass_init_shadow(struct cs_pass_init *init, LLVMValueRef value) { // NOLINT(misc-no-recursion)
  if (LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMLabelTypeKind || LLVMIsAFunction(value))
    return NULL;
  LLVMValueRef shadow = cs_ir_map_get(&init->shadows, value);
  if (shadow)
    return shadow;
  if (!cs_pass_init_is_dirty(init, value))
    return LLVMConstNull(type_of(init->pass, value));
  if (LLVMIsAPHINode(value))
    shadow = shadow_of_phi(init, value);
  else if (LLVMIsALoadInst(value))
    shadow = shadow_of_load(init, value);
  else
    shadow = shadow_by_rule(init, value);
  cs_ir_map_set(&init->shadows, value, shadow);
  return shadow;
}

void cs_pass_init_finish_phis(struct cs_pass_init *init) {
  for (size_t p = 0; p < init->phi_count; p++) { /* more of them while this runs */
    LLVMValueRef phi = init->phis[p], made = cs_ir_map_get(&init->shadows, phi);
    for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
      LLVMValueRef shadow = cs_pass_init_shadow(init, LLVMGetIncomingValue(phi, i));
      LLVMBasicBlockRef block = LLVMGetIncomingBlock(phi, i);
      LLVMAddIncoming(made, &shadow, &block, 1);
    }
  }
}
