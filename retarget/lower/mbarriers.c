/* mbarriers.c: the checks of operations on mbarriers, with --detect=sync (support/mbarriers.c). */
#include "retarget/support/mbarriers.h"
#include "cusafe/abi.h"
#include "cusafe/ir.h"
#include "ir/instructions.h"
#include "ir/names.h"
#include "retarget/bridge/bridge.h"
#include "retarget/lower/grid.h"
#include "retarget/lower/marks.h"
#include "retarget/lower/steps.h"
#include "retarget/unit/instructions.h"
#include "retarget/unit/library.h"
#include <stdlib.h>

struct marks {
  LLVMValueRef *calls;
  unsigned count;
};

static void call(struct cs_rt_unit *unit, LLVMBuilderRef builder, const char *function, LLVMValueRef *args,
                 unsigned count) {
  cs_rt_call_library(unit, builder, function, args, count, LLVMVoidTypeInContext(unit->context));
}

/* Each mark becomes a call with the block's list before its own arguments. */
static void replace(struct cs_rt_unit *unit, LLVMBuilderRef builder, const struct marks *marks, const char *function,
                    LLVMValueRef shared) {
  for (unsigned i = 0; i < marks->count; i++) {
    LLVMValueRef mark = marks->calls[i], args[4] = {shared};
    unsigned count = LLVMGetNumArgOperands(mark);
    for (unsigned a = 0; a < count; a++)
      args[1 + a] = LLVMGetOperand(mark, a);
    LLVMPositionBuilderBefore(builder, mark);
    call(unit, builder, function, args, 1 + count);
  }
}

static void erase(struct marks *marks) {
  for (unsigned i = 0; i < marks->count; i++)
    LLVMInstructionEraseFromParent(marks->calls[i]);
  free(marks->calls);
}

/* Where a thread may learn of what others have done. Waits for mbarriers have marks; barriers with a count are volatile
 * accesses (support/named.c). */
static int may_learn(LLVMValueRef i) {
  const char *callee = cs_rt_callee(i);
  return LLVMIsAAtomicRMWInst(i) || LLVMIsAAtomicCmpXchgInst(i) || cs_rt_bridge_may_poll(i) ||
         (callee && cs_ir_starts_with(callee, "llvm.nvvm.barrier.cta."));
}

static void learn(struct cs_rt_unit *unit, LLVMBuilderRef builder, LLVMValueRef function, LLVMValueRef shared) {
  for (LLVMValueRef i = cs_ir_first(function), next; i; i = next) {
    next = cs_ir_next(i);
    if (!may_learn(i))
      continue;
    LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(i));
    call(unit, builder, "mbarriers_learn", &shared, 1);
  }
}

static void check_kernel(struct cs_rt_unit *unit, LLVMValueRef function, const struct marks *before,
                         const struct marks *after) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  LLVMValueRef shared =
      cs_rt_library_shared(unit, CS_IR_SUPPORT_PREFIX "mbarriers", (sizeof(struct cs_rt_mbarriers) + 7) / 8);
  LLVMValueRef begin[] = {shared, LLVMGetNamedGlobal(unit->module, CS_SYM_STATE),
                          LLVMGetNamedGlobal(unit->module, CS_SYM_COUNTS)};
  learn(unit, builder, function, shared);
  replace(unit, builder, before, "mbarriers_before", shared);
  replace(unit, builder, after, "mbarriers_after", shared);
  cs_rt_position_at_start(builder, function);
  call(unit, builder, "mbarriers_begin", begin, 3);
  LLVMDisposeBuilder(builder);
}

/* In a recursive function, which is not inlined, a kernel does not see them. */
static int has_hidden(struct cs_rt_unit *unit) {
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f; f = LLVMGetNextFunction(f)) {
    LLVMValueRef *calls;
    unsigned count = cs_rt_kernel_of(unit, f) ? 0 : cs_rt_calls_of(unit, f, CS_RT_MBARRIER, &calls);
    if (count) {
      free(calls);
      return 1;
    }
  }
  return 0;
}

int cs_rt_lower_mbarriers(struct cs_rt_unit *unit) {
  int is_used = 0, hidden = has_hidden(unit);
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f; f = LLVMGetNextFunction(f)) {
    struct marks before, after;
    before.count = cs_rt_calls_of(unit, f, CS_RT_MBARRIER, &before.calls);
    after.count = cs_rt_calls_of(unit, f, CS_RT_MBARRIER_AFTER, &after.calls);
    if (before.count && !hidden && cs_rt_marks_are_checked(unit, f)) {
      check_kernel(unit, f, &before, &after);
      is_used = 1;
    }
    erase(&before);
    erase(&after);
  }
  return is_used ? cs_rt_link_library(unit) : 0; /* its functions call intrinsics, too */
}
