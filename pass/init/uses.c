/* uses.c: the uses that are reported: conditions of branches, addresses, divisors of integers, and what is printed. */
#include "cusafe/ir.h"
#include "ir/instructions.h"
#include "ir/module.h"
#include "ir/names.h"
#include "pass/init/init.h"
#include "pass/module/build.h"
#include "pass/module/runtime.h"
#include <string.h>

/* ---- branches ---- */

static unsigned mark_kind(const struct cs_pass *pass) {
  return LLVMGetMDKindIDInContext(pass->context, CS_IR_BRANCH, strlen(CS_IR_BRANCH));
}

static int is_branch(LLVMValueRef i) {
  return LLVMIsASwitchInst(i) || (LLVMIsABranchInst(i) && LLVMIsConditional(i));
}

void cs_pass_init_mark_uses(struct cs_pass *pass, LLVMValueRef function) {
  LLVMValueRef mark = LLVMMetadataAsValue(pass->context, LLVMMDNodeInContext2(pass->context, NULL, 0));
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i))
    if (is_branch(i))
      LLVMSetMetadata(i, mark_kind(pass), mark);
}

/* ---- checks ---- */

static cs_u32 site_of(struct cs_pass_init *init, LLVMValueRef i, const char *use) {
  struct cs_site site = {.access = CS_ACCESS_COUNT, .check = CS_CHECK_INIT, .align = 1};
  return cs_pass_sites_add(&init->pass->sites, i, site, init->kernel, use);
}

/* Before the instruction. */
static void check(struct cs_pass_init *init, LLVMValueRef i, LLVMValueRef shadow, const char *use) {
  struct cs_pass *pass = init->pass;
  cs_pass_build_before(pass, i, i);
  LLVMValueRef flag = LLVMBuildZExt(pass->builder, cs_pass_init_any(pass, shadow), pass->i64, "");
  LLVMValueRef arguments[] = {flag, cs_pass_init_origin(init), cs_pass_constant(pass->i32, site_of(init, i, use))};
  cs_pass_device_call(pass, "__cs_init_use", "vlpi", arguments);
}

static void check_value(struct cs_pass_init *init, LLVMValueRef i, LLVMValueRef value, const char *use) {
  if (cs_pass_init_is_dirty(init, value))
    check(init, i, cs_pass_init_shadow(init, value), use);
}

/* The arguments of printf are in a local variable. */
static void check_printed(struct cs_pass_init *init, LLVMValueRef call) {
  struct cs_pass *pass = init->pass;
  LLVMValueRef buffer = LLVMGetOperand(call, 1), local = cs_pass_init_local(init, buffer);
  if (!local || !cs_pass_init_is_dirty(init, local))
    return;
  cs_pass_build_before(pass, call, call);
  cs_u64 bytes = LLVMABISizeOfType(pass->layout, LLVMGetAllocatedType(local));
  LLVMValueRef arguments[] = {cs_pass_init_twin(init, local), cs_pass_constant(pass->i64, bytes)};
  check(init, call, cs_pass_device_call(pass, "__cs_init_any", "lpl", arguments), "a value that is printed");
}

static int calls(LLVMValueRef i, const char *prefix) {
  LLVMValueRef callee = cs_ir_callee(i);
  return callee && cs_ir_starts_with(cs_ir_name(callee), prefix);
}

static void check_call(struct cs_pass_init *init, LLVMValueRef call) {
  static const char address[] = "an address", length[] = "the length of a copy or fill";
  if (cs_pass_init_is_check(call))
    check_value(init, call, LLVMGetOperand(call, 0), address);
  else if (calls(call, "vprintf"))
    check_printed(init, call);
  else if (calls(call, "llvm.mem")) {
    check_value(init, call, LLVMGetOperand(call, 0), address);
    if (!calls(call, "llvm.memset"))
      check_value(init, call, LLVMGetOperand(call, 1), address);
    check_value(init, call, LLVMGetOperand(call, 2), length);
  } else if (!LLVMIsAInlineAsm(LLVMGetCalledValue(call)))
    check_value(init, call, LLVMGetCalledValue(call), "the function that is called");
  else if (cs_pass_init_divisor(call))
    check_value(init, call, cs_pass_init_divisor(call), "a divisor");
}

void cs_pass_init_check_uses(struct cs_pass_init *init, LLVMValueRef i) {
  static const char address[] = "an address";
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMBr:
  case LLVMSwitch:
    if (LLVMGetMetadata(i, mark_kind(init->pass)))
      check_value(init, i, LLVMIsABranchInst(i) ? LLVMGetCondition(i) : LLVMGetOperand(i, 0), "a branch");
    break;
  case LLVMLoad:
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
    check_value(init, i, LLVMGetOperand(i, 0), address);
    break;
  case LLVMStore:
    check_value(init, i, LLVMGetOperand(i, 1), address);
    break;
  case LLVMUDiv:
  case LLVMSDiv:
  case LLVMURem:
  case LLVMSRem:
    check_value(init, i, LLVMGetOperand(i, 1), "a divisor");
    break;
  case LLVMCall:
    check_call(init, i);
    break;
  default:
    break;
  }
}
