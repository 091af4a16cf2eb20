/* pointers.c: function pointers. The address of a function becomes a number, and a call through a pointer a switch over
 * the functions of its type, so that from here on every call is direct. */
#include "ir/memory.h"
#include "retarget/bridge/bridge.h"
#include "retarget/read/steps.h"
#include "retarget/unit/instructions.h"
#include "retarget/unit/library.h"
#include <stdlib.h>

/* Function number k has the address 16 * (k + 1): never null, never a real address, aligned as code is. */
enum { FUNCTION_ALIGN = 16 };

struct targets {
  struct cs_rt_unit *unit;
  LLVMValueRef *functions;
  unsigned count;
};

/* Whether the function has a use other than as the callee of a direct call. */
static int address_taken(LLVMValueRef function) {
  for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!LLVMIsACallInst(user) || LLVMGetCalledValue(user) != function)
      return 1;
    for (unsigned i = 0; i < LLVMGetNumArgOperands(user); i++)
      if (LLVMGetOperand(user, i) == function)
        return 1;
  }
  return 0;
}

static LLVMValueRef number_of(struct cs_rt_unit *unit, unsigned index) {
  LLVMTypeRef i64 = LLVMInt64TypeInContext(unit->context);
  return LLVMConstInt(i64, (unsigned long long)FUNCTION_ALIGN * (index + 1), 0);
}

static LLVMValueRef call_directly(LLVMBuilderRef builder, LLVMValueRef call, LLVMValueRef function) {
  unsigned count = LLVMGetNumArgOperands(call);
  LLVMValueRef *args = cs_ir_allocate(count + 1, sizeof *args);
  for (unsigned i = 0; i < count; i++)
    args[i] = LLVMGetOperand(call, i);
  LLVMValueRef direct = LLVMBuildCall2(builder, LLVMGlobalGetValueType(function), function, args, count, "");
  free(args);
  return direct;
}

static void trap(struct targets *targets, LLVMBuilderRef builder) {
  cs_rt_call_library(targets->unit, builder, "trap", NULL, 0, LLVMVoidTypeInContext(targets->unit->context));
  LLVMBuildUnreachable(builder);
}

/* The block ends in the switch; each case calls one function; the rest of the block starts with a phi of the
 * results. */
static void expand(struct targets *targets, LLVMValueRef call) {
  LLVMContextRef context = targets->unit->context;
  LLVMTypeRef type = LLVMGetCalledFunctionType(call), result = LLVMGetReturnType(type);
  int returns = LLVMGetTypeKind(result) != LLVMVoidTypeKind;
  LLVMBasicBlockRef before = LLVMGetInstructionParent(call), after = cs_rt_bridge_split_before(call);
  LLVMValueRef function = LLVMGetBasicBlockParent(before);
  LLVMBasicBlockRef none = LLVMAppendBasicBlockInContext(context, function, "call.none");
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(context);
  LLVMPositionBuilderAtEnd(builder, none);
  trap(targets, builder);
  LLVMPositionBuilderBefore(builder, call);
  LLVMValueRef phi = returns ? LLVMBuildPhi(builder, result, "") : NULL;
  LLVMInstructionEraseFromParent(LLVMGetBasicBlockTerminator(before));
  LLVMPositionBuilderAtEnd(builder, before);
  LLVMValueRef address = LLVMBuildPtrToInt(builder, LLVMGetCalledValue(call), LLVMInt64TypeInContext(context), "");
  LLVMValueRef selector = LLVMBuildSwitch(builder, address, none, targets->count);
  for (unsigned i = 0; i < targets->count; i++) {
    if (LLVMGlobalGetValueType(targets->functions[i]) != type || LLVMIsDeclaration(targets->functions[i]))
      continue;
    LLVMBasicBlockRef block = LLVMInsertBasicBlockInContext(context, after, "call.case");
    LLVMAddCase(selector, number_of(targets->unit, i), block);
    LLVMPositionBuilderAtEnd(builder, block);
    LLVMValueRef value = call_directly(builder, call, targets->functions[i]);
    LLVMBuildBr(builder, after);
    if (returns)
      LLVMAddIncoming(phi, &value, &block, 1);
  }
  if (returns)
    LLVMReplaceAllUsesWith(call, phi);
  LLVMInstructionEraseFromParent(call);
  LLVMDisposeBuilder(builder);
}

static void expand_indirect(LLVMValueRef instruction, void *with) {
  if (!LLVMIsACallInst(instruction))
    return;
  LLVMValueRef callee = LLVMGetCalledValue(instruction);
  if (!LLVMIsAFunction(callee) && !LLVMIsAInlineAsm(callee))
    expand(with, instruction);
}

/* Direct calls keep the function itself. */
static void replace_address(LLVMValueRef function, LLVMValueRef number) {
  LLVMValueRef *calls = NULL;
  unsigned count = 0;
  for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsACallInst(user) && LLVMGetCalledValue(user) == function)
      cs_ir_push(calls, count, user);
  }
  LLVMReplaceAllUsesWith(function, LLVMConstIntToPtr(number, LLVMTypeOf(function)));
  for (unsigned i = 0; i < count; i++)
    LLVMSetOperand(calls[i], (unsigned)LLVMGetNumOperands(calls[i]) - 1, function);
  free(calls);
}

int cs_rt_resolve_function_pointers(struct cs_rt_unit *unit) {
  struct targets targets = {unit, NULL, 0};
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f; f = LLVMGetNextFunction(f))
    if (!LLVMGetIntrinsicID(f) && address_taken(f))
      cs_ir_push(targets.functions, targets.count, f);
  cs_rt_each_instruction(unit->module, expand_indirect, &targets);
  for (unsigned i = 0; i < targets.count; i++)
    replace_address(targets.functions[i], number_of(unit, i));
  free(targets.functions);
  return 0;
}
