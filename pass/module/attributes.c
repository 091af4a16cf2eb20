/* attributes.c: removes attributes: of functions, which checks break, so that LLVM would delete them; and of values,
 * which CUDA programs break: noundef and dereferenceable. */
#include "pass/module/attributes.h"
#include "ir/instructions.h"
#include "ir/module.h"
#include "pass/module/kernels.h"

static const char *const function_promises[] = {"memory",     "nofree",       "nosync",
                                                "willreturn", "speculatable", "norecurse"};
static const char *const pointer_promises[] = {"readonly", "writeonly", "readnone", "captures",
                                               "returned", "nonnull",   "nofree",   "dereferenceable"};

#define FOR_EACH(list, name) for (size_t name = 0; name < sizeof(list) / sizeof *(list); name++)

static void strip_declared(LLVMValueRef function) {
  FOR_EACH(function_promises, i)
  LLVMRemoveEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                 cs_ir_attribute_kind(function_promises[i]));
  for (unsigned p = 1; p <= LLVMCountParams(function); p++)
    FOR_EACH(pointer_promises, i)
  LLVMRemoveEnumAttributeAtIndex(function, p, cs_ir_attribute_kind(pointer_promises[i]));
}

static int calls_instrumented(LLVMValueRef instruction) {
  if (!LLVMIsACallInst(instruction))
    return 0;
  LLVMValueRef callee = LLVMIsAFunction(LLVMGetCalledValue(instruction));
  return callee == NULL || !LLVMGetIntrinsicID(callee);
}

static void strip_call(LLVMValueRef call) {
  FOR_EACH(function_promises, i)
  LLVMRemoveCallSiteEnumAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                                  cs_ir_attribute_kind(function_promises[i]));
  for (unsigned a = 1; a <= LLVMGetNumArgOperands(call); a++)
    FOR_EACH(pointer_promises, i)
  LLVMRemoveCallSiteEnumAttribute(call, a, cs_ir_attribute_kind(pointer_promises[i]));
}

void cs_pass_strip_attributes(LLVMValueRef function) {
  strip_declared(function);
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i))
    if (calls_instrumented(i))
      strip_call(i);
}

/* nvcc lets all lanes pass on a variable that only some of them have set, in the end to __shfl_sync. With noundef, LLVM
 * would remove the branch around the assignment. A kernel's parameters and results of functions are defined, and range
 * tests rely on it. */
int cs_pass_allow_undefined(struct cs_pass *pass) {
  unsigned defined = cs_ir_attribute_kind("noundef");
  for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f)) {
    for (unsigned p = 1; !cs_ir_is_kernel(f) && p <= LLVMCountParams(f); p++)
      LLVMRemoveEnumAttributeAtIndex(f, p, defined);
    for (LLVMValueRef i = cs_ir_first(f); i; i = cs_ir_next(i))
      for (unsigned a = 1; LLVMIsACallInst(i) && a <= LLVMGetNumArgOperands(i); a++)
        LLVMRemoveCallSiteEnumAttribute(i, a, defined);
  }
  return 0;
}

static void forget_dereferenceable(LLVMValueRef function, LLVMAttributeIndex index) {
  LLVMRemoveEnumAttributeAtIndex(function, index, cs_ir_attribute_kind("dereferenceable"));
  LLVMRemoveEnumAttributeAtIndex(function, index, cs_ir_attribute_kind("dereferenceable_or_null"));
}

static void forget_dereferenceable_of_call(LLVMValueRef call, LLVMAttributeIndex index) {
  LLVMRemoveCallSiteEnumAttribute(call, index, cs_ir_attribute_kind("dereferenceable"));
  LLVMRemoveCallSiteEnumAttribute(call, index, cs_ir_attribute_kind("dereferenceable_or_null"));
}

/* Programs form references to memory that they must not access, and do not access it: a[n] as an argument, a temporary
 * that a function may have returned. With the attribute, which clang gives to every reference and to `this`, LLVM
 * would. */
int cs_pass_allow_dangling(struct cs_pass *pass) {
  for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f)) {
    for (unsigned i = LLVMAttributeReturnIndex; i <= LLVMCountParams(f); i++)
      forget_dereferenceable(f, i);
    for (LLVMValueRef call = cs_ir_first(f); call; call = cs_ir_next(call))
      for (unsigned i = LLVMAttributeReturnIndex; LLVMIsACallInst(call) && i <= LLVMGetNumArgOperands(call); i++)
        forget_dereferenceable_of_call(call, i);
  }
  return 0;
}
