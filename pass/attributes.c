/* attributes.c: removes promises: of functions, which instrumentation breaks, so that LLVM would delete the checks; and of values,
 * which CUDA's programs do not keep. */
#include "pass/attributes.h"
#include "pass/kernels.h"
#include <string.h>

static const char *const function_promises[] = {"memory",     "nofree",       "nosync",
                                                "willreturn", "speculatable", "norecurse"};
static const char *const pointer_promises[] = {"readonly", "writeonly", "readnone", "captures",
                                               "returned", "nonnull",   "nofree",   "dereferenceable"};

static unsigned kind(const char *name) {
  return LLVMGetEnumAttributeKindForName(name, strlen(name));
}

#define FOR_EACH(list, name) for (size_t name = 0; name < sizeof(list) / sizeof *(list); name++)

static void strip_declared(LLVMValueRef function) {
  FOR_EACH(function_promises, i)
  LLVMRemoveEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind(function_promises[i]));
  for (unsigned p = 1; p <= LLVMCountParams(function); p++)
    FOR_EACH(pointer_promises, i)
  LLVMRemoveEnumAttributeAtIndex(function, p, kind(pointer_promises[i]));
}

static int calls_instrumented(LLVMValueRef instruction) {
  if (!LLVMIsACallInst(instruction))
    return 0;
  LLVMValueRef callee = LLVMIsAFunction(LLVMGetCalledValue(instruction));
  return callee == NULL || !LLVMGetIntrinsicID(callee);
}

static void strip_call(LLVMValueRef call) {
  FOR_EACH(function_promises, i)
  LLVMRemoveCallSiteEnumAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind(function_promises[i]));
  for (unsigned a = 1; a <= LLVMGetNumArgOperands(call); a++)
    FOR_EACH(pointer_promises, i)
  LLVMRemoveCallSiteEnumAttribute(call, a, kind(pointer_promises[i]));
}

void cs_pass_strip_attributes(LLVMValueRef function) {
  strip_declared(function);
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
      if (calls_instrumented(i))
        strip_call(i);
}

/* A variable that only some lanes have set is passed on by all of them, to __shfl_sync in the end, and nvcc lets them. To LLVM the
 * others' would be undefined, and so the branch around the assignment needless. What kernels are passed and functions return is
 * defined: tests of ranges rest on it. */
int cs_pass_allow_undefined(struct cs_pass *pass) {
  unsigned defined = kind("noundef");
  for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f)) {
    for (unsigned p = 1; !cs_pass_is_kernel(f) && p <= LLVMCountParams(f); p++)
      LLVMRemoveEnumAttributeAtIndex(f, p, defined);
    for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(f); block; block = LLVMGetNextBasicBlock(block))
      for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
        for (unsigned a = 1; LLVMIsACallInst(i) && a <= LLVMGetNumArgOperands(i); a++)
          LLVMRemoveCallSiteEnumAttribute(i, a, defined);
  }
  return 0;
}
