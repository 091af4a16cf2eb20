/* stops.c: makes a kernel stop for a debugger at the line of its first error. */
#include "retarget/lower/stops.h"
#include "cusafe/abi.h"
#include "cusafe/ir.h"
#include "ir/names.h"
#include "retarget/lower/steps.h"
#include "retarget/unit/instructions.h"
#include "retarget/unit/library.h"
#include <llvm-c/DebugInfo.h>
#include <string.h>

/* Functions of the runtime that may record an error and that the program's functions call. Their last argument is the
 * site. */
static const char *const reporters[] = {CS_IR_FAIL,       CS_IR_FAIL_RANGE, CS_IR_FAIL_NAMED,
                                        CS_IR_FAIL_FIELD, CS_IR_FAIL_ARRAY, CS_IR_FREE};

static int reports(LLVMValueRef instruction) {
  const char *name = cs_rt_callee(instruction);
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(instruction));
  if (!name || cs_ir_starts_with(cs_ir_name(function), CS_IR_RUNTIME_PREFIX))
    return 0;
  for (size_t i = 0; i < sizeof reporters / sizeof *reporters; i++)
    if (strcmp(name, reporters[i]) == 0)
      return 1;
  return 0;
}

static void add_stop(LLVMValueRef instruction, void *with) {
  struct cs_rt_unit *unit = with;
  LLVMValueRef state = LLVMGetNamedGlobal(unit->module, CS_SYM_STATE);
  if (!state || !reports(instruction))
    return;
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(instruction));
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(instruction));
  LLVMValueRef args[] = {state, LLVMGetOperand(instruction, LLVMGetNumArgOperands(instruction) - 1)};
  cs_rt_call_library(unit, builder, "stop", args, 2, LLVMVoidTypeInContext(unit->context));
  LLVMDisposeBuilder(builder);
}

int cs_rt_add_stops(struct cs_rt_unit *unit) {
  if (unit->debug)
    cs_rt_each_instruction(unit->module, add_stop, unit);
  return 0;
}

/* The nop is for the debugger, which shows the line of the instruction after the breakpoint. */
#if defined(__x86_64__) || defined(__i386__)
static char breakpoint[] = "int3\n nop";
#else
static char breakpoint[] = "brk #0\n nop";
#endif

static void place_breakpoint(LLVMValueRef instruction, void *with) {
  struct cs_rt_unit *unit = with;
  const char *name = cs_rt_callee(instruction);
  if (!name || strcmp(name, "__cr_breakpoint") != 0)
    return;
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(unit->context), NULL, 0, 0);
  LLVMValueRef code = LLVMGetInlineAsm(type, breakpoint, strlen(breakpoint), "", 0, 1, 0, LLVMInlineAsmDialectATT, 0);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  LLVMPositionBuilderBefore(builder, instruction);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(instruction));
  LLVMBuildCall2(builder, type, code, NULL, 0, "");
  LLVMInstructionEraseFromParent(instruction);
  LLVMDisposeBuilder(builder);
}

void cs_rt_place_breakpoints(struct cs_rt_unit *unit) {
  cs_rt_each_instruction(unit->module, place_breakpoint, unit);
}
