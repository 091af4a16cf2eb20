/* variables.c: kernels load the addresses of __device__ and __constant__ variables from a table.
 *
 * The SPIR-V module of a kernel defines no variables but shared ones. The module of variables stores the addresses of
 * all others in a table (CS_KERNEL_GLOBALS), which the launch block points to. */
#include "retarget/lower/variables.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "ir/names.h"
#include "retarget/bridge/bridge.h"
#include "retarget/lower/launch.h"
#include "retarget/lower/steps.h"
#include "retarget/read/globals.h"
#include "retarget/unit/instructions.h"
#include "retarget/unit/refuse.h"
#include <stddef.h>
#include <stdlib.h>

/* A variable, and its address in each function that has loaded it. */
struct variable {
  struct cs_rt_unit *unit;
  LLVMValueRef global;
  unsigned index; /* in the table; -1u until it is needed */
  struct loaded {
    LLVMValueRef function, address;
  } *loaded;
  unsigned count;
};

/* A variable without a name gets the next slot of the table, and CS_KERNEL_GLOBALS stores its address there. */
static unsigned index_of(struct variable *v) {
  struct cs_rt_unit *unit = v->unit;
  for (unsigned i = 0; i < unit->variable_count && v->index == -1u; i++)
    if (unit->variables[i].global == v->global)
      v->index = i;
  if (v->index == -1u) {
    v->index = unit->address_count++;
    cs_rt_report_address(unit, v->global, v->index);
  }
  return v->index;
}

/* CS_KERNEL_GLOBALS gets the table itself. */
static LLVMValueRef table_of(struct cs_rt_unit *unit, LLVMBuilderRef builder, LLVMValueRef function) {
  if (function == unit->globals_kernel)
    return LLVMGetParam(function, 0);
  LLVMValueRef table =
      cs_rt_load_u64(unit, builder, cs_rt_launch_block(unit, function), offsetof(struct cs_launch, globals));
  return LLVMBuildIntToPtr(builder, table, LLVMPointerTypeInContext(unit->context, 1), "");
}

LLVMValueRef cs_rt_load_from_table(struct cs_rt_unit *unit, LLVMBuilderRef builder, LLVMValueRef function,
                                   unsigned slot) {
  return cs_rt_load_u64(unit, builder, table_of(unit, builder, function), sizeof(cs_u64) * (size_t)slot);
}

static LLVMValueRef address_in(struct variable *v, LLVMValueRef function) {
  for (unsigned i = 0; i < v->count; i++)
    if (v->loaded[i].function == function)
      return v->loaded[i].address;
  struct cs_rt_unit *unit = v->unit;
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  cs_rt_position_at_start(builder, function);
  LLVMValueRef address = cs_rt_load_from_table(unit, builder, function, index_of(v));
  address = LLVMBuildIntToPtr(builder, address, LLVMTypeOf(v->global), "");
  LLVMDisposeBuilder(builder);
  cs_ir_push(v->loaded, v->count, (struct loaded){function, address});
  return address;
}

/* The next use in a kernel or a helper, or of another image's variable; NULL if there is none. */
static LLVMValueRef next_user(struct cs_rt_unit *unit, LLVMValueRef global) {
  for (LLVMUseRef use = LLVMGetFirstUse(global); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsAInstruction(user) &&
        (LLVMIsDeclaration(global) || LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) != unit->globals_kernel))
      return user;
  }
  return NULL;
}

static void load_address(struct cs_rt_unit *unit, LLVMValueRef global) {
  struct variable v = {.unit = unit, .global = global, .index = -1u};
  cs_rt_bridge_expand_constants(global);
  for (LLVMValueRef user; (user = next_user(unit, global));) {
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(user));
    if (function != unit->globals_kernel && !cs_rt_launch_block(unit, function)) {
      cs_rt_refuse(unit, user, "a variable in a function of the support library that does not have the launch block");
      break;
    }
    LLVMValueRef address = address_in(&v, function);
    /* a cast to the variable's own type can only be one of a constant */
    if (LLVMIsAAddrSpaceCastInst(user) && LLVMTypeOf(user) == LLVMTypeOf(global)) {
      LLVMReplaceAllUsesWith(user, address);
      LLVMInstructionEraseFromParent(user);
      continue;
    }
    cs_rt_replace_operand(user, global, address);
  }
  free(v.loaded);
}

int cs_rt_load_variable_addresses(struct cs_rt_unit *unit) {
  unit->address_count = unit->variable_count;
  for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module), next; g; g = next) {
    next = LLVMGetNextGlobal(g);
    if (cs_ir_space_of(g) != CS_IR_SPACE_SHARED && (unit->part || !LLVMIsDeclaration(g)) &&
        !cs_ir_starts_with(cs_ir_name(g), "llvm."))
      load_address(unit, g);
  }
  return 0;
}
