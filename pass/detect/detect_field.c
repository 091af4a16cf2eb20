/* detect_field.c: indices outside of an array inside an object.
 *
 * clang checks the indices (-fsanitize=array-bounds) and calls a handler of UBSan, which device code does not have. The
 * calls become records of CuSafe; those that concern an array that is a whole variable become records of an access to
 * that variable. */
#include "ir/memory.h"
#include "pass/function/detector.h"
#include "pass/function/function.h"
#include "pass/module/build.h"
#include "pass/module/runtime.h"
#include "pass/variables/arrays.h"
#include "pass/variables/field.h"
#include "pass/variables/objects.h"

static void prepare(struct cs_pass *pass) {
  cs_pass_forget_arithmetic(pass->module);
  cs_pass_note_arrays(pass->module);
}

static int collect(struct cs_pass *pass, struct cs_pass_found *found, LLVMValueRef call) {
  if (!cs_pass_is_field_call(call))
    return 0;
  if (cs_pass_ignored(&pass->ignore, call))
    cs_ir_push(found->ignored, found->ignored_count, call);
  else
    cs_ir_push(found->calls, found->call_count, call);
  return 1;
}

static void fail_field(struct cs_pass_function *f, LLVMValueRef call, LLVMValueRef index) {
  struct cs_pass *pass = f->pass;
  cs_u32 number = cs_pass_sites_add(&pass->sites, call, (struct cs_site){.check = CS_CHECK_FIELD}, f->kernel, NULL);
  LLVMValueRef arguments[] = {
      index,
      cs_pass_constant(pass->i64, cs_pass_field_elements(LLVMGetOperand(call, 0))),
      cs_pass_constant(pass->i32, number),
  };
  cs_pass_runtime_call(pass, CS_PASS_RUNTIME_FAIL_FIELD, arguments);
}

/* The array is a whole variable: an access outside of that, even if LLVM has removed the access itself. */
static void fail_array(struct cs_pass_function *f, LLVMValueRef call, LLVMValueRef index,
                       const struct cs_pass_array *a) {
  struct cs_pass *pass = f->pass;
  LLVMValueRef start = cs_pass_start_of(pass, (enum cs_memory)a->memory, a->name);
  struct cs_site site = {
      .check = CS_CHECK_FIELD, .access = (cs_u32)a->access, .size = (cs_u32)a->size, .memory = (cs_u32)a->memory};
  LLVMValueRef arguments[] = {
      LLVMBuildAdd(pass->builder, LLVMBuildMul(pass->builder, index, cs_pass_constant(pass->i64, a->stride), ""),
                   cs_pass_constant(pass->i64, a->inside), ""),
      start ? LLVMBuildPtrToInt(pass->builder, start, pass->i64, "") : cs_pass_constant(pass->i64, 0),
      cs_pass_constant(pass->i64, a->bytes),
      cs_pass_constant(pass->i32, cs_pass_sites_add(&pass->sites, call, site, f->kernel, a->name)),
  };
  cs_pass_runtime_call(pass, CS_PASS_RUNTIME_FAIL_ARRAY, arguments);
}

static void write(struct cs_pass_function *f, struct cs_pass_found *found) {
  struct cs_pass *pass = f->pass;
  for (size_t i = 0; i < found->call_count; i++) {
    LLVMValueRef call = found->calls[i];
    struct cs_pass_array array;
    cs_pass_build_before(pass, call, call);
    LLVMValueRef index = LLVMBuildZExtOrBitCast(pass->builder, LLVMGetOperand(call, 1), pass->i64, "");
    if (cs_pass_array_of(LLVMGetOperand(call, 0), &array))
      fail_array(f, call, index, &array);
    else
      fail_field(f, call, index);
    LLVMInstructionEraseFromParent(call);
  }
  for (size_t i = 0; i < found->ignored_count; i++)
    LLVMInstructionEraseFromParent(found->ignored[i]);
}

const struct cs_pass_detector cs_pass_detect_field = {
    .name = "field",
    .prepare = prepare,
    .collect = collect,
    .only_reports = 1,
    .write = write,
};
