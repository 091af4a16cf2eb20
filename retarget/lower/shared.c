/* shared.c: shared variables in the forms that the engine handles.
 *
 * The engine gives each block its copy of a shared variable, but not at every use of one that phis and selects choose
 * between: at the other uses, all blocks would share one copy. Such a variable gets a single use in each function, its
 * anchor, from which all other uses derive. */
#include "ir/memory.h"
#include "ir/module.h"
#include "retarget/bridge/bridge.h"
#include "retarget/lower/launch.h"
#include "retarget/lower/steps.h"
#include "retarget/unit/instructions.h"
#include "retarget/unit/library.h"
#include <stddef.h>
#include <stdlib.h>

/* --- extern __shared__ --- */

/* All extern __shared__ arrays are the dynamic shared memory of the launch. */
static void use_dynamic(struct cs_rt_unit *unit, LLVMValueRef global) {
  LLVMTypeRef type = LLVMFunctionType(LLVMPointerTypeInContext(unit->context, CS_IR_SPACE_GENERIC), NULL, 0, 0);
  LLVMValueRef function = cs_rt_engine_function(unit, "__cr_dynamic", type, 0);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  cs_rt_bridge_expand_constants(global);
  for (LLVMUseRef use; (use = LLVMGetFirstUse(global));) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!LLVMIsAInstruction(user))
      break;
    if (LLVMIsAPHINode(user)) /* the address may come from several blocks */
      cs_rt_position_at_start(builder, LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)));
    else
      LLVMPositionBuilderBefore(builder, user);
    LLVMValueRef base = LLVMBuildCall2(builder, type, function, NULL, 0, "");
    base = LLVMBuildAddrSpaceCast(builder, base, LLVMTypeOf(global), "");
    cs_rt_replace_operand(user, global, base);
  }
  LLVMDisposeBuilder(builder);
}

int cs_rt_lower_dynamic_shared(struct cs_rt_unit *unit) {
  for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module); g; g = LLVMGetNextGlobal(g))
    if (cs_ir_space_of(g) == CS_IR_SPACE_SHARED && LLVMIsDeclaration(g))
      use_dynamic(unit, g);
  return 0;
}

/* --- Variables with a definition --- */

static int is_derived(LLVMValueRef user) {
  return LLVMIsAConstantExpr(user) || LLVMIsAGetElementPtrInst(user) || LLVMIsAAddrSpaceCastInst(user);
}

static int is_chosen(LLVMValueRef address) { // NOLINT(misc-no-recursion): expressions
  for (LLVMUseRef use = LLVMGetFirstUse(address); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsAPHINode(user) || LLVMIsASelectInst(user) || (is_derived(user) && is_chosen(user)))
      return 1;
  }
  return 0;
}

/* The variable's address at the start of the function, plus a zero that the engine cannot fold. */
static LLVMValueRef anchor(struct cs_rt_unit *unit, LLVMValueRef global, LLVMValueRef function) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  cs_rt_position_at_start(builder, function);
  LLVMValueRef zero =
      cs_rt_load_u64(unit, builder, cs_rt_launch_block(unit, function), offsetof(struct cs_launch, zero));
  LLVMValueRef address = LLVMBuildInBoundsGEP2(builder, LLVMInt8TypeInContext(unit->context), global, &zero, 1, "");
  LLVMDisposeBuilder(builder);
  return address;
}

/* Collects the users before it builds the anchor, which uses the variable as well. */
static void use_anchors(struct cs_rt_unit *unit, LLVMValueRef global) {
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f; f = LLVMGetNextFunction(f)) {
    if (LLVMIsDeclaration(f) || !cs_rt_used_in(global, f) || !cs_rt_launch_block(unit, f))
      continue;
    LLVMValueRef *users = NULL, address;
    unsigned count = 0;
    for (LLVMUseRef use = LLVMGetFirstUse(global); use; use = LLVMGetNextUse(use)) {
      LLVMValueRef user = LLVMGetUser(use);
      if (!LLVMIsAInstruction(user) || LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) != f)
        continue;
      cs_ir_push(users, count, user);
    }
    address = anchor(unit, global, f);
    for (unsigned i = 0; i < count; i++)
      cs_rt_replace_operand(users[i], global, address);
    free(users);
  }
}

/* Dynamic shared memory, a parameter of the kernel, is cast to an integer and back: the engine's compiler does not
 * terminate on a choice between it and a variable. */
static void hide_dynamic(struct cs_rt_unit *unit, LLVMValueRef kernel) {
  LLVMValueRef dynamic = LLVMGetParam(kernel, 1);
  LLVMTypeRef i64 = LLVMInt64TypeInContext(unit->context), type = LLVMTypeOf(dynamic);
  if (!is_chosen(dynamic))
    return;
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  cs_rt_position_at_start(builder, kernel);
  LLVMValueRef zero = cs_rt_load_u64(unit, builder, LLVMGetParam(kernel, 0), offsetof(struct cs_launch, zero));
  LLVMValueRef number = LLVMBuildPtrToInt(builder, dynamic, i64, "");
  LLVMValueRef hidden = LLVMBuildIntToPtr(builder, LLVMBuildAdd(builder, number, zero, ""), type, "");
  LLVMReplaceAllUsesWith(dynamic, hidden);
  LLVMSetOperand(number, 0, dynamic);
  LLVMDisposeBuilder(builder);
}

int cs_rt_anchor_shared(struct cs_rt_unit *unit) {
  for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module); g; g = LLVMGetNextGlobal(g)) {
    if (cs_ir_space_of(g) != CS_IR_SPACE_SHARED || LLVMIsDeclaration(g) || !is_chosen(g))
      continue;
    cs_rt_bridge_expand_constants(g);
    use_anchors(unit, g);
  }
  for (unsigned i = 0; i < unit->kernel_count; i++)
    hide_dynamic(unit, unit->kernels[i].function);
  return 0;
}
