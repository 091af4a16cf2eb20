/* lock_step.c: finds kernels that count on the lock step of a warp without asking for it.
 *
 * Before __syncwarp there was only `volatile`: threads of a warp exchanged values through shared memory and relied on each
 * instruction being done by all of them before the next. CUDA has not promised that since Volta, but GPUs still do it for code
 * without branches, and many programs have it. Sub-groups of 32 lanes, which the engine runs for kernels with warp
 * operations, do it as well. */
#include "retarget/retarget.h"

enum { SHARED = 3 };

static LLVMValueRef base_of(LLVMValueRef pointer) {
  while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsAAddrSpaceCastInst(pointer) || LLVMIsABitCastInst(pointer))
    pointer = LLVMGetOperand(pointer, 0);
  return pointer;
}

/* An own variable, as the checks have some, or global memory is no place to meet one's warp. */
static int may_be_shared(LLVMValueRef pointer) {
  LLVMValueRef base = base_of(pointer);
  unsigned space = LLVMGetPointerAddressSpace(LLVMTypeOf(base));
  return !LLVMIsAAllocaInst(base) && (space == 0 || space == SHARED);
}

static int is_volatile_shared(LLVMValueRef i) {
  if (LLVMIsALoadInst(i))
    return LLVMGetVolatile(i) && may_be_shared(LLVMGetOperand(i, 0));
  return LLVMIsAStoreInst(i) && LLVMGetVolatile(i) && may_be_shared(LLVMGetOperand(i, 1));
}

static int has_volatile_shared(LLVMValueRef function) {
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block))
    for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
      if (is_volatile_shared(i))
        return 1;
  return 0;
}

static int used_in(LLVMValueRef value, LLVMValueRef function) {
  for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsAInstruction(user) ? LLVMGetBasicBlockParent(LLVMGetInstructionParent(user)) == function
                                 : LLVMIsAConstantExpr(user) && used_in(user, function))
      return 1;
  }
  return 0;
}

static int uses_shared(const struct cs_unit *unit, LLVMValueRef function) {
  for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module); g; g = LLVMGetNextGlobal(g))
    if (LLVMGetPointerAddressSpace(LLVMTypeOf(g)) == SHARED && used_in(g, function))
      return 1;
  return 0;
}

/* In a kernel whose threads wait for each other, volatile has another meaning. */
int cs_find_lock_step(struct cs_unit *unit) {
  for (unsigned i = 0; i < unit->kernel_count; i++) {
    struct cs_kernel *kernel = &unit->kernels[i];
    kernel->in_step =
        uses_shared(unit, kernel->function) && has_volatile_shared(kernel->function) && !cs_spins(kernel->function);
  }
  return 0;
}
