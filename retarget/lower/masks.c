/* masks.c: the checks of the masks of warp operations, with --detect=sync.
 *
 * A mask is wrong if it lacks the lane itself, or names one that never comes. Where all threads of a block provably
 * reach all operations together, and their masks are full, there is nothing to check; else support/masks.c does. */
#include "retarget/support/masks.h"
#include "cusafe/abi.h"
#include "cusafe/ir.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/names.h"
#include "retarget/bridge/bridge.h"
#include "retarget/lower/grid.h"
#include "retarget/lower/marks.h"
#include "retarget/lower/steps.h"
#include "retarget/unit/instructions.h"
#include "retarget/unit/library.h"
#include <stdlib.h>

static LLVMTypeRef u32(struct cs_rt_unit *unit) {
  return LLVMInt32TypeInContext(unit->context);
}
static LLVMTypeRef none(struct cs_rt_unit *unit) {
  return LLVMVoidTypeInContext(unit->context);
}

struct masks {
  struct cs_rt_unit *unit;
  LLVMBuilderRef builder;
  LLVMValueRef function;
  LLVMValueRef *marks, *afters;
  unsigned count, after_count;
  LLVMValueRef shared; /* struct cs_rt_masks */
};

static int is_full(LLVMValueRef mask) {
  return LLVMIsAConstantInt(mask) && (cs_u32)LLVMConstIntGetZExtValue(mask) == ~0u;
}

static void erase(LLVMValueRef *calls, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    LLVMInstructionEraseFromParent(calls[i]);
}

/* Whether all masks are full, and all lanes execute all operations together. If one is not so, a lane may be at any of
 * the others instead. */
static int is_proven(const struct masks *m) {
  for (unsigned i = 0; i < m->count; i++)
    if (!is_full(LLVMGetOperand(m->marks[i], 0)))
      return 0;
  return !cs_rt_bridge_divergent(m->function, m->marks, m->count);
}

static unsigned site_of(struct cs_rt_unit *unit, LLVMValueRef barrier) {
  long long number = cs_rt_number_of(unit, barrier, CS_IR_BARRIER);
  return number < 0 ? CS_RT_MASK_NOWHERE : (unsigned)number;
}

static void check_barriers(struct masks *m) {
  for (LLVMValueRef i = cs_ir_first(m->function), next; i; i = next) {
    next = cs_ir_next(i);
    if (!cs_rt_callee(i) || !cs_ir_starts_with(cs_rt_callee(i), "llvm.nvvm.barrier.cta."))
      continue;
    LLVMValueRef args[] = {m->shared, LLVMConstInt(u32(m->unit), site_of(m->unit, i), 0)};
    LLVMPositionBuilderBefore(m->builder, i);
    cs_rt_call_library(m->unit, m->builder, "masks_wait", args, 2, none(m->unit));
    LLVMPositionBuilderBefore(m->builder, LLVMGetNextInstruction(i));
    cs_rt_call_library(m->unit, m->builder, "masks_pass", args, 1, none(m->unit));
  }
}

static void begin(struct masks *m) {
  LLVMValueRef args[] = {m->shared, LLVMGetNamedGlobal(m->unit->module, CS_SYM_STATE),
                         LLVMGetNamedGlobal(m->unit->module, CS_SYM_COUNTS)};
  cs_rt_position_at_start(m->builder, m->function);
  cs_rt_call_library(m->unit, m->builder, "masks_begin", args, 3, none(m->unit));
}

static void check_in_step(struct masks *m) {
  for (unsigned i = 0; i < m->count; i++) {
    LLVMValueRef mask = LLVMGetOperand(m->marks[i], 0), args[] = {m->shared, mask, LLVMGetOperand(m->marks[i], 1)};
    LLVMPositionBuilderBefore(m->builder, m->marks[i]);
    cs_rt_call_library(m->unit, m->builder, LLVMIsAConstantInt(mask) ? "masks_come" : "masks_vary", args, 3,
                       none(m->unit));
  }
  erase(m->marks, m->count);
}

/* Lanes that meet in memory. */
static void check_apart(struct masks *m) {
  LLVMValueRef lanes = LLVMGetNamedGlobal(m->unit->module, "__cr_lanes");
  for (unsigned i = 0; i < m->count; i++) {
    LLVMValueRef args[] = {lanes, m->shared, LLVMGetOperand(m->marks[i], 0), LLVMGetOperand(m->marks[i], 1)};
    LLVMPositionBuilderBefore(m->builder, m->marks[i]);
    cs_rt_call_library(m->unit, m->builder, "lane_comes", args, 4, none(m->unit));
  }
  for (unsigned i = 0; i < m->after_count; i++) {
    LLVMValueRef args[] = {lanes, m->shared};
    LLVMPositionBuilderBefore(m->builder, m->afters[i]);
    cs_rt_call_library(m->unit, m->builder, "lane_has_met", args, 2, none(m->unit));
  }
  erase(m->marks, m->count);
}

/* Returns 1 if it calls the support library. */
static int check_kernel(struct masks *m, const struct cs_rt_kernel *kernel) {
  if (is_proven(m)) {
    erase(m->marks, m->count);
    return 0;
  }
  m->shared = cs_rt_library_shared(m->unit, CS_IR_SUPPORT_PREFIX "masks", (sizeof(struct cs_rt_masks) + 7) / 8);
  if (kernel->meets)
    check_apart(m);
  else
    check_in_step(m);
  check_barriers(m);
  begin(m);
  return 1;
}

int cs_rt_lower_masks(struct cs_rt_unit *unit) {
  int is_used = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f; f = LLVMGetNextFunction(f)) {
    const struct cs_rt_kernel *kernel = cs_rt_kernel_of(unit, f);
    struct masks m = {.unit = unit, .function = f};
    m.count = cs_rt_calls_of(unit, f, CS_RT_MASKED, &m.marks);
    m.after_count = cs_rt_calls_of(unit, f, CS_RT_MASKED_AFTER, &m.afters);
    m.builder = LLVMCreateBuilderInContext(unit->context);
    if (m.count && cs_rt_marks_are_checked(unit, f))
      is_used |= check_kernel(&m, kernel);
    else
      erase(m.marks, m.count);
    erase(m.afters, m.after_count);
    LLVMDisposeBuilder(m.builder);
    free(m.marks);
    free(m.afters);
  }
  return is_used ? cs_rt_link_library(unit) : 0; /* its functions call intrinsics, too */
}
