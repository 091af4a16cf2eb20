/* joins.c: where divergent threads reconverge, makes the engine see that their values differ.
 *
 * The engine runs neighbouring threads as the lanes of vectors, and computes a value once if it is the same for all of
 * them. It misjudges phis after an if with an else, when one side has several branches and each incoming value is the
 * same for all threads: threads of one side then get the value of the other. (Plain OpenCL C, with two ifs in one side,
 * shows it.) So one of the values becomes a select on a thread-private value. The engine's optimiser also creates such
 * phis when both sides end in the same kind of store: cpu/cuda/engine/engine.c disables that. */
#include "retarget/bridge/bridge.h"
#include "retarget/engine_quirks/steps.h"

int cs_rt_separate_joins(struct cs_rt_unit *unit) {
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f))
      cs_rt_bridge_separate_joins(f);
  return 0;
}
