/* detect_free.c: kernels that free what is not allocated, or free it twice.
 *
 * malloc and free of kernels become calls of the device runtime's heap, which serves tagged windows (device/heap.c).
 * LLVM knows these functions by their names: it removes an allocation that is not used together with all calls that
 * free it, and stores before a call that frees, and errors in them would be missed. So they are renamed before any
 * optimisation. */
#include "ir/memory.h"
#include "ir/module.h"
#include "ir/names.h"
#include "pass/function/detector.h"
#include "pass/function/function.h"
#include "pass/module/build.h"
#include "pass/module/runtime.h"
#include <stdio.h>
#include <string.h>

/* new and delete, too, where no header defines them by malloc and free. */
static const char *const malloc_names[] = {"malloc", "_Znwm", "_Znam"};
static const char *const free_names[] = {"free", "_ZdlPv", "_ZdaPv", "_ZdlPvm", "_ZdaPvm"};
enum { MALLOC_NAMES = sizeof malloc_names / sizeof *malloc_names, FREE_NAMES = sizeof free_names / sizeof *free_names };
#define HIDDEN "cusafe." /* prefix of a renamed function */

static int is_among(LLVMValueRef function, const char *const *names, size_t count) {
  const char *name = cs_ir_name(function);
  if (cs_ir_starts_with(name, HIDDEN))
    name += strlen(HIDDEN);
  for (size_t i = 0; i < count; i++)
    if (strcmp(name, names[i]) == 0)
      return LLVMIsDeclaration(function);
  return 0;
}

static int is_malloc(LLVMValueRef function) {
  return is_among(function, malloc_names, MALLOC_NAMES);
}

static int is_free(LLVMValueRef function) {
  return is_among(function, free_names, FREE_NAMES);
}

/* LLVM deletes a store past an object whose size it knows. */
static void hide_size(LLVMValueRef function) {
  unsigned kind = cs_ir_attribute_kind("allocsize");
  LLVMRemoveEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind);
  for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef call = LLVMGetUser(use);
    if (LLVMIsACallInst(call) && LLVMGetCalledValue(call) == function)
      LLVMRemoveCallSiteEnumAttribute(call, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind);
  }
}

/* Attributes of the calls would not keep LLVM from what it knows by the name. */
static void hide(LLVMModuleRef module, const char *name) {
  LLVMValueRef function = LLVMGetNamedFunction(module, name);
  char hidden[32];
  int length = snprintf(hidden, sizeof hidden, HIDDEN "%s", name);
  if (function && LLVMIsDeclaration(function)) {
    LLVMSetValueName2(function, hidden, (size_t)length);
    hide_size(function);
  }
}

static void prepare(struct cs_pass *pass) {
  for (size_t i = 0; i < MALLOC_NAMES; i++)
    hide(pass->module, malloc_names[i]);
  for (size_t i = 0; i < FREE_NAMES; i++)
    hide(pass->module, free_names[i]);
}

/* Calls that free are rewritten one by one: each has a site. */
static void begin(struct cs_pass *pass) {
  for (LLVMValueRef f = LLVMGetFirstFunction(pass->module), next; f; f = next) {
    next = LLVMGetNextFunction(f);
    if (is_malloc(f)) {
      LLVMReplaceAllUsesWith(f, pass->runtime[CS_PASS_RUNTIME_MALLOC]);
      pass->uses_heap = 1;
    } else if (is_free(f) && LLVMGetFirstUse(f)) {
      pass->uses_heap = 1;
    }
  }
}

static int collect(struct cs_pass *pass, struct cs_pass_found *found, LLVMValueRef call) {
  LLVMValueRef function = LLVMIsAFunction(LLVMGetCalledValue(call));
  (void)pass;
  if (function == NULL || !is_free(function))
    return 0;
  cs_ir_push(found->calls, found->call_count, call);
  return 1;
}

static void write(struct cs_pass_function *f, struct cs_pass_found *found) {
  struct cs_pass *pass = f->pass;
  for (size_t i = 0; i < found->call_count; i++) {
    LLVMValueRef call = found->calls[i];
    struct cs_site site = {.check = CS_CHECK_FREE};
    cs_u32 number = cs_pass_sites_add(&pass->sites, call, site, f->kernel, NULL);
    cs_pass_build_before(pass, call, call);
    LLVMValueRef arguments[] = {cs_pass_generic(pass, LLVMGetOperand(call, 0)), cs_pass_constant(pass->i32, number)};
    cs_pass_runtime_call(pass, CS_PASS_RUNTIME_FREE, arguments);
    LLVMInstructionEraseFromParent(call);
  }
}

const struct cs_pass_detector cs_pass_detect_free = {
    .name = "free",
    .prepare = prepare,
    .begin = begin,
    .collect = collect,
    .write = write,
};
