/* vectors.c: loads vectors with the type of their lanes' uses. Registers are integers, so that a float2 is loaded as
 * two integers, and each lane is converted where it is used. LLVM would move the conversion before the lane's
 * extraction, and the load of the lane to the line of that use. */
#include "lift/vectors.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include <stdlib.h>

static int is_conversion(LLVMValueRef value, LLVMTypeRef to) {
  return LLVMIsABitCastInst(value) && LLVMTypeOf(value) == to;
}

/* A lane whose value is only used as a float. */
static int is_float_lane(LLVMValueRef lane, LLVMTypeRef to) {
  if (!LLVMIsAExtractElementInst(lane) || !LLVMIsAConstantInt(LLVMGetOperand(lane, 1)))
    return 0;
  for (LLVMUseRef use = LLVMGetFirstUse(lane); use; use = LLVMGetNextUse(use))
    if (!is_conversion(LLVMGetUser(use), to))
      return 0;
  return 1;
}

/* The float as wide as the integers of a loaded vector; NULL: another value. */
static LLVMTypeRef float_of(struct cs_lift_unit *unit, LLVMValueRef load) {
  LLVMTypeRef type = LLVMTypeOf(load);
  if (!LLVMIsALoadInst(load) || LLVMGetTypeKind(type) != LLVMVectorTypeKind)
    return NULL;
  LLVMTypeRef element = LLVMGetElementType(type);
  return element == unit->i32   ? LLVMFloatTypeInContext(unit->context)
         : element == unit->i64 ? LLVMDoubleTypeInContext(unit->context)
                                : NULL;
}

static int has_float_lanes(LLVMValueRef load, LLVMTypeRef to) {
  LLVMUseRef use = LLVMGetFirstUse(load);
  for (; use; use = LLVMGetNextUse(use))
    if (!is_float_lane(LLVMGetUser(use), to))
      return 0;
  return LLVMGetFirstUse(load) != NULL;
}

static void replace_lane(LLVMBuilderRef builder, LLVMValueRef lane, LLVMValueRef vector) {
  LLVMPositionBuilderBefore(builder, lane);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(lane));
  LLVMValueRef made = LLVMBuildExtractElement(builder, vector, LLVMGetOperand(lane, 1), "");
  for (LLVMUseRef use; (use = LLVMGetFirstUse(lane)) != NULL;) {
    LLVMValueRef conversion = LLVMGetUser(use);
    LLVMReplaceAllUsesWith(conversion, made);
    LLVMInstructionEraseFromParent(conversion);
  }
  LLVMInstructionEraseFromParent(lane);
}

static void retype(LLVMBuilderRef builder, LLVMValueRef load, LLVMTypeRef to) {
  LLVMPositionBuilderBefore(builder, load);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(load));
  LLVMTypeRef type = LLVMVectorType(to, LLVMGetVectorSize(LLVMTypeOf(load)));
  LLVMValueRef made = LLVMBuildLoad2(builder, type, LLVMGetOperand(load, 0), "");
  LLVMSetAlignment(made, LLVMGetAlignment(load));
  LLVMSetVolatile(made, LLVMGetVolatile(load));
  for (LLVMUseRef use; (use = LLVMGetFirstUse(load)) != NULL;)
    replace_lane(builder, LLVMGetUser(use), made);
}

/* The loads are collected first: replacing one erases instructions after it. */
void cs_lift_type_vectors(struct cs_lift_unit *unit, LLVMValueRef function) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  LLVMValueRef *loads = NULL;
  unsigned count = 0;
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i))
    if (float_of(unit, i) && has_float_lanes(i, float_of(unit, i)))
      cs_ir_push(loads, count, i);
  for (unsigned k = 0; k < count; k++) {
    retype(builder, loads[k], float_of(unit, loads[k]));
    LLVMInstructionEraseFromParent(loads[k]);
  }
  free(loads);
  LLVMDisposeBuilder(builder);
}
