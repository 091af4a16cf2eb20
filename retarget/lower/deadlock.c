/* deadlock.c: a block none of whose threads can continue: all that have not returned wait for an mbarrier, at a
 * barrier with a count, or at __syncthreads() while others wait there. barriers.c finds that; here is where. */
#include "retarget/lower/deadlock.h"
#include "cusafe/abi.h"
#include "cusafe/ir.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "ir/names.h"
#include "retarget/lower/grid.h"
#include "retarget/lower/sync.h"
#include "retarget/support/places.h"
#include "retarget/unit/instructions.h"
#include "retarget/unit/library.h"
#include <stdlib.h>
#include <string.h>

static const char mark_name[] = CS_IR_SUPPORT_PREFIX "waits_at";

static LLVMTypeRef u32(struct cs_rt_unit *unit) {
  return LLVMInt32TypeInContext(unit->context);
}

/* The place of an instruction with a site, or CS_RT_PLACE_OTHER. */
static unsigned place_of(struct cs_rt_unit *unit, LLVMValueRef instruction) {
  long long number = cs_rt_number_of(unit, instruction, CS_IR_WAIT);
  return number < 0 || number > CS_RT_PLACE_SITE_MAX ? CS_RT_PLACE_OTHER
                                                     : (unsigned)number << CS_RT_PLACE_SITE_SHIFT | CS_RT_PLACE_FIRST;
}

void cs_rt_mark_wait(struct cs_rt_unit *unit, LLVMBuilderRef builder, LLVMValueRef instruction) {
  unsigned place = place_of(unit, instruction);
  if (place == CS_RT_PLACE_OTHER)
    return;
  LLVMTypeRef param = u32(unit), type = LLVMFunctionType(LLVMVoidTypeInContext(unit->context), &param, 1, 0);
  LLVMValueRef mark = cs_rt_engine_function(unit, mark_name, type, 1), where = LLVMConstInt(param, place, 0);
  LLVMBuildCall2(builder, type, mark, &where, 1, "");
}

struct cs_rt_deadlock cs_rt_deadlock_begin(struct cs_rt_unit *unit, LLVMBuilderRef builder) {
  struct cs_rt_deadlock deadlock = {unit, builder, LLVMBuildAlloca(builder, u32(unit), "")};
  LLVMBuildStore(builder, LLVMConstInt(u32(unit), CS_RT_PLACE_OTHER, 0), deadlock.where);
  return deadlock;
}

void cs_rt_lower_marks(struct cs_rt_unit *unit, LLVMValueRef function, const struct cs_rt_deadlock *deadlock) {
  LLVMValueRef *marks;
  unsigned count = cs_rt_calls_of(unit, function, mark_name, &marks);
  for (unsigned i = 0; i < count; i++) {
    if (deadlock && deadlock->where) {
      LLVMPositionBuilderBefore(deadlock->builder, marks[i]);
      LLVMBuildStore(deadlock->builder, LLVMGetOperand(marks[i], 0), deadlock->where);
    }
    LLVMInstructionEraseFromParent(marks[i]);
  }
  free(marks);
}

void cs_rt_deadlock_waits(struct cs_rt_deadlock *deadlock, LLVMValueRef barrier) {
  unsigned place = deadlock->where ? place_of(deadlock->unit, barrier) : CS_RT_PLACE_OTHER;
  if (place != CS_RT_PLACE_OTHER)
    LLVMBuildStore(deadlock->builder, LLVMConstInt(u32(deadlock->unit), place, 0), deadlock->where);
}

static LLVMValueRef symbol(struct cs_rt_unit *unit, const char *name) {
  LLVMValueRef global = LLVMGetNamedGlobal(unit->module, name);
  return global ? global : LLVMConstNull(LLVMPointerTypeInContext(unit->context, 0));
}

void cs_rt_deadlock_ends(struct cs_rt_deadlock *deadlock, LLVMValueRef ended,
                         void (*barrier)(void *with, LLVMBuilderRef builder), void *with) {
  struct cs_rt_unit *unit = deadlock->unit;
  LLVMTypeRef none = LLVMVoidTypeInContext(unit->context);
  LLVMValueRef where = LLVMBuildLoad2(deadlock->builder, u32(unit), deadlock->where, "");
  where = LLVMBuildSelect(deadlock->builder, ended, LLVMConstInt(u32(unit), CS_RT_PLACE_ENDED, 0), where, "");
  LLVMValueRef args[] = {cs_rt_sync_places(unit), where};
  cs_rt_call_library(unit, deadlock->builder, "deadlock_place", args, 2, none);
  barrier(with, deadlock->builder);
  LLVMValueRef known[] = {args[0], symbol(unit, CS_SYM_STATE), symbol(unit, CS_SYM_COUNTS)};
  cs_rt_call_library(unit, deadlock->builder, "deadlock_ends", known, 3, none);
}
