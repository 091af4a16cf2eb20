/* build.c: small IR sequences that every step builds. */
#include "pass/module/build.h"

LLVMValueRef cs_pass_constant(LLVMTypeRef type, cs_u64 value) {
  return LLVMConstInt(type, value, 0);
}

void cs_pass_locate(struct cs_pass *pass, LLVMValueRef instruction, LLVMValueRef function) {
  LLVMMetadataRef location = instruction ? LLVMInstructionGetDebugLoc(instruction) : NULL;
  LLVMMetadataRef program = LLVMGetSubprogram(function);
  if (location == NULL && program != NULL)
    location = LLVMDIBuilderCreateDebugLocation(pass->context, 0, 0, program, NULL);
  LLVMSetCurrentDebugLocation2(pass->builder, location);
}

void cs_pass_build_before(struct cs_pass *pass, LLVMValueRef instruction, LLVMValueRef located_at) {
  LLVMPositionBuilderBefore(pass->builder, instruction);
  cs_pass_locate(pass, located_at, LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction)));
}

int cs_pass_is_null_pointer(LLVMValueRef value) {
  return LLVMIsNull(value) || LLVMIsUndef(value) || LLVMIsPoison(value);
}

LLVMValueRef cs_pass_generic(struct cs_pass *pass, LLVMValueRef pointer) {
  if (LLVMTypeOf(pointer) == pass->ptr)
    return pointer;
  if (LLVMIsConstant(pointer))
    return cs_pass_is_null_pointer(pointer) ? LLVMConstNull(pass->ptr) : LLVMConstAddrSpaceCast(pointer, pass->ptr);
  return LLVMBuildAddrSpaceCast(pass->builder, pointer, pass->ptr, "");
}

void cs_pass_replace_operand(struct cs_pass *pass, LLVMValueRef instruction, unsigned operand, LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(LLVMGetOperand(instruction, operand));
  if (type != pass->ptr)
    value = LLVMBuildAddrSpaceCast(pass->builder, value, type, "");
  LLVMSetOperand(instruction, operand, value);
}
