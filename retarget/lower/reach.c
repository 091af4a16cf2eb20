/* reach.c: how kernels find variables. A kernel's SPIR-V module has none of its own but shared ones: it takes the addresses of
 * variables from the launch's table, where the module of variables has told them (image.h). */
#include "retarget/retarget.h"
#include <stddef.h>
#include <stdlib.h>

struct place {
  LLVMValueRef function, address;
};
struct reach {
  struct cs_rt_unit *unit;
  LLVMValueRef global;
  unsigned index; /* in the table; -1u until it is needed */
  struct place *places;
  unsigned count;
};

/* The index of a variable; one without a name gets the next, and the kernel that tells addresses tells its. */
static unsigned index_of(struct reach *r) {
  struct cs_rt_unit *unit = r->unit;
  for (unsigned i = 0; i < unit->variable_count && r->index == -1u; i++)
    if (unit->variables[i].global == r->global)
      r->index = i;
  if (r->index == -1u) {
    r->index = unit->address_count++;
    cs_rt_tell_address(unit, r->global, r->index);
  }
  return r->index;
}

/* Where all users see what is built. */
static void place_at_start(LLVMBuilderRef builder, LLVMValueRef function) {
  LLVMValueRef at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
  while (LLVMIsAAllocaInst(at))
    at = LLVMGetNextInstruction(at);
  LLVMPositionBuilderBefore(builder, at);
}

static LLVMValueRef address_in(struct reach *r, LLVMValueRef function) {
  for (unsigned i = 0; i < r->count; i++)
    if (r->places[i].function == function)
      return r->places[i].address;
  struct cs_rt_unit *unit = r->unit;
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  LLVMValueRef block = cs_rt_launch_block(unit, function);
  place_at_start(builder, function);
  LLVMValueRef table = cs_rt_load_word(unit, builder, block, offsetof(struct cs_launch, globals));
  table = LLVMBuildIntToPtr(builder, table, LLVMPointerTypeInContext(unit->context, 1), "");
  LLVMValueRef address = cs_rt_load_word(unit, builder, table, 8ull * index_of(r));
  address = LLVMBuildIntToPtr(builder, address, LLVMTypeOf(r->global), "");
  LLVMDisposeBuilder(builder);
  r->places = cs_rt_grow(r->places, r->count, sizeof *r->places);
  r->places[r->count++] = (struct place){function, address};
  return address;
}

/* A use in the code of a kernel or a helper; NULL when there is none left. */
static LLVMValueRef next_user(struct cs_rt_unit *unit, LLVMValueRef global) {
  for (LLVMUseRef use = LLVMGetFirstUse(global); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsAInstruction(user) && LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) != unit->globals_kernel)
      return user;
  }
  return NULL;
}

static void reach(struct cs_rt_unit *unit, LLVMValueRef global) {
  struct reach r = {.unit = unit, .global = global, .index = -1u};
  cs_rt_bridge_expand_constants(global);
  for (LLVMValueRef user; (user = next_user(unit, global));) {
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
    if (!cs_rt_launch_block(unit, function)) {
      cs_rt_refuse(unit, user, "a variable in a function of the library that does not know the launch");
      break;
    }
    LLVMValueRef address = address_in(&r, function);
    if (LLVMIsAAddrSpaceCastInst(user) && LLVMTypeOf(user) == LLVMTypeOf(global)) { /* only a constant may be cast so */
      LLVMReplaceAllUsesWith(user, address);
      LLVMInstructionEraseFromParent(user);
      continue;
    }
    cs_rt_replace_operand(user, global, address);
  }
  free(r.places);
}

int cs_rt_reach_variables(struct cs_rt_unit *unit) {
  unit->address_count = unit->variable_count;
  for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module), next; g; g = next) {
    size_t length;
    next = LLVMGetNextGlobal(g);
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) != CS_RT_SHARED_SPACE && !LLVMIsDeclaration(g) &&
        !cs_rt_starts_with(LLVMGetValueName2(g, &length), "llvm."))
      reach(unit, g);
  }
  return 0;
}

/* ---- shared variables ---- */

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

/* The variable's address at the function's start, by a sum that the engine cannot fold. */
static LLVMValueRef anchor(struct cs_rt_unit *unit, LLVMValueRef global, LLVMValueRef function) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  place_at_start(builder, function);
  LLVMValueRef zero =
      cs_rt_load_word(unit, builder, cs_rt_launch_block(unit, function), offsetof(struct cs_launch, zero));
  LLVMValueRef address = LLVMBuildInBoundsGEP2(builder, LLVMInt8TypeInContext(unit->context), global, &zero, 1, "");
  LLVMDisposeBuilder(builder);
  return address;
}

/* The users are listed first: each becomes one of the anchor, which itself uses the variable. */
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
      users = cs_rt_grow(users, count, sizeof *users);
      users[count++] = user;
    }
    address = anchor(unit, global, f);
    for (unsigned i = 0; i < count; i++)
      cs_rt_replace_operand(users[i], global, address);
    free(users);
  }
}

/* The launch's dynamic shared memory, which a kernel is passed, by way of an integer: the engine's compiler does not end on a choice
 * between it and a variable. */
static void hide_dynamic(struct cs_rt_unit *unit, LLVMValueRef kernel) {
  LLVMValueRef dynamic = LLVMGetParam(kernel, 1);
  LLVMTypeRef word = LLVMInt64TypeInContext(unit->context), type = LLVMTypeOf(dynamic);
  if (!is_chosen(dynamic))
    return;
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  place_at_start(builder, kernel);
  LLVMValueRef zero = cs_rt_load_word(unit, builder, LLVMGetParam(kernel, 0), offsetof(struct cs_launch, zero));
  LLVMValueRef number = LLVMBuildPtrToInt(builder, dynamic, word, "");
  LLVMValueRef hidden = LLVMBuildIntToPtr(builder, LLVMBuildAdd(builder, number, zero, ""), type, "");
  LLVMReplaceAllUsesWith(dynamic, hidden);
  LLVMSetOperand(number, 0, dynamic);
  LLVMDisposeBuilder(builder);
}

int cs_rt_anchor_shared(struct cs_rt_unit *unit) {
  for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module); g; g = LLVMGetNextGlobal(g)) {
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) != CS_RT_SHARED_SPACE || LLVMIsDeclaration(g) || !is_chosen(g))
      continue;
    cs_rt_bridge_expand_constants(g);
    use_anchors(unit, g);
  }
  for (unsigned i = 0; i < unit->kernel_count; i++)
    hide_dynamic(unit, unit->kernels[i].function);
  return 0;
}
