/* spins.c: finds kernels that the engine must run thread by thread (emit.c), unless they have warp operations, which
 * need the lock step.
 *
 * The engine runs neighbouring threads in lock step: a thread that spins on a lock held by its neighbour would spin
 * forever. And in recursive functions the engine confuses the stack variables of neighbouring threads. */
#include "retarget/engine_quirks/spins.h"
#include "cusafe/ir.h"
#include "ir/instructions.h"
#include "ir/names.h"
#include "retarget/bridge/bridge.h"
#include "retarget/engine_quirks/recursion.h"
#include "retarget/engine_quirks/steps.h"
#include "retarget/unit/instructions.h"

static int recurses(LLVMValueRef function) {
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i))
    if (cs_rt_is_recursive_call(i))
      return 1;
  return 0;
}

/* Lanes of a vector that access one word would not see each other's accesses. */
static int checks_races(LLVMValueRef function) {
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i)) {
    const char *callee = cs_rt_callee(i);
    if (callee && cs_ir_starts_with(callee, CS_IR_RACE))
      return 1;
  }
  return 0;
}

int cs_rt_spins(LLVMValueRef function) {
  return cs_rt_bridge_spins(function) || recurses(function);
}

int cs_rt_find_spins(struct cs_rt_unit *unit) {
  for (unsigned i = 0; i < unit->kernel_count; i++) {
    struct cs_rt_kernel *kernel = &unit->kernels[i];
    kernel->waits = cs_rt_bridge_spins(kernel->function);
    kernel->spins = kernel->waits || kernel->meets || recurses(kernel->function) || checks_races(kernel->function);
  }
  return 0;
}
