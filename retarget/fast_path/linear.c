/* linear.c: a second version of each kernel for one-dimensional blocks.
 *
 * threadIdx.x is then the engine's local id, which its vectoriser knows to be consecutive: loads and stores of
 * neighbouring threads become vector accesses. With a remainder by a run-time width they are gathers, and a matrix
 * multiplication takes 3.5 times as long (measured). The kernel chooses the version once for the whole block. */
#include "cusafe/ir.h"
#include "ir/instructions.h"
#include "ir/names.h"
#include "retarget/bridge/bridge.h"
#include "retarget/fast_path/steps.h"
#include "retarget/unit/instructions.h"
#include "retarget/unit/library.h"
#include <string.h>

enum { MAX_INSTRUCTIONS = 1000 }; /* in a larger kernel, compiling twice costs more than it saves */

static const char prefix[] = "llvm.nvvm.read.ptx.sreg.";

static int is_register(LLVMValueRef instruction, const char *name) {
  const char *callee = cs_rt_callee(instruction);
  return callee && cs_ir_starts_with(callee, prefix) && strcmp(callee + strlen(prefix), name) == 0;
}

/* Instructions of the checked path, which seldom runs, do not count. */
static int is_exact(LLVMBasicBlockRef block) {
  static const char mark[] = CS_IR_EXACT;
  unsigned kind = LLVMGetMDKindIDInContext(LLVMGetTypeContext(LLVMTypeOf(LLVMBasicBlockAsValue(block))), mark,
                                           (unsigned)strlen(mark));
  for (LLVMValueRef i = LLVMGetFirstInstruction(block); i; i = LLVMGetNextInstruction(i))
    if (LLVMGetMetadata(i, kind))
      return 1;
  return 0;
}

static int is_worth_it(LLVMValueRef function) {
  unsigned count = 0;
  int uses = 0;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(function); b; b = LLVMGetNextBasicBlock(b)) {
    int counts = !is_exact(b);
    for (LLVMValueRef i = LLVMGetFirstInstruction(b); i; i = LLVMGetNextInstruction(i)) {
      count += counts;
      uses |= is_register(i, "tid.x");
    }
  }
  return uses && count <= MAX_INSTRUCTIONS;
}

/* The value of a special register in a one-dimensional block; NULL if it is not known. */
static LLVMValueRef known_value(struct cs_rt_unit *unit, LLVMBuilderRef builder, LLVMValueRef instruction) {
  LLVMTypeRef i32 = LLVMInt32TypeInContext(unit->context);
  if (is_register(instruction, "tid.x"))
    return cs_rt_call_library(unit, builder, "tid_linear", NULL, 0, i32);
  if (is_register(instruction, "tid.y") || is_register(instruction, "tid.z"))
    return LLVMConstNull(i32);
  if (is_register(instruction, "ntid.y") || is_register(instruction, "ntid.z"))
    return LLVMConstInt(i32, 1, 0);
  return NULL;
}

static void specialize(struct cs_rt_unit *unit, LLVMValueRef function) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  for (LLVMValueRef i = cs_ir_first(function), next; i; i = next) {
    next = cs_ir_next(i);
    LLVMPositionBuilderBefore(builder, i);
    LLVMValueRef value = known_value(unit, builder, i);
    if (!value)
      continue;
    LLVMReplaceAllUsesWith(i, value);
    LLVMInstructionEraseFromParent(i);
  }
  LLVMDisposeBuilder(builder);
}

static void call_version(LLVMBuilderRef builder, LLVMValueRef entry, LLVMValueRef version, LLVMBasicBlockRef block) {
  LLVMValueRef args[] = {LLVMGetParam(entry, 0), LLVMGetParam(entry, 1)};
  LLVMPositionBuilderAtEnd(builder, block);
  LLVMBuildCall2(builder, LLVMGlobalGetValueType(version), version, args, 2, "");
  LLVMBuildRetVoid(builder);
  LLVMSetFunctionCallConv(version, LLVMCCallConv);
  LLVMSetLinkage(version, LLVMInternalLinkage);
}

static void add_version(struct cs_rt_unit *unit, struct cs_rt_kernel *kernel) {
  LLVMValueRef entry = kernel->function, general = cs_rt_bridge_add_parameters(entry, NULL, 0);
  LLVMValueRef linear = cs_rt_bridge_copy_function(general);
  LLVMTypeRef i32 = LLVMInt32TypeInContext(unit->context);
  LLVMSetFunctionCallConv(entry, LLVMGetFunctionCallConv(general));
  LLVMSetValueName2(general, "kernel.general", 14);
  LLVMSetValueName2(entry, kernel->name, strlen(kernel->name));
  specialize(unit, linear);
  LLVMBasicBlockRef start = LLVMAppendBasicBlockInContext(unit->context, entry, "entry");
  LLVMBasicBlockRef one = LLVMAppendBasicBlockInContext(unit->context, entry, "linear");
  LLVMBasicBlockRef other = LLVMAppendBasicBlockInContext(unit->context, entry, "general");
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  LLVMPositionBuilderAtEnd(builder, start);
  LLVMValueRef y = cs_rt_call_library(unit, builder, "ntid_y", NULL, 0, i32);
  LLVMValueRef z = cs_rt_call_library(unit, builder, "ntid_z", NULL, 0, i32);
  LLVMValueRef area = LLVMBuildMul(builder, y, z, "");
  LLVMBuildCondBr(builder, LLVMBuildICmp(builder, LLVMIntEQ, area, LLVMConstInt(i32, 1, 0), ""), one, other);
  call_version(builder, entry, linear, one);
  call_version(builder, entry, general, other);
  LLVMDisposeBuilder(builder);
}

int cs_rt_add_linear_versions(struct cs_rt_unit *unit) {
  for (unsigned i = 0; i < unit->kernel_count; i++)
    if (is_worth_it(unit->kernels[i].function))
      add_version(unit, &unit->kernels[i]);
  return 0;
}
