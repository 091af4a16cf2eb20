/* types.c: the types of shadows, and small sequences that combine their bits. */
#include "pass/init/init.h"
#include "pass/module/build.h"

LLVMTypeRef cs_pass_init_int(const struct cs_pass *pass, unsigned bits) {
  return LLVMIntTypeInContext(pass->context, bits);
}

/* Whether the vector is as long as an integer that the CPU device has, or as several. */
static int is_flat(const struct cs_pass *pass, LLVMTypeRef vector) {
  cs_u64 bits = LLVMSizeOfTypeInBits(pass->layout, vector);
  return bits >= 8 && (bits & (bits - 1)) == 0;
}

LLVMTypeRef cs_pass_init_type(const struct cs_pass *pass, LLVMTypeRef type) { // NOLINT(misc-no-recursion): one level
  switch (LLVMGetTypeKind(type)) {
  case LLVMIntegerTypeKind:
    return type;
  case LLVMHalfTypeKind:
  case LLVMBFloatTypeKind:
  case LLVMFloatTypeKind:
  case LLVMDoubleTypeKind:
  case LLVMPointerTypeKind:
    return cs_pass_init_int(pass, (unsigned)LLVMSizeOfTypeInBits(pass->layout, type));
  case LLVMVectorTypeKind: {
    LLVMTypeRef element = cs_pass_init_type(pass, LLVMGetElementType(type));
    return element && is_flat(pass, type) ? LLVMVectorType(element, LLVMGetVectorSize(type)) : NULL;
  }
  default:
    return NULL;
  }
}

unsigned cs_pass_init_bits(const struct cs_pass *pass, LLVMTypeRef shadow_type) {
  return (unsigned)LLVMSizeOfTypeInBits(pass->layout, shadow_type);
}

LLVMValueRef cs_pass_init_flat(const struct cs_pass *pass, LLVMValueRef shadow) {
  LLVMTypeRef type = LLVMTypeOf(shadow);
  if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind)
    return shadow;
  return LLVMBuildBitCast(pass->builder, shadow, cs_pass_init_int(pass, cs_pass_init_bits(pass, type)), "");
}

static int is_pointer(LLVMTypeRef type) {
  if (LLVMGetTypeKind(type) == LLVMVectorTypeKind)
    type = LLVMGetElementType(type);
  return LLVMGetTypeKind(type) == LLVMPointerTypeKind;
}

LLVMValueRef cs_pass_init_raw(const struct cs_pass *pass, LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value), shadow = cs_pass_init_type(pass, type);
  if (shadow == type)
    return value;
  return is_pointer(type) ? LLVMBuildPtrToInt(pass->builder, value, shadow, "")
                          : LLVMBuildBitCast(pass->builder, value, shadow, "");
}

LLVMValueRef cs_pass_init_any(const struct cs_pass *pass, LLVMValueRef shadow) {
  LLVMValueRef flat = cs_pass_init_flat(pass, shadow);
  return LLVMBuildICmp(pass->builder, LLVMIntNE, flat, LLVMConstNull(LLVMTypeOf(flat)), "");
}

LLVMValueRef cs_pass_init_spread(const struct cs_pass *pass, LLVMValueRef flag, LLVMTypeRef shadow_type) {
  LLVMTypeRef flat = cs_pass_init_int(pass, cs_pass_init_bits(pass, shadow_type));
  LLVMValueRef all = flat == LLVMTypeOf(flag) ? flag : LLVMBuildSExt(pass->builder, flag, flat, "");
  return flat == shadow_type ? all : LLVMBuildBitCast(pass->builder, all, shadow_type, "");
}
