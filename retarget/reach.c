/* reach.c: how kernels find variables. A kernel's SPIR-V module has none of its own but shared ones: it takes the addresses of
 * variables from the launch's table, where the module of variables has told them (image.h). */
#include "retarget/retarget.h"
#include <stddef.h>
#include <stdlib.h>

struct place {
  LLVMValueRef function, address;
};
struct reach {
  struct cs_unit *unit;
  LLVMValueRef global;
  unsigned index; /* in the table; -1u until it is needed */
  struct place *places;
  unsigned count;
};

/* The index of a variable; one without a name gets the next, and the kernel that tells addresses tells its. */
static unsigned index_of(struct reach *r) {
  struct cs_unit *unit = r->unit;
  for (unsigned i = 0; i < unit->variable_count && r->index == -1u; i++)
    if (unit->variables[i].global == r->global)
      r->index = i;
  if (r->index == -1u) {
    r->index = unit->address_count++;
    cs_tell_address(unit, r->global, r->index);
  }
  return r->index;
}

/* At the function's start, where all users see it. */
static LLVMValueRef address_in(struct reach *r, LLVMValueRef function) {
  for (unsigned i = 0; i < r->count; i++)
    if (r->places[i].function == function)
      return r->places[i].address;
  struct cs_unit *unit = r->unit;
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  LLVMValueRef block = cs_launch_block(unit, function), at = LLVMGetFirstInstruction(LLVMGetEntryBasicBlock(function));
  while (LLVMIsAAllocaInst(at))
    at = LLVMGetNextInstruction(at);
  LLVMPositionBuilderBefore(builder, at);
  LLVMValueRef table = cs_load_word(unit, builder, block, offsetof(struct cs_launch, globals));
  table = LLVMBuildIntToPtr(builder, table, LLVMPointerTypeInContext(unit->context, 1), "");
  LLVMValueRef address = cs_load_word(unit, builder, table, 8ull * index_of(r));
  address = LLVMBuildIntToPtr(builder, address, LLVMTypeOf(r->global), "");
  LLVMDisposeBuilder(builder);
  r->places = cs_grow(r->places, r->count, sizeof *r->places);
  r->places[r->count++] = (struct place){function, address};
  return address;
}

/* A use in the code of a kernel or a helper; NULL when there is none left. */
static LLVMValueRef next_user(struct cs_unit *unit, LLVMValueRef global) {
  for (LLVMUseRef use = LLVMGetFirstUse(global); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsAInstruction(user) && LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) != unit->globals_kernel)
      return user;
  }
  return NULL;
}

static void reach(struct cs_unit *unit, LLVMValueRef global) {
  struct reach r = {.unit = unit, .global = global, .index = -1u};
  cs_bridge_expand_constants(global);
  for (LLVMValueRef user; (user = next_user(unit, global));) {
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
    if (!cs_launch_block(unit, function)) {
      cs_refuse(unit, user, "a variable in a function of the library that does not know the launch");
      break;
    }
    LLVMValueRef address = address_in(&r, function);
    if (LLVMIsAAddrSpaceCastInst(user) && LLVMTypeOf(user) == LLVMTypeOf(global)) { /* only a constant may be cast so */
      LLVMReplaceAllUsesWith(user, address);
      LLVMInstructionEraseFromParent(user);
      continue;
    }
    cs_replace_operand(user, global, address);
  }
  free(r.places);
}

int cs_reach_variables(struct cs_unit *unit) {
  unit->address_count = unit->variable_count;
  for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module), next; g; g = next) {
    size_t length;
    next = LLVMGetNextGlobal(g);
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) != CS_SHARED_SPACE && !LLVMIsDeclaration(g) &&
        !cs_starts_with(LLVMGetValueName2(g, &length), "llvm."))
      reach(unit, g);
  }
  return 0;
}
