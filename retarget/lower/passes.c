/* passes.c: the steps that are LLVM's own passes, or one transformation of the bridge on the whole module. */
#include "cusafe/ir.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "ir/names.h"
#include "report/print.h"
#include "retarget/bridge/bridge.h"
#include "retarget/lower/steps.h"
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <stdlib.h>

/* Passes in LLVM's textual form. */
static int run_passes(struct cs_rt_unit *unit, const char *passes) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(unit->module, passes, unit->nvptx, options);
  LLVMDisposePassBuilderOptions(options);
  if (!error)
    return 0;
  char *message = LLVMGetErrorMessage(error);
  cs_report_print(stderr, "cusafe-retarget: %s\n", message);
  LLVMDisposeErrorMessage(message);
  return -1;
}

/* Alone, the runtime's cold functions stay apart: nothing else would have copies of their steps. */
static void name_steps(struct cs_rt_unit *unit) {
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f; f = LLVMGetNextFunction(f)) {
    char name[128];
    int length = snprintf(name, sizeof name, CS_IR_RUNTIME_PREFIX "%s", cs_ir_name(f));
    if (!LLVMIsDeclaration(f) && !cs_ir_starts_with(cs_ir_name(f), CS_IR_RUNTIME_PREFIX))
      LLVMSetValueName2(f, name, (size_t)length);
  }
}

int cs_rt_unmark_cold(struct cs_rt_unit *unit) {
  if (unit->makes_failing)
    name_steps(unit);
  cs_rt_bridge_unmark_cold(unit->module);
  return 0;
}

int cs_rt_retype_variables(struct cs_rt_unit *unit) {
  cs_rt_bridge_retype_wide_variables(unit->module);
  return 0;
}

int cs_rt_keep_reachable(struct cs_rt_unit *unit) {
  LLVMValueRef *keep = NULL;
  unsigned count = 0;
  for (unsigned i = 0; i < unit->kernel_count; i++)
    cs_ir_push(keep, count, unit->kernels[i].function);
  if (unit->globals_kernel)
    cs_ir_push(keep, count, unit->globals_kernel);
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); unit->makes_failing && f; f = LLVMGetNextFunction(f))
    if (cs_ir_starts_with(cs_ir_name(f), CS_IR_FAIL))
      cs_ir_push(keep, count, f);
  cs_rt_bridge_internalize(unit->module, keep, count);
  free(keep);
  return 0;
}

int cs_rt_strip_attributes(struct cs_rt_unit *unit) {
  cs_rt_bridge_strip_attributes(unit->module);
  return 0;
}

/* Makes every kernel one function, except for recursion and the cold paths of the checks. */
int cs_rt_inline(struct cs_rt_unit *unit) {
  cs_rt_bridge_mark_inlining(unit->module, unit->keeps_warps);
  cs_rt_bridge_return_in_memory(unit->module);
  return run_passes(unit, "always-inline,globaldce");
}

/* A global address as a number is its generic address as a number. LLVM 22's instcombine makes invalid code of integers
 * that are converted from global pointers, meet in a phi, and become generic pointers. */
static void number_generic_pointers(struct cs_rt_unit *unit, LLVMValueRef function) {
  LLVMTypeRef generic = LLVMPointerTypeInContext(unit->context, CS_IR_SPACE_GENERIC);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i)) {
    LLVMValueRef pointer = LLVMIsAPtrToIntInst(i) ? LLVMGetOperand(i, 0) : NULL;
    if (!pointer || LLVMGetTypeKind(LLVMTypeOf(pointer)) != LLVMPointerTypeKind ||
        cs_ir_space_of(pointer) != CS_IR_SPACE_GLOBAL)
      continue;
    LLVMPositionBuilderBefore(builder, i);
    LLVMSetOperand(i, 0, LLVMBuildAddrSpaceCast(builder, pointer, generic, ""));
  }
  LLVMDisposeBuilder(builder);
}

/* The scalar that a vector of one element was converted from, or NULL. */
static LLVMValueRef scalar_of(LLVMValueRef vector) {
  LLVMTypeRef type = LLVMTypeOf(vector);
  if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || LLVMGetVectorSize(type) != 1 || !LLVMIsABitCastInst(vector))
    return NULL;
  LLVMValueRef scalar = LLVMGetOperand(vector, 0);
  return LLVMGetTypeKind(LLVMTypeOf(scalar)) == LLVMVectorTypeKind ? NULL : scalar;
}

/* The scalarizer leaves conversions of a scalar to a vector of one element, which SPIR-V does not have, and the
 * element's extraction. */
static void remove_single_elements(struct cs_rt_unit *unit, LLVMValueRef function) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  for (LLVMValueRef i = cs_ir_first(function), next; i; i = next) {
    next = cs_ir_next(i);
    LLVMValueRef scalar = LLVMIsAExtractElementInst(i) ? scalar_of(LLVMGetOperand(i, 0)) : NULL;
    if (!scalar)
      continue;
    LLVMPositionBuilderBefore(builder, i);
    LLVMReplaceAllUsesWith(i, LLVMBuildBitCast(builder, scalar, LLVMTypeOf(i), ""));
    LLVMInstructionEraseFromParent(i);
  }
  LLVMDisposeBuilder(builder);
}

int cs_rt_simplify(struct cs_rt_unit *unit) {
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f; f = LLVMGetNextFunction(f))
    number_generic_pointers(unit, f);
  int failed = run_passes(unit, "verify,function(scalarize-masked-mem-intrin,sroa,early-cse,instcombine<no-verify-"
                                "fixpoint>,simplifycfg,early-cse,scalarizer<load-store>,"
                                "instcombine<no-verify-fixpoint>,simplifycfg,adce)");
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f && !failed; f = LLVMGetNextFunction(f))
    remove_single_elements(unit, f);
  return failed ? failed : run_passes(unit, "function(adce),globaldce");
}

/* Only passes that introduce no intrinsics. */
int cs_rt_clean_up(struct cs_rt_unit *unit) {
  return run_passes(unit, "verify,function(sroa,early-cse,simplifycfg,adce),globaldce");
}

int cs_rt_split_aggregates(struct cs_rt_unit *unit) {
  cs_rt_bridge_split_aggregates(unit->module);
  return 0;
}

/* Divisions become loops over operations that can be split. */
int cs_rt_split_integers(struct cs_rt_unit *unit) {
  if (!cs_rt_bridge_has_wide_integers(unit->module))
    return 0;
  if (run_passes(unit, "require<libcall-lowering-info>,function(expand-ir-insts<O2>)"))
    return -1;
  cs_rt_bridge_split_wide_integers(unit->module);
  return 0;
}

int cs_rt_legalize(struct cs_rt_unit *unit) {
  cs_rt_bridge_split_aggregates(unit->module);    /* those of the support library */
  cs_rt_bridge_split_wide_integers(unit->module); /* those that clean_up has formed */
  cs_rt_bridge_widen_integers(unit->module);
  cs_rt_bridge_remove_undef(unit->module);
  cs_rt_bridge_global_atomics(unit->module);
  return 0;
}
