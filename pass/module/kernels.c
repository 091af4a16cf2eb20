/* kernels.c: finds the kernel that a device function belongs to, for the site table. */
#include "pass/module/kernels.h"
#include "cusafe/predicate.h"
#include "ir/module.h"

static char many; /* several kernels, or unknown callers */
static char busy; /* in progress: a cycle adds nothing */

LLVMValueRef cs_pass_exact_kernel(LLVMValueRef kernel) {
  size_t length;
  const char *name = LLVMGetValueName2(kernel, &length);
  LLVMValueRef exact = NULL;
  if ((length = cs_fast_of(name, length)) > 0)
    exact = LLVMGetNamedFunctionWithLength(LLVMGetGlobalParent(kernel), name, length);
  return exact ? exact : kernel;
}

static int is_call_of(LLVMValueRef user, LLVMValueRef function) {
  return LLVMIsACallInst(user) && LLVMGetCalledValue(user) == function;
}

static void *reach(struct cs_pass *pass, LLVMValueRef function) {
  if (cs_ir_is_kernel(function))
    return cs_pass_exact_kernel(function);
  void *known = cs_ir_map_get(&pass->reached, function);
  if (known)
    return known == &busy ? NULL : known;
  cs_ir_map_set(&pass->reached, function, &busy);
  void *result = NULL;
  for (LLVMUseRef use = LLVMGetFirstUse(function); use && result != &many; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    void *from = &many;
    if (is_call_of(user, function))
      from = reach(pass, LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)));
    if (from != NULL)
      result = result == NULL || result == from ? from : &many;
  }
  cs_ir_map_set(&pass->reached, function, result ? result : &many);
  return result;
}

LLVMValueRef cs_pass_reaching_kernel(struct cs_pass *pass, LLVMValueRef function) {
  void *kernel = reach(pass, function);
  return kernel == &many ? NULL : kernel;
}
