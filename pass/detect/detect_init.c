/* detect_init.c: uses of uninitialised memory: maintains the shadow of buffers, follows values that may be
 * uninitialised, and checks where they decide something (pass/init). Only with --detect=init. */
#include "ir/instructions.h"
#include "ir/module.h"
#include "ir/names.h"
#include "pass/function/detector.h"
#include "pass/init/init.h"
#include "pass/module/ignore.h"
#include "pass/module/kernels.h"
#include "pass/module/runtime.h"
#include <stdlib.h>

static int is_instrumented(LLVMValueRef function) {
  return !LLVMIsDeclaration(function) && !cs_pass_is_ours(function);
}

/* LLVM executes branches earlier, on frozen values, but not in functions with this attribute. */
static void set_sanitized(LLVMModuleRef module, int is_on) {
  unsigned kind = cs_ir_attribute_kind("sanitize_memory");
  LLVMAttributeRef attribute = LLVMCreateEnumAttribute(LLVMGetModuleContext(module), kind, 0);
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (!is_on)
      LLVMRemoveEnumAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, kind);
    else if (!LLVMIsDeclaration(f))
      LLVMAddAttributeAtIndex(f, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, attribute);
}

static int is_on(const struct cs_pass *pass) {
  return cs_pass_detects(pass->options, CS_PASS_DETECT_INIT);
}

static void prepare(struct cs_pass *pass) {
  if (is_on(pass))
    set_sanitized(pass->module, 1);
}

static void begin(struct cs_pass *pass) {
  pass->finds_uninitialised = is_on(pass);
  for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); is_on(pass) && f; f = LLVMGetNextFunction(f))
    if (is_instrumented(f))
      cs_pass_init_mark_uses(pass, f);
}

static void instrument(struct cs_pass *pass, LLVMValueRef function) {
  struct cs_pass_init init = {.pass = pass, .function = function, .kernel = cs_pass_reaching_kernel(pass, function)};
  cs_pass_init_find_dirty(&init);
  for (size_t i = 0; i < init.count; i++) {
    if (!cs_pass_ignored(&pass->ignore, init.instructions[i]))
      cs_pass_init_check_uses(&init, init.instructions[i]);
    cs_pass_init_write(&init, init.instructions[i]);
  }
  cs_pass_init_finish_phis(&init);
  cs_ir_map_free(&init.dirty);
  cs_ir_map_free(&init.locals);
  cs_ir_map_free(&init.fresh);
  cs_ir_map_free(&init.soiled);
  cs_ir_map_free(&init.twins);
  cs_ir_map_free(&init.shadows);
  free(init.instructions);
  free(init.phis);
}

/* All bounds are checked by now, so that shadows are read where the program may read. */
static void finish(struct cs_pass *pass) {
  if (!is_on(pass))
    return;
  set_sanitized(pass->module, 0);
  cs_pass_init_begin_memory(pass);
  for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f))
    if (is_instrumented(f))
      instrument(pass, f);
}

const struct cs_pass_detector cs_pass_detect_init = {
    .name = "init", .prepare = prepare, .begin = begin, .finish = finish};
