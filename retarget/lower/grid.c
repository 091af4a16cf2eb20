/* grid.c: kernels that synchronise their grid. They read the address of the grid's workspace (%envreg1 and 2), as cooperative
 * groups do; the barrier itself is code of CUDA's headers: atomics, and a loop that waits for the other blocks.
 *
 * Everything that such a kernel needs in its next phase is in the memory of struct cs_grid: its stack variables in the thread's
 * frame, and the block's shared variables. */
#include "retarget/lower/grid.h"
#include "retarget/bridge/bridge.h"
#include "retarget/unit/instructions.h"
#include "retarget/unit/library.h"
#include "retarget/unit/memory.h"
#include "retarget/unit/refuse.h"
#include <stdlib.h>

static const char *const yield_name =
    "__cr_yield"; /* a mark that barriers.c removes; the support library has it, too */

static int reads_workspace(LLVMValueRef function) {
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
      if (cs_rt_callee(i) && cs_rt_starts_with(cs_rt_callee(i), "llvm.nvvm.read.ptx.sreg.envreg"))
        return 1;
  return 0;
}

/* --- Waiting --- */

unsigned cs_rt_add_yields(struct cs_rt_unit *unit, struct cs_rt_kernel *kernel, LLVMValueRef **calls) {
  unsigned count = 0;
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(unit->context), NULL, 0, 0);
  LLVMValueRef mark = LLVMGetNamedFunction(unit->module, yield_name);
  *calls = NULL;
  kernel->phases = reads_workspace(kernel->function);
  if (kernel->phases) {
    mark = cs_rt_engine_function(unit, yield_name, type, 1);
    cs_rt_bridge_add_yields(kernel->function, mark);
  }
  if (!mark)
    return 0;
  for (LLVMUseRef use = LLVMGetFirstUse(mark); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef call = LLVMGetUser(use);
    if (LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)) != kernel->function)
      continue;
    *calls = cs_rt_grow(*calls, count, sizeof **calls);
    (*calls)[count++] = call;
  }
  return count;
}

/* --- Memory --- */

struct area {
  struct cs_rt_unit *unit;
  LLVMBuilderRef builder; /* before the first instruction */
  LLVMValueRef base;
  cs_u64 used, align;
};

static struct area open_area(struct cs_rt_unit *unit, LLVMValueRef function, const char *base) {
  struct area a = {unit, LLVMCreateBuilderInContext(unit->context), NULL, 0, CS_GRID_SHARED_ALIGN};
  LLVMPositionBuilderBefore(a.builder, LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function)));
  a.base = cs_rt_call_library(unit, a.builder, base, NULL, 0, LLVMPointerTypeInContext(unit->context, 0));
  return a;
}

static LLVMValueRef slot(struct area *a, LLVMTypeRef type, cs_u64 count, cs_u64 align) {
  cs_u64 natural = LLVMABIAlignmentOfType(a->unit->layout, type);
  align = align > natural ? align : natural;
  a->align = align > a->align ? align : a->align;
  a->used = (a->used + align - 1) / align * align;
  LLVMValueRef offset = LLVMConstInt(LLVMInt64TypeInContext(a->unit->context), a->used, 0);
  a->used += count * LLVMABISizeOfType(a->unit->layout, type);
  return LLVMBuildInBoundsGEP2(a->builder, LLVMInt8TypeInContext(a->unit->context), a->base, &offset, 1, "");
}

/* The size is a multiple of the largest alignment: the driver aligns the area by the lowest set bit of its size. */
static cs_u32 close_area(struct area *a) {
  LLVMDisposeBuilder(a->builder);
  return (cs_u32)((a->used + a->align - 1) / a->align * a->align);
}

static void replace_in(LLVMValueRef function, LLVMValueRef global, LLVMValueRef by) {
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i))
      cs_rt_replace_operand(i, global, by);
}

static cs_u32 move_shared(struct cs_rt_unit *unit, LLVMValueRef function) {
  struct area a = open_area(unit, function, "grid_shared");
  for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module); g; g = LLVMGetNextGlobal(g)) {
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) != CS_RT_SHARED_SPACE || LLVMIsDeclaration(g))
      continue;
    cs_rt_bridge_expand_constants(g);
    if (!cs_rt_used_in(g, function))
      continue;
    LLVMValueRef at = slot(&a, LLVMGlobalGetValueType(g), 1, LLVMGetAlignment(g));
    replace_in(function, g, LLVMBuildAddrSpaceCast(a.builder, at, LLVMTypeOf(g), ""));
  }
  return close_area(&a);
}

void cs_rt_move_to_frame(struct cs_rt_unit *unit, struct cs_rt_kernel *kernel, LLVMValueRef but) {
  LLVMValueRef function = kernel->function;
  struct area a = open_area(unit, function, "grid_frame");
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b))
    for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
      next = LLVMGetNextInstruction(i);
      if (!LLVMIsAAllocaInst(i) || i == but)
        continue;
      LLVMValueRef count = LLVMGetOperand(i, 0);
      if (b != LLVMGetEntryBasicBlock(function) || !LLVMIsAConstantInt(count)) {
        cs_rt_refuse(unit, i, "a stack variable of run-time size in a kernel that synchronises its grid");
        continue;
      }
      LLVMReplaceAllUsesWith(i,
                             slot(&a, LLVMGetAllocatedType(i), LLVMConstIntGetZExtValue(count), LLVMGetAlignment(i)));
      LLVMInstructionEraseFromParent(i);
    }
  kernel->framed = 1;
  kernel->local_bytes = close_area(&a);
  kernel->static_shared = move_shared(unit, function);
}
