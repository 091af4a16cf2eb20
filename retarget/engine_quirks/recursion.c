/* recursion.c: makes the engine see that results of recursive functions differ among threads.
 *
 * The engine takes the result of a call through a pointer (write/pointer_calls.c) for the same in all threads, and
 * keeps one of them across a barrier. So each result goes through a variable of the thread. */
#include "retarget/engine_quirks/recursion.h"
#include "ir/instructions.h"
#include "ir/names.h"
#include "retarget/unit/instructions.h"
#include "retarget/unit/library.h"
#include <stddef.h>

int cs_rt_is_recursive_call(LLVMValueRef instruction) {
  LLVMValueRef callee = cs_ir_callee(instruction);
  if (callee == NULL || LLVMIsDeclaration(callee))
    return 0;
  const char *name = cs_ir_name(callee);
  return !cs_rt_is_of_runtime(name);
}

static void store(LLVMBuilderRef builder, LLVMValueRef value, LLVMValueRef slot) {
  LLVMSetVolatile(LLVMBuildStore(builder, value, slot), 1);
}
static LLVMValueRef load(LLVMBuilderRef builder, LLVMTypeRef type, LLVMValueRef slot) {
  LLVMValueRef loaded = LLVMBuildLoad2(builder, type, slot, "");
  LLVMSetVolatile(loaded, 1);
  return loaded;
}

/* A bool has no representation in memory: it goes as a byte. */
static void return_through_memory(LLVMBuilderRef builder, LLVMValueRef call) {
  LLVMTypeRef type = LLVMTypeOf(call), byte = LLVMInt8TypeInContext(LLVMGetTypeContext(type));
  int is_bool = type == LLVMInt1TypeInContext(LLVMGetTypeContext(type));
  LLVMTypeRef stored = is_bool ? byte : type;
  cs_rt_position_at_start(builder, LLVMGetBasicBlockParent(LLVMGetInstructionParent(call)));
  LLVMValueRef slot = LLVMBuildAlloca(builder, stored, "");
  LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(call));
  LLVMValueRef loaded = load(builder, stored, slot);
  LLVMValueRef result = is_bool ? LLVMBuildICmp(builder, LLVMIntNE, loaded, LLVMConstNull(byte), "") : loaded;
  LLVMReplaceAllUsesWith(call, result);
  LLVMPositionBuilderBefore(builder, loaded);
  store(builder, is_bool ? LLVMBuildZExt(builder, call, byte, "") : call, slot);
}

static void keep_apart(LLVMValueRef call, void *builder) {
  if (cs_rt_is_recursive_call(call) && LLVMGetFirstUse(call))
    return_through_memory(builder, call);
}

void cs_rt_separate_results(LLVMModuleRef module) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  cs_rt_each_instruction(module, keep_apart, builder);
  LLVMDisposeBuilder(builder);
}
