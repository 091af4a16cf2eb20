/* check.c: refuses what remains after all steps and the back end or the engine would get wrong, and measures
 * kernels. */
#include "cusafe/ir.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "ir/names.h"
#include "retarget/lower/steps.h"
#include "retarget/unit/instructions.h"
#include "retarget/unit/library.h"
#include "retarget/unit/refuse.h"
#include <stdio.h>
#include <stdlib.h>

/* --- Types --- */

static int is_machine_width(unsigned bits) {
  return bits == 1 || bits == 8 || bits == 16 || bits == 32 || bits == 64;
}

static int is_legal(LLVMTypeRef type) {
  switch (LLVMGetTypeKind(type)) {
  case LLVMIntegerTypeKind:
    return is_machine_width(LLVMGetIntTypeWidth(type));
  case LLVMArrayTypeKind:
    return is_legal(LLVMGetElementType(type));
  case LLVMVectorTypeKind: {
    unsigned n = LLVMGetVectorSize(type);
    return (n == 2 || n == 3 || n == 4 || n == 8 || n == 16) && is_legal(LLVMGetElementType(type));
  }
  case LLVMStructTypeKind:
    for (unsigned i = 0; i < LLVMCountStructElementTypes(type); i++)
      if (!is_legal(LLVMStructGetTypeAtIndex(type, i)))
        return 0;
    return 1;
  case LLVMBFloatTypeKind:
  case LLVMFP128TypeKind:
  case LLVMX86_FP80TypeKind:
  case LLVMScalableVectorTypeKind:
    return 0;
  default:
    return 1;
  }
}

static void check_one(LLVMValueRef instruction, void *with) {
  struct cs_rt_unit *unit = with;
  LLVMTypeRef type = LLVMTypeOf(instruction);
  for (int i = -1; i < LLVMGetNumOperands(instruction); i++) {
    LLVMValueRef operand = i < 0 ? NULL : LLVMGetOperand(instruction, (unsigned)i);
    if (operand && LLVMValueIsBasicBlock(operand))
      continue;
    LLVMTypeRef checked = operand ? LLVMTypeOf(operand) : type;
    if (is_legal(checked))
      continue;
    char *text = LLVMPrintTypeToString(checked), what[96];
    snprintf(what, sizeof what, "a value of type %.70s", text);
    LLVMDisposeMessage(text);
    cs_rt_refuse(unit, instruction, what);
    return;
  }
}

/* --- The functions that a kernel calls --- */

struct call_tree {
  LLVMValueRef *functions;
  unsigned count;
};

static int contains(const struct call_tree *r, LLVMValueRef function) {
  for (unsigned i = 0; i < r->count; i++)
    if (r->functions[i] == function)
      return 1;
  return 0;
}

static void add_callees(struct call_tree *r, LLVMValueRef function) {
  if (contains(r, function))
    return;
  cs_ir_push(r->functions, r->count, function);
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i))
    if (cs_rt_callee(i))
      add_callees(r, LLVMGetCalledValue(i));
}

/* The runtime's functions use only what the program's have given them, but test an address for the shared variables of
 * all kernels. */
static int used_by(const struct call_tree *r, LLVMValueRef value) {
  for (unsigned i = 0; i < r->count; i++)
    if (!cs_rt_is_of_runtime(cs_ir_name(r->functions[i])) && cs_rt_used_in(value, r->functions[i]))
      return 1;
  return 0;
}

/* Without the variables of the support library and of the runtime: the engine has more shared memory than a program can
 * use. */
static cs_u32 shared_bytes(struct cs_rt_unit *unit, const struct call_tree *r) {
  unsigned long long bytes = 0;
  for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module); g; g = LLVMGetNextGlobal(g)) {
    if (cs_ir_space_of(g) != CS_IR_SPACE_SHARED || LLVMIsDeclaration(g) || !used_by(r, g) ||
        cs_rt_is_of_runtime(cs_ir_name(g)))
      continue;
    unsigned align = LLVMGetAlignment(g) ? LLVMGetAlignment(g) : 16;
    bytes = (bytes + align - 1) / align * align + LLVMABISizeOfType(unit->layout, LLVMGlobalGetValueType(g));
  }
  return (cs_u32)bytes;
}

static cs_u32 stack_bytes(struct cs_rt_unit *unit, const struct call_tree *r) {
  unsigned long long bytes = 0;
  for (unsigned k = 0; k < r->count; k++)
    for (LLVMValueRef i = cs_ir_first(r->functions[k]); i; i = cs_ir_next(i))
      if (LLVMIsAAllocaInst(i))
        bytes += LLVMABISizeOfType(unit->layout, LLVMGetAllocatedType(i));
  return (cs_u32)bytes;
}

/* The engine runs functions that were not inlined lane by lane: a warp operation there has no other lanes. */
static void refuse_warps_in_helpers(struct cs_rt_unit *unit, LLVMValueRef kernel, const struct call_tree *r) {
  for (unsigned k = 0; k < r->count; k++) {
    LLVMValueRef f = r->functions[k];
    if (f == kernel)
      continue;
    for (LLVMValueRef i = cs_ir_first(f); i; i = cs_ir_next(i))
      if (cs_rt_callee(i) && cs_rt_is_warp_call(LLVMGetCalledValue(i)))
        cs_rt_refuse(unit, i, "warp operation in a recursive function");
  }
}

static LLVMValueRef first_warp_call(LLVMValueRef function) {
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i))
    if (cs_rt_callee(i) && cs_rt_is_warp_call(LLVMGetCalledValue(i)))
      return i;
  return NULL;
}

static void refuse_undefined_variables(struct cs_rt_unit *unit) {
  for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module); g; g = LLVMGetNextGlobal(g))
    if (LLVMIsDeclaration(g) && LLVMGetFirstUse(g) && cs_ir_space_of(g) != CS_IR_SPACE_SHARED)
      cs_rt_refuse(unit, NULL, cs_ir_name(g));
}

int cs_rt_check(struct cs_rt_unit *unit) {
  refuse_undefined_variables(unit);
  cs_rt_each_instruction(unit->module, check_one, unit);
  for (unsigned k = 0; k < unit->kernel_count; k++) {
    struct cs_rt_kernel *kernel = &unit->kernels[k];
    struct call_tree r = {NULL, 0};
    add_callees(&r, kernel->function);
    if (!kernel->framed) {
      kernel->static_shared = shared_bytes(unit, &r);
      kernel->local_bytes = stack_bytes(unit, &r);
    }
    kernel->uses_warp = kernel->in_step && !kernel->framed && !kernel->yields;
    for (unsigned i = 0; i < r.count; i++) {
      kernel->uses_warp |= cs_rt_is_warp_call(r.functions[i]);
      kernel->fails |= unit->shares_failing && cs_ir_starts_with(cs_ir_name(r.functions[i]), CS_IR_FAIL);
    }
    if (kernel->uses_warp && kernel->shaped)
      cs_rt_refuse(unit, NULL, "warp operation that appears after the shape of blocks was chosen");
    refuse_warps_in_helpers(unit, kernel->function, &r);
    /* warps.c has replaced all that it knows: the engine need not run the lanes of such a kernel together */
    if (kernel->uses_warp && (kernel->framed || kernel->yields) && !unit->trusts_lock_step)
      cs_rt_refuse(unit, first_warp_call(kernel->function), "warp operation in a kernel whose threads wait");
    free(r.functions);
  }
  return 0;
}

int cs_rt_end_if_refused(struct cs_rt_unit *unit) {
  return unit->refusals ? -1 : 0;
}
