/* warps.c: warp operations of kernels whose threads wait for each other.
 *
 * Such a kernel is a state machine (barriers.c), and the lanes of a warp need not be in the same state: one may still
 * wait for an mbarrier when another reaches a shuffle. Nor does the engine vectorise every such machine, and without
 * vectors a shuffle returned the lane's own value. So their warp operations go through memory (support/meet.h), and
 * these kernels run thread by thread. All others use the engine's sub-groups.
 *
 * Whether a kernel waits is known after inlining. In modules where one might, the warp operations stay calls until
 * then. */
#include "retarget/lower/warps.h"
#include "ir/instructions.h"
#include "ir/names.h"
#include "retarget/bridge/bridge.h"
#include "retarget/lower/grid.h"
#include "retarget/lower/steps.h"
#include "retarget/unit/instructions.h"
#include "retarget/unit/library.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* A loop that polls may be found after inlining only. */
static void find_wait(LLVMValueRef instruction, void *with) {
  const char *name = cs_rt_callee(instruction);
  if (cs_rt_bridge_may_poll(instruction) ||
      (name && (strcmp(name, "__cr_yield") == 0 || cs_ir_starts_with(name, "llvm.nvvm.read.ptx.sreg.envreg"))))
    *(int *)with = 1;
}

int cs_rt_keep_warps(struct cs_rt_unit *unit) {
  cs_rt_each_instruction(unit->module, find_wait, &unit->keeps_warps);
  return 0;
}

/* The form of a warp operation that goes through memory; NULL if the function is no warp operation. */
static LLVMValueRef through_memory(struct cs_rt_unit *unit, const char *name) {
  char other[64];
  if (!name || !cs_ir_starts_with(name, "__cr_"))
    return NULL;
  snprintf(other, sizeof other, "apart_%s", name + strlen("__cr_"));
  return cs_rt_library_function(unit, other);
}

int cs_rt_has_warp_operations(struct cs_rt_unit *unit, LLVMValueRef function) {
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i))
    if (through_memory(unit, cs_rt_callee(i)))
      return 1;
  return 0;
}

static void meet_in_memory(struct cs_rt_unit *unit, struct cs_rt_kernel *kernel) {
  for (LLVMValueRef i = cs_ir_first(kernel->function); i; i = cs_ir_next(i)) {
    LLVMValueRef other = through_memory(unit, cs_rt_callee(i));
    if (!other)
      continue;
    LLVMSetOperand(i, (unsigned)LLVMGetNumOperands(i) - 1, other); /* the callee */
    kernel->meets = 1;
  }
}

int cs_rt_choose_warps(struct cs_rt_unit *unit) {
  const char *option = getenv("CUSAFE_CPU_LOCK_STEP");
  unit->trusts_lock_step = option && strcmp(option, "2") == 0;
  if (!unit->keeps_warps)
    return 0;
  for (unsigned i = 0; i < unit->kernel_count; i++)
    if (!unit->trusts_lock_step && cs_rt_waits_for_threads(unit, unit->kernels[i].function))
      meet_in_memory(unit, &unit->kernels[i]);
  unit->keeps_warps = 0;
  int failed = cs_rt_link_library(unit) || cs_rt_strip_attributes(unit) || cs_rt_keep_reachable(unit) ||
               cs_rt_inline(unit) || cs_rt_simplify(unit);
  return failed ? -1 : 0;
}
