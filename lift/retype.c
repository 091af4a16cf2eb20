/* retype.c: gives a function pointers as parameters or result, when its body shows that they are. */
#include "lift/retype.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include <stdlib.h>

struct change {
  struct cs_lift_unit *unit;
  LLVMValueRef old, made;
  LLVMTypeRef type;
  const unsigned char *is_pointer;
  int returns_pointer;
  unsigned count;
  LLVMBuilderRef builder;
};

static LLVMTypeRef type_of(const struct change *c, LLVMTypeRef old) {
  LLVMTypeRef *types = cs_ir_allocate(c->count, sizeof *types);
  LLVMGetParamTypes(old, types);
  for (unsigned k = 0; k < c->count; k++)
    if (c->is_pointer[k])
      types[k] = c->unit->ptr;
  LLVMTypeRef made = LLVMFunctionType(c->returns_pointer ? c->unit->ptr : LLVMGetReturnType(old), types, c->count, 0);
  free(types);
  return made;
}

/* Of the function, its result and its parameters. */
static void copy_attributes(const struct change *c) {
  for (unsigned k = 0; k < c->count + 2; k++) {
    LLVMAttributeIndex index = k == c->count + 1 ? (LLVMAttributeIndex)LLVMAttributeFunctionIndex : k;
    unsigned count = LLVMGetAttributeCountAtIndex(c->old, index);
    LLVMAttributeRef *attributes = cs_ir_allocate(count, sizeof(LLVMAttributeRef));
    LLVMGetAttributesAtIndex(c->old, index, attributes);
    for (unsigned i = 0; i < count; i++)
      LLVMAddAttributeAtIndex(c->made, index, attributes[i]);
    free(attributes);
  }
}

static void move_body(const struct change *c) {
  for (LLVMBasicBlockRef block; (block = LLVMGetFirstBasicBlock(c->old)) != NULL;) {
    LLVMRemoveBasicBlockFromParent(block);
    LLVMAppendExistingBasicBlock(c->made, block);
  }
  LLVMMetadataRef program = LLVMGetSubprogram(c->old);
  if (program)
    LLVMSetSubprogram(c->made, program);
}

static void replace_parameters(const struct change *c) {
  LLVMPositionBuilderBefore(c->builder, cs_ir_after_allocas(c->made));
  for (unsigned k = 0; k < c->count; k++) {
    LLVMValueRef given = LLVMGetParam(c->made, k);
    if (c->is_pointer[k])
      given = LLVMBuildPtrToInt(c->builder, given, c->unit->i64, "");
    LLVMReplaceAllUsesWith(LLVMGetParam(c->old, k), given);
  }
}

static void replace_results(const struct change *c) {
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(c->made); b && c->returns_pointer; b = LLVMGetNextBasicBlock(b)) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
    if (!LLVMIsAReturnInst(end))
      continue;
    LLVMPositionBuilderBefore(c->builder, end);
    LLVMSetCurrentDebugLocation2(c->builder, LLVMInstructionGetDebugLoc(end));
    LLVMBuildRet(c->builder, LLVMBuildIntToPtr(c->builder, LLVMGetOperand(end, 0), c->unit->ptr, ""));
    LLVMInstructionEraseFromParent(end);
  }
}

static void copy_call_attributes(const struct change *c, LLVMValueRef from, LLVMValueRef to) {
  for (unsigned k = 1; k <= c->count; k++) {
    unsigned count = LLVMGetCallSiteAttributeCount(from, k);
    LLVMAttributeRef *attributes = cs_ir_allocate(count, sizeof(LLVMAttributeRef));
    LLVMGetCallSiteAttributes(from, k, attributes);
    for (unsigned i = 0; i < count; i++)
      LLVMAddCallSiteAttribute(to, k, attributes[i]);
    free(attributes);
  }
}

static void replace_call(const struct change *c, LLVMValueRef call, LLVMValueRef callee) {
  LLVMValueRef *args = cs_ir_allocate(c->count, sizeof(LLVMValueRef));
  LLVMPositionBuilderBefore(c->builder, call);
  LLVMSetCurrentDebugLocation2(c->builder, LLVMInstructionGetDebugLoc(call));
  for (unsigned k = 0; k < c->count; k++) {
    args[k] = LLVMGetOperand(call, k);
    if (c->is_pointer[k])
      args[k] = LLVMBuildIntToPtr(c->builder, args[k], c->unit->ptr, "");
  }
  LLVMValueRef made = LLVMBuildCall2(c->builder, c->type, callee, args, c->count, ""), result = made;
  copy_call_attributes(c, call, made);
  if (c->returns_pointer)
    result = LLVMBuildPtrToInt(c->builder, made, c->unit->i64, "");
  if (LLVMGetTypeKind(LLVMTypeOf(call)) != LLVMVoidTypeKind)
    LLVMReplaceAllUsesWith(call, result);
  LLVMInstructionEraseFromParent(call);
  free(args);
}

/* A direct call of the old function; NULL: its other uses take the address. */
static LLVMValueRef next_call(const struct change *c) {
  for (LLVMUseRef use = LLVMGetFirstUse(c->old); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsACallInst(user) && LLVMGetCalledValue(user) == c->old)
      return user;
  }
  return NULL;
}

void cs_lift_retype_call(struct cs_lift_unit *unit, LLVMValueRef call, const unsigned char *is_pointer) {
  struct change c = {.unit = unit,
                     .is_pointer = is_pointer,
                     .count = LLVMGetNumArgOperands(call),
                     .builder = LLVMCreateBuilderInContext(unit->context)};
  c.type = type_of(&c, LLVMGetCalledFunctionType(call));
  replace_call(&c, call, LLVMGetCalledValue(call));
  LLVMDisposeBuilder(c.builder);
}

LLVMValueRef cs_lift_retype(struct cs_lift_unit *unit, LLVMValueRef function, const unsigned char *is_pointer,
                            int returns_pointer) {
  struct change c = {.unit = unit,
                     .old = function,
                     .is_pointer = is_pointer,
                     .returns_pointer = returns_pointer,
                     .count = LLVMCountParams(function),
                     .builder = LLVMCreateBuilderInContext(unit->context)};
  size_t length;
  const char *name = LLVMGetValueName2(function, &length);
  char *kept = cs_ptx_copy(&unit->arena, name, length);
  c.type = type_of(&c, LLVMGlobalGetValueType(function));
  c.made = LLVMAddFunction(unit->module, "", c.type);
  LLVMSetFunctionCallConv(c.made, LLVMGetFunctionCallConv(function));
  LLVMSetLinkage(c.made, LLVMGetLinkage(function));
  copy_attributes(&c);
  move_body(&c);
  replace_parameters(&c);
  replace_results(&c);
  for (LLVMValueRef call; (call = next_call(&c)) != NULL;)
    replace_call(&c, call, c.made);
  LLVMReplaceAllUsesWith(function, c.made);
  LLVMDeleteFunction(function);
  LLVMSetValueName2(c.made, kept, length);
  LLVMDisposeBuilder(c.builder);
  return c.made;
}
