/* lock_step.c: kernels that need the lock step of a warp: finds those that rely on it without __syncwarp, and lets all
 * of them test that they have it.
 *
 * Before __syncwarp there was only `volatile`: threads of a warp exchanged values through shared memory and relied on
 * all of them executing each instruction before the next. Others have a fence between a store and the loads of the
 * other lanes, which keeps the compiler from reordering them. CUDA has not guaranteed lock step since Volta, but GPUs
 * still do it for code without branches, and many programs rely on it. The engine's sub-groups of 32 lanes, which
 * kernels with warp operations use, do it as well.
 *
 * The engine gives up vectors without a message for some loops, and a shuffle then returns the lane's own value. So a
 * kernel tests at its start what a shuffle returns, and its launch fails if there is no lock step. */
#include "ir/instructions.h"
#include "ir/module.h"
#include "ir/names.h"
#include "retarget/engine_quirks/spins.h"
#include "retarget/engine_quirks/steps.h"
#include "retarget/unit/instructions.h"
#include "retarget/unit/library.h"
#include <stdlib.h>
#include <string.h>

enum { MAX_DEPTH = 12 };
/* The memory that an address points to; a later one is more certain. */
enum memory { UNKNOWN, OTHER, SHARED };

static enum memory memory_of(LLVMValueRef value, unsigned depth);

static enum memory more_certain(enum memory a, enum memory b) {
  return a > b ? a : b;
}

/* For a loaded pointer. Parameters are loaded from the launch block, which is in global memory. */
static enum memory memory_of_load(LLVMValueRef load) {
  return cs_ir_space_of(LLVMGetOperand(load, 0)) == CS_IR_SPACE_GENERIC ? UNKNOWN : OTHER;
}

/* For a pointer, or an integer derived from one. The result of a failing check is unknown: its phi's other value
 * decides. */
static enum memory memory_of_integer(LLVMValueRef value,
                                     unsigned depth) { // NOLINT(misc-no-recursion): bounded
  if (LLVMIsAAllocaInst(value))
    return OTHER;
  if (LLVMIsALoadInst(value))
    return memory_of_load(value);
  if (LLVMIsASelectInst(value))
    return more_certain(memory_of(LLVMGetOperand(value, 1), depth), memory_of(LLVMGetOperand(value, 2), depth));
  if (LLVMIsAPHINode(value)) {
    enum memory best = UNKNOWN;
    for (unsigned i = 0; i < LLVMCountIncoming(value); i++)
      best = more_certain(best, memory_of(LLVMGetIncomingValue(value, i), depth));
    return best;
  }
  int follows = LLVMIsAGetElementPtrInst(value) || LLVMIsACastInst(value) || LLVMIsABinaryOperator(value) ||
                (LLVMIsAConstantExpr(value) && LLVMGetNumOperands(value) > 0);
  return follows ? memory_of(LLVMGetOperand(value, 0), depth) : UNKNOWN;
}

static enum memory memory_of(LLVMValueRef value, unsigned depth) { // NOLINT(misc-no-recursion): bounded
  LLVMTypeRef type = LLVMTypeOf(value);
  unsigned space =
      LLVMGetTypeKind(type) == LLVMPointerTypeKind ? LLVMGetPointerAddressSpace(type) : CS_IR_SPACE_GENERIC;
  if (space != CS_IR_SPACE_GENERIC)
    return space == CS_IR_SPACE_SHARED ? SHARED : OTHER;
  return depth > 0 ? memory_of_integer(value, depth - 1) : UNKNOWN;
}

static enum memory memory_of_volatile(LLVMValueRef i) {
  if (LLVMIsALoadInst(i) && LLVMGetVolatile(i))
    return memory_of(LLVMGetOperand(i, 0), MAX_DEPTH);
  return LLVMIsAStoreInst(i) && LLVMGetVolatile(i) ? memory_of(LLVMGetOperand(i, 1), MAX_DEPTH) : OTHER;
}

static int has_volatile(LLVMValueRef function, enum memory memory) {
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i))
    if (memory_of_volatile(i) == memory)
      return 1;
  return 0;
}

static int uses_shared(const struct cs_rt_unit *unit, LLVMValueRef function) {
  for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module); g; g = LLVMGetNextGlobal(g))
    if (cs_ir_space_of(g) == CS_IR_SPACE_SHARED && cs_rt_used_in(g, function))
      return 1;
  return 0;
}

static int exchanges_in_shared(const struct cs_rt_unit *unit, LLVMValueRef function) {
  return has_volatile(function, SHARED) || (has_volatile(function, UNKNOWN) && uses_shared(unit, function));
}

static int has_warp_call(LLVMValueRef function) {
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i))
    if (cs_rt_callee(i) && cs_rt_is_warp_call(LLVMGetCalledValue(i)))
      return 1;
  return 0;
}

static int calls_with_warp_call(LLVMValueRef function) {
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i))
    if (cs_rt_callee(i) && has_warp_call(LLVMGetCalledValue(i)))
      return 1;
  return 0;
}

/* --- Values that a fence separates --- */

/* What a walk over the instructions has met since the last barrier of the block. */
enum met { NOTHING, A_STORE, A_FENCE_AFTER_IT };

static int is_block_barrier(LLVMValueRef i) {
  const char *callee = cs_rt_callee(i);
  return callee && cs_ir_starts_with(callee, "llvm.nvvm.barrier.");
}

static int is_fence(LLVMValueRef i) {
  const char *callee = cs_rt_callee(i);
  return LLVMIsAFenceInst(i) || (callee && cs_ir_starts_with(callee, "llvm.nvvm.membar."));
}

/* Code of -O0 loads its pointers from local variables: those may point to shared memory, if the function uses any. */
static int may_be_shared(LLVMValueRef address, int uses_shared) {
  enum memory memory = memory_of(address, MAX_DEPTH);
  return memory == SHARED || (memory == UNKNOWN && uses_shared);
}

static enum met after(enum met met, LLVMValueRef i, int uses_shared) {
  if (is_block_barrier(i))
    return NOTHING;
  if (LLVMIsAStoreInst(i) && met == NOTHING && may_be_shared(LLVMGetOperand(i, 1), uses_shared))
    return A_STORE;
  return is_fence(i) && met == A_STORE ? A_FENCE_AFTER_IT : met;
}

/* Whether threads store in shared memory, and load from it after a fence but with no barrier: only the lock step of a
 * warp makes the values of other lanes arrive. The order is that of the text, which loops and branches keep. */
static int exchanges_over_fence(const struct cs_rt_unit *unit, LLVMValueRef function) {
  enum met met = NOTHING;
  int shared = uses_shared(unit, function);
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i)) {
    if (met == A_FENCE_AFTER_IT && LLVMIsALoadInst(i) && may_be_shared(LLVMGetOperand(i, 0), shared))
      return 1;
    met = after(met, i, shared);
  }
  return 0;
}

/* What a kernel calls at its start, or NULL. A kernel with two versions calls them; no other function has a warp
 * operation (check.c). A kernel with a fence may be correct without lock step: its launch does not fail. */
static const char *question_of(const struct cs_rt_kernel *kernel) {
  int relies = kernel->in_step && !kernel->framed && !kernel->yields;
  if ((relies && !kernel->fenced) || has_warp_call(kernel->function) || calls_with_warp_call(kernel->function))
    return "expect_lock_step";
  return relies ? "ask_lock_step" : NULL;
}

int cs_rt_expect_lock_step(struct cs_rt_unit *unit) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  for (unsigned i = 0; i < unit->kernel_count; i++) {
    const char *question = question_of(&unit->kernels[i]);
    if (!question)
      continue;
    cs_rt_position_at_start(builder, unit->kernels[i].function);
    cs_rt_call_library(unit, builder, question, NULL, 0, LLVMVoidTypeInContext(unit->context));
  }
  LLVMDisposeBuilder(builder);
  return 0;
}

/* In a kernel whose threads wait for each other, volatile serves the waiting. */
int cs_rt_find_lock_step(struct cs_rt_unit *unit) {
  const char *option = getenv("CUSAFE_CPU_LOCK_STEP");
  if (option && strcmp(option, "0") == 0) /* an engine that does not vectorise rejects such kernels */
    return 0;
  for (unsigned i = 0; i < unit->kernel_count; i++) {
    struct cs_rt_kernel *kernel = &unit->kernels[i];
    int exchanges = exchanges_in_shared(unit, kernel->function);
    kernel->fenced = !exchanges && exchanges_over_fence(unit, kernel->function);
    kernel->in_step = !kernel->meets && (exchanges || kernel->fenced) && !cs_rt_spins(kernel->function);
  }
  return 0;
}
