/* infer.c: finds addresses in the whole module: small functions are inlined first, then parameters and results, then
 * each function's own integers. */
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "ir/names.h"
#include "lift/declared.h"
#include "lift/indirect.h"
#include "lift/pointers.h"
#include "lift/retype.h"
#include "lift/rounded.h"
#include "lift/steps.h"
#include "lift/vectors.h"
#include "lift/web.h"
#include "report/print.h"
#include <llvm-c/Error.h>
#include <llvm-c/Transforms/PassBuilder.h>
#include <stdio.h>
#include <stdlib.h>

static int run_passes(struct cs_lift_unit *unit, const char *passes) {
  LLVMPassBuilderOptionsRef options = LLVMCreatePassBuilderOptions();
  LLVMErrorRef error = LLVMRunPasses(unit->module, passes, NULL, options);
  LLVMDisposePassBuilderOptions(options);
  if (!error)
    return 0;
  char *message = LLVMGetErrorMessage(error);
  cs_report_print(stderr, "cusafe-lift: %s\n", message);
  LLVMDisposeErrorMessage(message);
  return CS_LIFT_BUG;
}

/* --- Small functions --- */

/* Without local memory, which inlining would give scopes; small, as the toolkit's wrappers of one instruction are. */
static int is_small(LLVMValueRef function) {
  enum { MAX_INSTRUCTIONS = 16 };
  unsigned count = 0;
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i))
    if (LLVMIsAAllocaInst(i) || ++count > MAX_INSTRUCTIONS)
      return 0;
  return count > 0;
}

static int has_blocks(LLVMValueRef function) {
  unsigned by_value = cs_ir_attribute_kind("byval");
  for (unsigned k = 1; k <= LLVMCountParams(function); k++)
    if (LLVMGetEnumAttributeAtIndex(function, k, by_value))
      return 1;
  return 0;
}

static int has_lines(LLVMValueRef function) {
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i)) {
    LLVMMetadataRef line = LLVMInstructionGetDebugLoc(i);
    if (line && LLVMDILocationGetLine(line))
      return 1;
  }
  return 0;
}

/* nvcc gives its built-in functions, such as __ullAtomicCAS, no lines. LLVM gives the inlined code of a function
 * without a DISubprogram the line of the call. */
static void forget_scope(LLVMValueRef function) {
  LLVMSetSubprogram(function, NULL);
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i))
    LLVMInstructionSetDebugLoc(i, NULL);
}

/* Below -O2 nvcc calls what is one instruction, such as an atomic or a conversion of an address. Inlined, an address
 * keeps its origin, and the access has the lines of its callers. */
int cs_lift_inline_small(struct cs_lift_unit *unit) {
  const LLVMAttributeIndex whole = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
  unsigned never = cs_ir_attribute_kind("noinline"), always = cs_ir_attribute_kind("alwaysinline");
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f; f = LLVMGetNextFunction(f))
    if (LLVMGetFunctionCallConv(f) == LLVMCCallConv && is_small(f) && !has_blocks(f)) {
      LLVMRemoveEnumAttributeAtIndex(f, whole, never);
      LLVMAddAttributeAtIndex(f, whole, LLVMCreateEnumAttribute(unit->context, always, 0));
      if (cs_lift_is_only_called(f) && !has_lines(f))
        forget_scope(f);
    }
  return run_passes(unit, "always-inline,function(unreachableblockelim,instsimplify,adce)");
}

/* --- Parameters and results --- */

/* Marks the parameters that are declared as pointers: by .ptr, or by a kernel's name in C++. */
static void read_declared(struct cs_lift_unit *unit, LLVMValueRef function, unsigned char *is_pointer) {
  const char *name = cs_ir_name(function);
  const struct cs_lift_symbol *symbol = cs_ir_map_get_name(&unit->symbols, name);
  for (unsigned k = 0; symbol && symbol->function && k < symbol->function->parameter_count; k++)
    is_pointer[k] = symbol->function->parameters[k].pointer_space != NULL;
  if (cs_ir_is_kernel(function))
    cs_lift_read_declared(name, is_pointer, LLVMCountParams(function));
}

static int returns_pointer(const struct cs_lift_web *web) {
  int found = 0;
  for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(web->function); b; b = LLVMGetNextBasicBlock(b)) {
    LLVMValueRef end = LLVMGetBasicBlockTerminator(b);
    if (!LLVMIsAReturnInst(end) || LLVMGetNumOperands(end) == 0 || cs_lift_is_nothing(LLVMGetOperand(end, 0)))
      continue;
    const struct cs_lift_node *node = cs_lift_node(web, LLVMGetOperand(end, 0));
    if (!node || !node->is_pointer || node->space != CS_IR_SPACE_GENERIC || LLVMTypeOf(node->value) != web->unit->i64)
      return 0;
    found = 1;
  }
  return found;
}

/* Returns 1 if the function was replaced. */
static int retype(struct cs_lift_unit *unit, LLVMValueRef function) {
  struct cs_lift_web web;
  unsigned count = LLVMCountParams(function), wanted = 0;
  unsigned char *is_pointer = cs_ir_allocate(count, 1);
  cs_lift_web_read(&web, unit, function);
  read_declared(unit, function, is_pointer);
  for (unsigned k = 0; k < count; k++) {
    const struct cs_lift_node *node = cs_lift_node(&web, LLVMGetParam(function, k));
    is_pointer[k] = LLVMTypeOf(LLVMGetParam(function, k)) == unit->i64 && ((node && node->is_pointer) || is_pointer[k]);
    wanted += is_pointer[k];
  }
  int result = returns_pointer(&web);
  cs_lift_web_free(&web);
  if (wanted || result)
    cs_lift_retype(unit, function, is_pointer, result);
  free(is_pointer);
  return wanted || result;
}

/* By name: a replaced function is at the end of the list, and is inspected again. */
int cs_lift_retype_functions(struct cs_lift_unit *unit) {
  for (int changed = 1; changed;) {
    changed = 0;
    for (LLVMValueRef f = LLVMGetFirstFunction(unit->module), next; f; f = next) {
      next = LLVMGetNextFunction(f);
      if (!LLVMIsDeclaration(f) && cs_lift_is_only_called(f))
        changed |= retype(unit, f);
    }
    changed |= cs_lift_retype_indirect(unit);
  }
  return 0;
}

/* --- The integers of each function --- */

static int for_each(struct cs_lift_unit *unit, void rewrite(struct cs_lift_unit *, LLVMValueRef)) {
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f))
      rewrite(unit, f);
  return 0;
}

int cs_lift_show_all_multiples(struct cs_lift_unit *unit) {
  return for_each(unit, cs_lift_show_multiples);
}

static void write_pointers(struct cs_lift_unit *unit, LLVMValueRef function) {
  struct cs_lift_web web;
  cs_lift_web_read(&web, unit, function);
  cs_lift_write_pointers(&web);
  cs_lift_web_free(&web);
}

int cs_lift_write_all_pointers(struct cs_lift_unit *unit) {
  return for_each(unit, write_pointers);
}

int cs_lift_type_all_vectors(struct cs_lift_unit *unit) {
  return for_each(unit, cs_lift_type_vectors);
}

/* --- LLVM's own --- */

/* mem2reg leaves a value that depends on itself, in unreachable code, without a definition. */
int cs_lift_promote_registers(struct cs_lift_unit *unit) {
  return run_passes(unit, "function(unreachableblockelim,mem2reg,instsimplify,adce)");
}

int cs_lift_simplify(struct cs_lift_unit *unit) {
  return run_passes(unit, "function(instsimplify,adce)");
}
