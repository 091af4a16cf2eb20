/* bare.c: copies kernels, and the functions in them that clang checks, and removes those checks from the copies. */
#include "pass/launch/bare.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "ir/names.h"
#include "pass/bridge/version.h"
#include "pass/module/kernels.h"
#include "pass/module/reasons.h"
#include "pass/variables/field.h"
#include <stdlib.h>
#include <string.h>

/* The kernels, and the functions that reach a check; with --sampled also all that they call. */
struct copied {
  LLVMValueRef *items;
  size_t count;
  struct cs_ir_map copies; /* function -> its copy; first, itself */
};

static void add(struct copied *r, LLVMValueRef function) {
  if (cs_ir_map_get(&r->copies, function))
    return;
  cs_ir_map_set(&r->copies, function, function);
  cs_ir_push(r->items, r->count, function);
}

static void add_callers(struct copied *r, LLVMValueRef callee) {
  for (LLVMUseRef use = LLVMGetFirstUse(callee); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsACallInst(user) && LLVMGetCalledValue(user) == callee)
      add(r, LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)));
  }
}

static void add_callees(struct copied *r, LLVMValueRef function) {
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i)) {
    LLVMValueRef callee = cs_ir_callee(i);
    if (callee && !LLVMIsDeclaration(callee))
      add(r, callee);
  }
}

static char *name_of_copy(LLVMValueRef function) {
  size_t length;
  const char *name = LLVMGetValueName2(function, &length);
  char *made = cs_ir_allocate(1, sizeof CS_PASS_BARE_PREFIX + length);
  memcpy(made, CS_PASS_BARE_PREFIX, sizeof CS_PASS_BARE_PREFIX - 1);
  memcpy(made + sizeof CS_PASS_BARE_PREFIX - 1, name, length + 1);
  return made;
}

static void copy(struct copied *r, LLVMValueRef function) {
  char *name = name_of_copy(function);
  LLVMValueRef made = cs_pass_version_copy(function, name);
  LLVMSetLinkage(made, LLVMGetLinkage(function)); /* LLVM inlines by it */
  LLVMAddTargetDependentFunctionAttr(made, CS_PASS_BARE_ATTRIBUTE, "");
  cs_ir_map_set(&r->copies, function, made);
  free(name);
}

/* In a copy: calls of copied functions become calls of the copies, and checks are removed. */
static void detach(struct copied *r, LLVMValueRef made) {
  for (LLVMValueRef i = cs_ir_first(made), next; i; i = next) {
    next = cs_ir_next(i);
    LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    LLVMValueRef copied = callee ? cs_ir_map_get(&r->copies, callee) : NULL;
    if (copied)
      LLVMSetOperand(i, (unsigned)LLVMGetNumOperands(i) - 1, copied);
    else if (cs_pass_is_field_call(i))
      LLVMInstructionEraseFromParent(i);
  }
}

int cs_pass_bare_copy(struct cs_pass *pass) {
  LLVMValueRef handler = LLVMGetNamedFunction(pass->module, CS_PASS_FIELD_HANDLER);
  struct copied r = {.count = 0};
  if ((pass->eliminations = cs_pass_parse_eliminations(pass->options->eliminate)) < 0)
    return -1;
  if ((!cs_pass_eliminates(pass, CS_PASS_REASON_LAUNCH) && !pass->options->sampled) ||
      cs_pass_detects(pass->options, CS_PASS_DETECT_RACE) || cs_pass_detects(pass->options, CS_PASS_DETECT_INIT))
    return 0;
  if (handler)
    add_callers(&r, handler);
  for (size_t i = 0; i < r.count; i++)
    add_callers(&r, r.items[i]);
  for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f))
    if (cs_ir_is_kernel(f) && !LLVMIsDeclaration(f))
      add(&r, f);
  for (size_t i = 0; i < r.count && pass->options->sampled; i++)
    add_callees(&r, r.items[i]);
  for (size_t i = 0; i < r.count; i++)
    copy(&r, r.items[i]);
  for (size_t i = 0; i < r.count; i++)
    detach(&r, cs_ir_map_get(&r.copies, r.items[i]));
  cs_ir_map_free(&r.copies);
  free(r.items);
  return 0;
}

LLVMValueRef cs_pass_bare_of(LLVMValueRef kernel) {
  char *name = name_of_copy(kernel);
  LLVMValueRef made = LLVMGetNamedFunction(LLVMGetGlobalParent(kernel), name);
  free(name);
  return made;
}

int cs_pass_bare_calls_function(LLVMValueRef function) {
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i)) {
    LLVMValueRef callee = LLVMIsACallInst(i) ? LLVMGetCalledValue(i) : NULL;
    if (callee && !LLVMIsAInlineAsm(callee) && (!LLVMIsAFunction(callee) || !LLVMIsDeclaration(callee)))
      return 1;
  }
  return 0;
}

int cs_pass_bare_select(struct cs_pass *pass) {
  if (pass->options->sampled) /* the copies run without any test */
    return 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f)) {
    LLVMValueRef made = cs_ir_is_kernel(f) && cs_pass_bare_calls_function(f) ? cs_pass_bare_of(f) : NULL;
    if (made)
      LLVMDeleteFunction(made);
  }
  return 0;
}

void cs_pass_bare_delete_rest(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module), next; f; f = next) {
    next = LLVMGetNextFunction(f);
    if (cs_ir_is_kernel(f) && strncmp(cs_ir_name(f), CS_PASS_BARE_PREFIX, sizeof CS_PASS_BARE_PREFIX - 1) == 0)
      LLVMDeleteFunction(f);
  }
}
