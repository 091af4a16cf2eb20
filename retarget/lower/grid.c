/* grid.c: kernels that synchronise their grid. They read the address of the grid's workspace (%envreg1 and 2), as
 * cooperative groups do; the barrier itself is code of CUDA's headers: atomics, and a loop that waits for the other
 * blocks.
 *
 * Everything that such a kernel needs in its next phase is in the memory of struct cs_grid: its stack variables in the
 * thread's frame, and the block's shared variables. */
#include "retarget/lower/grid.h"
#include "cusafe/ir.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "ir/names.h"
#include "retarget/bridge/bridge.h"
#include "retarget/unit/instructions.h"
#include "retarget/unit/library.h"
#include "retarget/unit/refuse.h"
#include <stdlib.h>

static const char *const yield_name =
    "__cr_yield"; /* a mark that barriers.c removes; the support library has it, too */

int cs_rt_reads_workspace(LLVMValueRef function) {
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i))
    if (cs_rt_callee(i) && cs_ir_starts_with(cs_rt_callee(i), "llvm.nvvm.read.ptx.sreg.envreg"))
      return 1;
  return 0;
}

/* --- Waiting --- */

unsigned cs_rt_calls_of(struct cs_rt_unit *unit, LLVMValueRef function, const char *mark, LLVMValueRef **calls) {
  unsigned count = 0;
  LLVMValueRef callee = LLVMGetNamedFunction(unit->module, mark);
  *calls = NULL;
  for (LLVMUseRef use = callee ? LLVMGetFirstUse(callee) : NULL; use; use = LLVMGetNextUse(use)) {
    LLVMValueRef call = LLVMGetUser(use);
    if (LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)) != function)
      continue;
    cs_ir_push(*calls, count, call);
  }
  return count;
}

int cs_rt_waits_for_threads(struct cs_rt_unit *unit, LLVMValueRef function) {
  LLVMValueRef *calls;
  unsigned count = cs_rt_calls_of(unit, function, yield_name, &calls);
  free(calls);
  return count || (cs_rt_reads_workspace(function) && cs_rt_bridge_waits(function));
}

static LLVMValueRef yield_of(struct cs_rt_unit *unit) {
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(unit->context), NULL, 0, 0);
  return cs_rt_engine_function(unit, yield_name, type, 1);
}

void cs_rt_add_yield(struct cs_rt_unit *unit, LLVMBuilderRef builder) {
  LLVMValueRef yield = yield_of(unit);
  LLVMBuildCall2(builder, LLVMGlobalGetValueType(yield), yield, NULL, 0, "");
}

unsigned cs_rt_add_yields(struct cs_rt_unit *unit, struct cs_rt_kernel *kernel, LLVMValueRef **calls) {
  kernel->phases = cs_rt_reads_workspace(kernel->function);
  if (kernel->phases)
    cs_rt_bridge_add_yields(kernel->function, yield_of(unit));
  return cs_rt_calls_of(unit, kernel->function, yield_name, calls);
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
  LLVMPositionBuilderBefore(a.builder, cs_ir_first(function));
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
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i))
    cs_rt_replace_operand(i, global, by);
}

/* A variable of the support library: the program's shared memory has no room for it. */
static LLVMValueRef slot_before(struct area *a, LLVMTypeRef type, cs_u64 *used) {
  *used += (LLVMABISizeOfType(a->unit->layout, type) + CS_GRID_SHARED_ALIGN - 1) / CS_GRID_SHARED_ALIGN *
           CS_GRID_SHARED_ALIGN;
  LLVMValueRef offset = LLVMConstInt(LLVMInt64TypeInContext(a->unit->context), 0 - *used, 1);
  return LLVMBuildInBoundsGEP2(a->builder, LLVMInt8TypeInContext(a->unit->context), a->base, &offset, 1, "");
}

static cs_u32 move_shared(struct cs_rt_unit *unit, LLVMValueRef function) {
  struct area a = open_area(unit, function, "grid_shared");
  cs_u64 before = 0;
  for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module); g; g = LLVMGetNextGlobal(g)) {
    if (cs_ir_space_of(g) != CS_IR_SPACE_SHARED || LLVMIsDeclaration(g))
      continue;
    cs_rt_bridge_expand_constants(g);
    if (!cs_rt_used_in(g, function))
      continue;
    LLVMTypeRef type = LLVMGlobalGetValueType(g);
    LLVMValueRef at = cs_ir_starts_with(cs_ir_name(g), CS_IR_SUPPORT_PREFIX) ? slot_before(&a, type, &before)
                                                                             : slot(&a, type, 1, LLVMGetAlignment(g));
    replace_in(function, g, LLVMBuildAddrSpaceCast(a.builder, at, LLVMTypeOf(g), ""));
  }
  if (before > CS_GRID_WARP_BYTES)
    cs_rt_refuse(unit, NULL, "more warp operations than fit in the memory of a kernel that synchronises its grid");
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
