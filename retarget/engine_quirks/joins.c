/* joins.c: where threads meet that have come different ways, makes the engine see that their values differ.
 *
 * The engine runs neighbouring threads as the lanes of vectors, and keeps what is the same for all of them once. It errs about what
 * comes out of an if with an else, when a side has several branches of its own and the values are each the same for all threads:
 * threads of one side then get the value of the other. (Plain OpenCL C, with two ifs in one side, shows it.) So one of the values
 * becomes a choice that hangs on something of the thread's own. The engine makes such places itself, too, when both sides
 * end in the same kind of store: cpu/cuda/engine/engine.c tells it not to. */
#include "retarget/retarget.h"

int cs_rt_part_joins(struct cs_rt_unit *unit) {
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f))
      cs_rt_bridge_part_joins(f);
  return 0;
}
