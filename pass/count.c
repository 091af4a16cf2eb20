/* count.c: counts executed checks (-cusafe-count), and calls __cs_count at every remaining access and check in a module
 * that defines it.
 *
 * Only the bench defines it (bench/count.h). It recognises loads of metadata words by their address, so that loads
 * which optimisation has moved or merged count once. */
#include "pass/count.h"
#include "ir/instructions.h"
#include "ir/module.h"
#include "ir/names.h"
#include "pass/counted.h"
#include "pass/module/kernels.h"
#include "pass/module/lines.h"
#include "pass/module/runtime.h"

#define COUNTER "__cs_count"
#define KIND_SHIFT 24

struct counting {
  LLVMContextRef context;
  LLVMBuilderRef builder;
  LLVMValueRef counter;
  LLVMTypeRef i64;
  cs_u32 next; /* number of the next instruction: the bench groups the lanes of a warp by it */
};

void cs_pass_call_counter(LLVMBuilderRef builder, LLVMValueRef before, LLVMValueRef counter, LLVMValueRef *arguments,
                          unsigned count) {
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(before));
  LLVMMetadataRef location = LLVMInstructionGetDebugLoc(before), program = LLVMGetSubprogram(function);
  if (location == NULL && program != NULL)
    location = LLVMDIBuilderCreateDebugLocation(LLVMGetTypeContext(LLVMTypeOf(function)), 0, 0, program, NULL);
  LLVMPositionBuilderBefore(builder, before);
  LLVMSetCurrentDebugLocation2(builder, location);
  LLVMBuildCall2(builder, LLVMGlobalGetValueType(counter), counter, arguments, count, "");
}

static void count(struct counting *c, LLVMValueRef before, enum cs_pass_counted kind, LLVMValueRef address) {
  LLVMTypeRef i32 = LLVMInt32TypeInContext(c->context);
  LLVMPositionBuilderBefore(c->builder, before);
  LLVMSetCurrentDebugLocation2(c->builder, LLVMInstructionGetDebugLoc(before));
  LLVMValueRef arguments[] = {
      LLVMConstInt(i32, (cs_u32)kind << KIND_SHIFT | c->next++, 0),
      address ? LLVMBuildPtrToInt(c->builder, address, c->i64, "") : LLVMConstNull(c->i64),
  };
  cs_pass_call_counter(c->builder, before, c->counter, arguments, 2);
}

/* The address space that the pointer was cast from, if that is known. */
static unsigned space_of(LLVMValueRef pointer) {
  unsigned space = cs_ir_space_of(pointer);
  while (space == CS_IR_SPACE_GENERIC &&
         (LLVMIsAGetElementPtrInst(pointer) || LLVMIsAAddrSpaceCastInst(pointer) || LLVMIsAConstantExpr(pointer))) {
    pointer = LLVMGetOperand(pointer, 0);
    if (LLVMGetTypeKind(LLVMTypeOf(pointer)) != LLVMPointerTypeKind)
      return CS_IR_SPACE_GENERIC;
    space = cs_ir_space_of(pointer);
  }
  return LLVMIsAAllocaInst(pointer) ? CS_IR_SPACE_LOCAL : space;
}

static void count_access(struct counting *c, LLVMValueRef i, LLVMValueRef pointer) {
  unsigned space = space_of(pointer);
  if (space <= CS_IR_SPACE_GLOBAL)
    count(c, i, CS_PASS_COUNTED_GLOBAL, pointer);
  else if (space == CS_IR_SPACE_SHARED)
    count(c, i, CS_PASS_COUNTED_SHARED, NULL);
  else if (space == CS_IR_SPACE_LOCAL)
    count(c, i, CS_PASS_COUNTED_LOCAL, NULL);
}

static int fails(LLVMBasicBlockRef block) {
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i)) {
    LLVMValueRef callee = cs_ir_callee(i);
    if (callee && cs_ir_starts_with(cs_ir_name(callee), CS_IR_FAIL))
      return 1;
  }
  return 0;
}

/* A check is a branch to a cold path. */
static int is_check(LLVMValueRef i) {
  return LLVMIsABranchInst(i) && LLVMIsConditional(i) &&
         (fails(LLVMGetSuccessor(i, 0)) || fails(LLVMGetSuccessor(i, 1)));
}

static void count_function(struct counting *c, LLVMValueRef function) {
  LLVMValueRef begin = NULL;
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i)) {
    LLVMValueRef pointer = cs_pass_accessed_by(i);
    if (begin == NULL && !LLVMIsAAllocaInst(i)) {
      begin = i;
      if (cs_ir_is_kernel(function))
        count(c, i, CS_PASS_COUNTED_BEGIN, NULL);
    }
    if (pointer)
      count_access(c, i, pointer);
    else if (is_check(i))
      count(c, i, CS_PASS_COUNTED_CHECK, NULL);
  }
}

int cs_pass_count_accesses(struct cs_pass *pass) {
  LLVMValueRef counter = LLVMGetNamedFunction(pass->module, COUNTER);
  if (counter == NULL)
    return 0;
  struct counting c = {pass->context, pass->builder, counter, pass->i64, 0};
  for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && !cs_pass_is_ours(f))
      count_function(&c, f);
  return 0;
}

static void count_checks_of(LLVMValueRef function, LLVMBuilderRef builder, LLVMValueRef counter) {
  LLVMValueRef one = LLVMConstInt(LLVMGlobalGetValueType(counter), 1, 0);
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
    if (!is_check(end))
      continue;
    LLVMPositionBuilderBefore(builder, end);
    LLVMBuildAtomicRMW(builder, LLVMAtomicRMWBinOpAdd, counter, one, LLVMAtomicOrderingMonotonic, 0);
  }
}

int cs_pass_count_checks(struct cs_pass *pass) {
  if (!pass->options->count)
    return 0;
  LLVMValueRef counter = LLVMAddGlobalInAddressSpace(pass->module, pass->i64, CS_SYM_CHECKS, CS_IR_SPACE_GLOBAL);
  LLVMSetInitializer(counter, LLVMConstNull(pass->i64));
  for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && !cs_pass_is_ours(f))
      count_checks_of(f, pass->builder, counter);
  return 0;
}
