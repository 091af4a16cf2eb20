/* field.c: finds the array's type in clang's static data: { location, array type, index type }, a type being
 * { kind, information, name } with a name like 'float[4]'. */
#include "pass/field.h"
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

cs_u64 cs_field_elements(LLVMValueRef data) {
  LLVMValueRef type = element(initializer_of(data), 1);
  LLVMValueRef name = type ? element(initializer_of(type), 2) : NULL;
  if (name == NULL || !LLVMIsConstantString(name))
    return 0;
  size_t length;
  const char *text = LLVMGetAsString(name, &length);
  const char *bracket = memchr(text, '[', length);
  return bracket ? strtoull(bracket + 1, NULL, 10) : 0;
}
