/* cold.c: keeps the functions that a failing check calls out of the engine's vectors.
 *
 * The engine runs neighbouring threads as the lanes of vectors. It also vectorises functions that a kernel calls, and
 * calls the vector form with the mask of the active lanes, even when no lane is active. For functions of the runtime
 * both cost too much:
 *
 * Run time. One kernel spent 40 times its own time in calls that no lane made. The engine branches around code that no
 * lane reaches when that code is unlikely, so the branch before each call gets an llvm.expect. A call that is not one
 * side of a branch becomes a loop of one iteration instead: the engine tests for active lanes before it enters a loop.
 * Such loops cost four times as much to compile. The function that packs the address of a variable is always called and
 * returns the same value in all lanes: with a loop around it, the engine would not vectorise the kernel, and warp
 * operations need vectors. It is inlined.
 *
 * Compile time. The vector form of the failing path is more code than most kernels. A function that contains a loop
 * with two entries is not vectorised: its vector form calls the scalar code lane by lane. Warp operations need vectors,
 * so this is done only to functions that call nothing of the engine's. */
#include "ir/instructions.h"
#include "ir/names.h"
#include "retarget/bridge/bridge.h"
#include "retarget/engine_quirks/steps.h"
#include "retarget/unit/instructions.h"
#include "retarget/unit/library.h"
#include <stdlib.h>

static int is_of_runtime(const struct cs_rt_unit *unit, LLVMValueRef function) {
  char *name = cs_rt_name_of(function);
  int is = cs_rt_is_of_runtime(name);
  free(name);
  return is && !LLVMIsDeclaration(function) && !cs_rt_is_kernel(unit, function) && function != unit->globals_kernel;
}

/* Whether the function calls only functions of the runtime, transitively. The runtime does not recurse. */
static int is_self_contained(const struct cs_rt_unit *unit, LLVMValueRef function) {
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i)) {
    if (!LLVMIsACallInst(i) || (cs_rt_callee(i) && cs_ir_starts_with(cs_rt_callee(i), "llvm.")))
      continue;
    LLVMValueRef callee = LLVMGetCalledValue(i);
    if (!LLVMIsAFunction(callee) || !is_of_runtime(unit, callee) || !is_self_contained(unit, callee))
      return 0;
  }
  return 1;
}

int cs_rt_skip_cold_calls(struct cs_rt_unit *unit) {
  for (unsigned i = 0; i < unit->kernel_count; i++)
    cs_rt_bridge_skip_cold_calls(unit->kernels[i].function);
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f; f = LLVMGetNextFunction(f))
    if (is_of_runtime(unit, f) && is_self_contained(unit, f))
      cs_rt_bridge_keep_scalar(f);
  return 0;
}
