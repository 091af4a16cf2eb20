/* lock_step.c: finds kernels that count on the lock step of a warp without asking for it.
 *
 * Before __syncwarp there was only `volatile`: threads of a warp exchanged values through shared memory and relied on each
 * instruction being done by all of them before the next. CUDA has not promised that since Volta, but GPUs still do it for code
 * without branches, and many programs have it. Sub-groups of 32 lanes, which the engine runs for kernels with warp
 * operations, do it as well. */
#include "retarget/retarget.h"
#include <stdlib.h>
#include <string.h>

enum { GENERIC = 0, DEPTH = 12 };
enum place { UNKNOWN, ELSEWHERE, IN_SHARED };

static enum place place_of(LLVMValueRef value, unsigned depth);

static enum place better(enum place a, enum place b) {
  return a > b ? a : b;
}

/* Of a loaded pointer. Parameters are loaded from the launch's block, which is in global memory. */
static enum place place_of_load(LLVMValueRef load) {
  return LLVMGetPointerAddressSpace(LLVMTypeOf(LLVMGetOperand(load, 0))) == GENERIC ? UNKNOWN : ELSEWHERE;
}

/* Of a pointer, or of the number of one. What a failing check returns is unknown, and the other way to its phi decides. */
static enum place place_of_number(LLVMValueRef value, unsigned depth) { // NOLINT(misc-no-recursion): as deep as `depth`
  if (LLVMIsAAllocaInst(value))
    return ELSEWHERE;
  if (LLVMIsALoadInst(value))
    return place_of_load(value);
  if (LLVMIsASelectInst(value))
    return better(place_of(LLVMGetOperand(value, 1), depth), place_of(LLVMGetOperand(value, 2), depth));
  if (LLVMIsAPHINode(value)) {
    enum place best = UNKNOWN;
    for (unsigned i = 0; i < LLVMCountIncoming(value); i++)
      best = better(best, place_of(LLVMGetIncomingValue(value, i), depth));
    return best;
  }
  int follows = LLVMIsAGetElementPtrInst(value) || LLVMIsACastInst(value) || LLVMIsABinaryOperator(value) ||
                (LLVMIsAConstantExpr(value) && LLVMGetNumOperands(value) > 0);
  return follows ? place_of(LLVMGetOperand(value, 0), depth) : UNKNOWN;
}

static enum place place_of(LLVMValueRef value, unsigned depth) { // NOLINT(misc-no-recursion): as deep as `depth`
  LLVMTypeRef type = LLVMTypeOf(value);
  unsigned space = LLVMGetTypeKind(type) == LLVMPointerTypeKind ? LLVMGetPointerAddressSpace(type) : GENERIC;
  if (space != GENERIC)
    return space == CS_RT_SHARED_SPACE ? IN_SHARED : ELSEWHERE;
  return depth > 0 ? place_of_number(value, depth - 1) : UNKNOWN;
}

static enum place place_of_volatile(LLVMValueRef i) {
  if (LLVMIsALoadInst(i) && LLVMGetVolatile(i))
    return place_of(LLVMGetOperand(i, 0), DEPTH);
  return LLVMIsAStoreInst(i) && LLVMGetVolatile(i) ? place_of(LLVMGetOperand(i, 1), DEPTH) : ELSEWHERE;
}

static int has_volatile(LLVMValueRef function, enum place place) {
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
      if (place_of_volatile(i) == place)
        return 1;
  return 0;
}

static int uses_shared(const struct cs_rt_unit *unit, LLVMValueRef function) {
  for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module); g; g = LLVMGetNextGlobal(g))
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == CS_RT_SHARED_SPACE && cs_rt_used_in(g, function))
      return 1;
  return 0;
}

static int meets_in_shared(const struct cs_rt_unit *unit, LLVMValueRef function) {
  return has_volatile(function, IN_SHARED) || (has_volatile(function, UNKNOWN) && uses_shared(unit, function));
}

/* In a kernel whose threads wait for each other, volatile has another meaning. */
int cs_rt_find_lock_step(struct cs_rt_unit *unit) {
  const char *wanted = getenv("CUSAFE_CPU_LOCK_STEP");
  if (wanted && strcmp(wanted, "0") == 0) /* an engine that is told not to vectorise does not take such kernels */
    return 0;
  for (unsigned i = 0; i < unit->kernel_count; i++) {
    struct cs_rt_kernel *kernel = &unit->kernels[i];
    kernel->in_step = meets_in_shared(unit, kernel->function) && !cs_rt_spins(kernel->function);
  }
  return 0;
}
