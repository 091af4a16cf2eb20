/* module.c: address spaces, kernels and attributes. */
#include "ir/module.h"
#include <string.h>

unsigned cs_ir_space_of(LLVMValueRef pointer) {
  return LLVMGetPointerAddressSpace(LLVMTypeOf(pointer));
}

int cs_ir_is_kernel(LLVMValueRef function) {
  return LLVMGetFunctionCallConv(function) == CS_IR_KERNEL;
}

unsigned cs_ir_attribute_kind(const char *name) {
  return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

LLVMAttributeRef cs_ir_attribute(LLVMContextRef context, const char *name) {
  return LLVMCreateEnumAttribute(context, cs_ir_attribute_kind(name), 0);
}
