/* polls.c: threads that wait in a loop of their own for a value which another thread of the block stores.
 *
 * The threads of a block run one after the other, so the first would wait forever. A loop that does nothing but load
 * the value again gets the mark of a wait: the thread yields (barriers.c), and the others run.
 *
 * The loops are found twice: before inlining, when the code of a detector is still a call, and afterwards, when a
 * function that loads the value is no call any more. Where both the value is not in shared memory and the kernel has
 * warp operations, the loop stays as it is: it waits for other blocks, as the tiles of a scan do, and a kernel of that
 * size is better compiled as vectors. Yielding does not help there: blocks start in their order, and a block that waits
 * for a later one waits forever. */
#include "cusafe/ir.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "ir/names.h"
#include "retarget/bridge/bridge.h"
#include "retarget/lower/grid.h"
#include "retarget/lower/steps.h"
#include "retarget/lower/warps.h"
#include "retarget/unit/instructions.h"
#include "retarget/unit/library.h"
#include <stdlib.h>
#include <string.h>

static const char mark_name[] = CS_IR_SUPPORT_PREFIX "polls";

static LLVMValueRef mark_of(struct cs_rt_unit *unit) {
  LLVMTypeRef address = LLVMPointerTypeInContext(unit->context, CS_IR_SPACE_GENERIC);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(unit->context), &address, 1, 0);
  return cs_rt_engine_function(unit, mark_name, type, 1);
}

int cs_rt_mark_polls(struct cs_rt_unit *unit) {
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f))
      cs_rt_bridge_mark_polls(f, mark_of(unit));
  return 0;
}

/* Whether the address is in shared memory, as far as the kernel shows. */
static int is_shared(LLVMValueRef address, int depth) {
  if (LLVMGetTypeKind(LLVMTypeOf(address)) == LLVMPointerTypeKind && cs_ir_space_of(address) == CS_IR_SPACE_SHARED)
    return 1;
  if (cs_rt_callee(address) && strcmp(cs_rt_callee(address), CS_IR_SUPPORT_PREFIX "dynamic") == 0)
    return 1;
  int is_call = LLVMIsACallInst(address) != NULL, is_load = LLVMIsALoadInst(address) != NULL;
  if (depth == 0 || is_call || is_load || !(LLVMIsAInstruction(address) || LLVMIsAConstantExpr(address)))
    return 0;
  for (int i = 0; i < LLVMGetNumOperands(address); i++)
    if (!LLVMValueIsBasicBlock(LLVMGetOperand(address, (unsigned)i)) &&
        is_shared(LLVMGetOperand(address, (unsigned)i), depth - 1))
      return 1;
  return 0;
}

static void choose(struct cs_rt_unit *unit, LLVMValueRef function, int yields) {
  LLVMValueRef *calls;
  unsigned count = cs_rt_calls_of(unit, function, mark_name, &calls);
  for (unsigned i = 0; i < count; i++) {
    LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
    LLVMPositionBuilderBefore(builder, calls[i]);
    if (yields || (cs_rt_is_kernel(unit, function) && is_shared(LLVMGetOperand(calls[i], 0), 16)))
      cs_rt_add_yield(unit, builder);
    LLVMInstructionEraseFromParent(calls[i]);
    LLVMDisposeBuilder(builder);
  }
  free(calls);
}

int cs_rt_choose_polls(struct cs_rt_unit *unit) {
  cs_rt_mark_polls(unit);
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f; f = LLVMGetNextFunction(f))
    choose(unit, f, cs_rt_is_kernel(unit, f) && !cs_rt_has_warp_operations(unit, f));
  return 0;
}
