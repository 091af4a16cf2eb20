/* indices.c: keeps neighbouring threads' addresses recognisable as consecutive.
 *
 * The engine's vectoriser follows a thread's index through sign extensions, and not through zero extensions: it then
 * gathers what a single vector load would read. LLVM prefers zero extensions where a number is known not to be negative
 * ("nneg"), as thread indices are, and SPIR-V cannot express that knowledge. Both extensions yield the same number
 * there. */
#include "ir/instructions.h"
#include "retarget/engine_quirks/steps.h"
#include "retarget/unit/instructions.h"
#include "retarget/unit/library.h"
#include <string.h>

/* An address is computed from 64 bits. */
static int extends_index(LLVMValueRef i) {
  return LLVMIsAZExtInst(i) && LLVMGetNNeg(i) &&
         LLVMTypeOf(i) == LLVMInt64TypeInContext(LLVMGetTypeContext(LLVMTypeOf(i))) &&
         LLVMTypeOf(LLVMGetOperand(i, 0)) == LLVMInt32TypeInContext(LLVMGetTypeContext(LLVMTypeOf(i)));
}

/* The engine's 64-bit index, if that is what was truncated. */
static LLVMValueRef engine_index(LLVMValueRef value) {
  LLVMValueRef whole = LLVMIsATruncInst(value) ? LLVMGetOperand(value, 0) : NULL;
  const char *callee = whole ? cs_rt_callee(whole) : NULL;
  return callee && strcmp(callee, CS_RT_ENGINE_LOCAL_ID) == 0 ? whole : NULL;
}

static void extend_signed(LLVMBuilderRef builder, LLVMValueRef extension) {
  LLVMValueRef value = LLVMGetOperand(extension, 0), whole = engine_index(value);
  LLVMPositionBuilderBefore(builder, extension);
  LLVMReplaceAllUsesWith(extension, whole ? whole : LLVMBuildSExt(builder, value, LLVMTypeOf(extension), ""));
  LLVMInstructionEraseFromParent(extension);
}

int cs_rt_extend_signed(struct cs_rt_unit *unit) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f; f = LLVMGetNextFunction(f))
    for (LLVMValueRef i = cs_ir_first(f), next; i; i = next) {
      next = cs_ir_next(i);
      if (extends_index(i))
        extend_signed(builder, i);
    }
  LLVMDisposeBuilder(builder);
  return 0;
}
