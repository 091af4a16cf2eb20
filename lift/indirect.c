/* indirect.c: pointers that calls through function pointers pass.
 *
 * Such a call has the types of its prototype, in which an address is an integer. It may reach every function of its
 * type whose address is taken: these are a group, and a parameter of a group is a pointer if one function accesses it
 * and no other uses it as a number. */
#include "lift/indirect.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "lift/retype.h"
#include "lift/web.h"
#include <stdlib.h>

struct group {
  struct cs_lift_unit *unit;
  LLVMTypeRef type;
  LLVMValueRef *functions, *calls;
  unsigned function_count, call_count;
};

/* --- Members --- */

int cs_lift_is_only_called(LLVMValueRef function) {
  for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use))
    if (!LLVMIsACallInst(LLVMGetUser(use)) || LLVMGetCalledValue(LLVMGetUser(use)) != function)
      return 0;
  return 1;
}

static int is_indirect(LLVMValueRef instruction) {
  if (!LLVMIsACallInst(instruction))
    return 0;
  LLVMValueRef callee = LLVMGetCalledValue(instruction);
  return !LLVMIsAFunction(callee) && !LLVMIsAInlineAsm(callee);
}

static void add_calls(struct group *g, LLVMValueRef function) {
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i))
    if (is_indirect(i) && LLVMGetCalledFunctionType(i) == g->type)
      cs_ir_push(g->calls, g->call_count, i);
}

static void read_group(struct group *g) {
  for (LLVMValueRef f = LLVMGetFirstFunction(g->unit->module); f; f = LLVMGetNextFunction(f)) {
    add_calls(g, f);
    if (LLVMGlobalGetValueType(f) == g->type && !cs_lift_is_only_called(f))
      cs_ir_push(g->functions, g->function_count, f);
  }
}

/* The body of every function that a call reaches is known, and none is a kernel, whose parameters the host passes. */
static int is_closed(const struct group *g) {
  for (unsigned i = 0; i < g->function_count; i++)
    if (LLVMIsDeclaration(g->functions[i]) || cs_ir_is_kernel(g->functions[i]))
      return 0;
  return g->function_count > 0;
}

/* --- Parameters --- */

/* Whether the function does nothing with the parameter, or only passes it on to the group, as the same parameter. */
static int is_passed_on(const struct group *g, LLVMValueRef parameter, unsigned index) {
  for (LLVMUseRef use = LLVMGetFirstUse(parameter); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!is_indirect(user) || LLVMGetCalledFunctionType(user) != g->type)
      return 0;
    for (unsigned k = 0; k < LLVMGetNumArgOperands(user); k++)
      if (LLVMGetOperand(user, k) == parameter && k != index)
        return 0;
    if (LLVMGetCalledValue(user) == parameter)
      return 0;
  }
  return 1;
}

enum { IS_ACCESSED = 1, IS_NUMBER = 2 };

/* Adds to each parameter's flags what this function shows of it. */
static void read_parameters(const struct group *g, LLVMValueRef function, unsigned char *shown, unsigned count) {
  struct cs_lift_web web;
  cs_lift_web_read(&web, g->unit, function);
  for (unsigned k = 0; k < count; k++) {
    LLVMValueRef parameter = LLVMGetParam(function, k);
    const struct cs_lift_node *node = cs_lift_node(&web, parameter);
    if (LLVMTypeOf(parameter) != g->unit->i64)
      shown[k] |= IS_NUMBER;
    else if (node && node->is_pointer)
      shown[k] |= IS_ACCESSED;
    else if (!is_passed_on(g, parameter, k))
      shown[k] |= IS_NUMBER;
  }
  cs_lift_web_free(&web);
}

/* Returns 1 if the group has another type now. */
static int retype(struct group *g) {
  unsigned count = LLVMCountParamTypes(g->type), wanted = 0;
  unsigned char *flags = cs_ir_allocate(count + 1, 1);
  for (unsigned i = 0; i < g->function_count; i++)
    read_parameters(g, g->functions[i], flags, count);
  for (unsigned k = 0; k < count; k++)
    wanted += flags[k] = flags[k] == IS_ACCESSED;
  for (unsigned i = 0; wanted && i < g->call_count; i++)
    cs_lift_retype_call(g->unit, g->calls[i], flags);
  for (unsigned i = 0; wanted && i < g->function_count; i++)
    cs_lift_retype(g->unit, g->functions[i], flags, 0);
  free(flags);
  return wanted > 0;
}

/* --- All groups --- */

static int retype_group(struct cs_lift_unit *unit, LLVMTypeRef type) {
  struct group g = {.unit = unit, .type = type};
  read_group(&g);
  int changed = is_closed(&g) && retype(&g);
  free(g.functions);
  free(g.calls);
  return changed;
}

static int is_known(LLVMTypeRef *types, unsigned count, LLVMTypeRef type) {
  for (unsigned i = 0; i < count; i++)
    if (types[i] == type)
      return 1;
  return 0;
}

int cs_lift_retype_indirect(struct cs_lift_unit *unit) {
  LLVMTypeRef *types = NULL;
  unsigned count = 0;
  int changed = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f; f = LLVMGetNextFunction(f)) {
    LLVMTypeRef type = LLVMGlobalGetValueType(f);
    if (cs_lift_is_only_called(f) || is_known(types, count, type))
      continue;
    cs_ir_push(types, count, type);
  }
  for (unsigned i = 0; i < count; i++)
    changed |= retype_group(unit, types[i]);
  free(types);
  return changed;
}
