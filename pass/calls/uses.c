/* uses.c: reads what functions do with their pointer parameters, through all calls that pass these on. */
#include "pass/calls/uses.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "pass/function/detector.h"
#include "pass/function/function.h"
#include "pass/module/kernels.h"
#include <stdlib.h>

enum { MAX_ITERATIONS = 32 }; /* a recursion that moves its pointer never settles */

static struct cs_pass_parameter *parameter_of(const struct cs_pass_uses *uses, LLVMValueRef value) {
  return value ? cs_ir_map_get(&uses->parameters, value) : NULL;
}

/* ---- the functions ---- */

static int is_taken(LLVMValueRef function) {
  for (LLVMUseRef use = LLVMGetFirstUse(function); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!LLVMIsACallInst(user) || LLVMGetCalledValue(user) != function)
      return 1;
    for (unsigned a = 0; a < LLVMGetNumArgOperands(user); a++)
      if (LLVMGetOperand(user, a) == function)
        return 1;
  }
  return 0;
}

static void add_parameters(struct cs_pass_uses *uses, struct cs_pass *pass, LLVMValueRef function) {
  if (cs_ir_is_kernel(function) || LLVMIsFunctionVarArg(LLVMGlobalGetValueType(function)))
    return;
  for (LLVMValueRef p = LLVMGetFirstParam(function); p; p = LLVMGetNextParam(p)) {
    if (LLVMTypeOf(p) != pass->ptr || cs_pass_type_in_memory(p) != NULL)
      continue;
    struct cs_pass_parameter *made = cs_ir_allocate(1, sizeof *made);
    *made = (struct cs_pass_parameter){.value = p, .align = 1};
    cs_ir_map_set(&uses->parameters, p, made);
  }
  if (is_taken(function))
    cs_ir_push(uses->taken, uses->taken_count, function);
}

/* ---- the roots of pointers: those of function/roots.c, without companions ---- */

struct web {
  struct cs_ir_map seen;
  LLVMValueRef only;
  size_t terminals;
};

static void gather(struct web *web, LLVMValueRef pointer) { // NOLINT(misc-no-recursion): phis
  LLVMValueRef value = cs_pass_terminal_of(pointer);
  if (cs_ir_map_get(&web->seen, value))
    return;
  cs_ir_map_set(&web->seen, value, value);
  if (LLVMIsAPHINode(value)) {
    for (unsigned i = 0; i < LLVMCountIncoming(value); i++)
      gather(web, LLVMGetIncomingValue(value, i));
  } else if (LLVMIsASelectInst(value)) {
    gather(web, LLVMGetOperand(value, 1));
    gather(web, LLVMGetOperand(value, 2));
  } else {
    web->only = value;
    web->terminals++;
  }
}

/* A parameter that meets another pointer would need its escaping form there. */
static LLVMValueRef meeting_root(const struct cs_pass_uses *uses, LLVMValueRef meeting) {
  struct web web = {0};
  gather(&web, meeting);
  for (size_t i = 0; web.terminals > 1 && i < web.seen.capacity; i++) {
    struct cs_pass_parameter *p = parameter_of(uses, web.seen.entries[i].value);
    if (p)
      p->kept = 1;
  }
  cs_ir_map_free(&web.seen);
  return web.terminals == 1 ? web.only : NULL;
}

static LLVMValueRef root_of(const struct cs_pass_uses *uses, struct cs_ir_map *memo, LLVMValueRef pointer) {
  static char none;
  LLVMValueRef value = cs_pass_terminal_of(pointer);
  if (!cs_pass_is_meeting(value))
    return value;
  void *known = cs_ir_map_get(memo, value);
  if (known == NULL) {
    LLVMValueRef root = meeting_root(uses, value);
    cs_ir_map_set(memo, value, known = root ? (void *)root : &none);
  }
  return known == &none ? NULL : known;
}

/* ---- one function ---- */

struct reader {
  struct cs_pass *pass;
  struct cs_pass_uses *uses;
  struct cs_ir_map memo; /* meeting -> its only root */
};

static long long offset_of(struct reader *r, LLVMValueRef pointer, LLVMValueRef root) {
  long long offset;
  return root && cs_pass_constant_offset(r->pass->layout, pointer, root, &offset) && offset >= 0 ? offset : -1;
}

static void note_access(struct reader *r, const struct cs_pass_access_item *item) {
  LLVMValueRef pointer = LLVMGetOperand(item->instruction, item->operand);
  LLVMValueRef root = root_of(r->uses, &r->memo, pointer);
  struct cs_pass_parameter *p = parameter_of(r->uses, root);
  if (p == NULL)
    return;
  long long offset = offset_of(r, pointer, root);
  p->align = item->align > p->align ? item->align : p->align;
  if (offset < 0 || item->bytes == 0)
    p->indexed = 1;
  else if ((cs_u64)offset + item->bytes > p->end)
    p->end = (cs_u64)offset + item->bytes;
}

static void note_kept(struct reader *r, LLVMValueRef pointer) {
  struct cs_pass_parameter *p = NULL;
  if (LLVMGetTypeKind(LLVMTypeOf(pointer)) == LLVMPointerTypeKind)
    p = parameter_of(r->uses, root_of(r->uses, &r->memo, pointer));
  if (p)
    p->kept = 1;
}

static void add_target(const struct cs_pass_uses *uses, struct cs_pass_passing *passing, LLVMValueRef function) {
  struct cs_pass_parameter *p = passing->argument < LLVMCountParams(function)
                                    ? parameter_of(uses, LLVMGetParam(function, passing->argument))
                                    : NULL;
  if (p)
    cs_ir_push(passing->targets, passing->target_count, p);
  else
    passing->is_open = 1;
}

static int is_word(LLVMTypeRef type) {
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  return kind == LLVMPointerTypeKind || (kind == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(type) == 64);
}

/* Whether a call of one type may reach a function of the other: code that was PTX passes pointers as integers. */
static int may_reach(LLVMTypeRef call, LLVMTypeRef function) {
  enum { MAX_PARAMETERS = 64 };
  LLVMTypeRef passed[MAX_PARAMETERS], expected[MAX_PARAMETERS];
  unsigned count = LLVMCountParamTypes(call);
  if (count != LLVMCountParamTypes(function))
    return 0;
  if (call == function || count > MAX_PARAMETERS)
    return 1;
  LLVMGetParamTypes(call, passed);
  LLVMGetParamTypes(function, expected);
  for (unsigned i = 0; i < count; i++)
    if (passed[i] != expected[i] && !(is_word(passed[i]) && is_word(expected[i])))
      return 0;
  return 1;
}

static void find_targets(const struct cs_pass_uses *uses, struct cs_pass_passing *passing) {
  LLVMTypeRef type = LLVMGetCalledFunctionType(passing->call);
  LLVMValueRef callee = LLVMIsAFunction(LLVMGetCalledValue(passing->call));
  if (callee)
    add_target(uses, passing, callee);
  for (size_t i = 0; callee == NULL && i < uses->taken_count; i++)
    if (may_reach(type, LLVMGlobalGetValueType(uses->taken[i])))
      add_target(uses, passing, uses->taken[i]);
  passing->is_open |= passing->target_count == 0;
}

/* Through a call of another type than the function's, its parameters get what no passing shows. */
static void keep_parameters(const struct cs_pass_uses *uses, LLVMValueRef function) {
  for (LLVMValueRef p = LLVMGetFirstParam(function); p; p = LLVMGetNextParam(p)) {
    struct cs_pass_parameter *parameter = parameter_of(uses, p);
    if (parameter)
      parameter->kept = 1;
  }
}

static void note_call_type(const struct cs_pass_uses *uses, LLVMValueRef call) {
  LLVMTypeRef type = LLVMGetCalledFunctionType(call);
  LLVMValueRef callee = LLVMIsAFunction(LLVMGetCalledValue(call));
  if (callee && LLVMGlobalGetValueType(callee) != type)
    keep_parameters(uses, callee);
  for (size_t i = 0; callee == NULL && i < uses->taken_count; i++) {
    LLVMTypeRef function = LLVMGlobalGetValueType(uses->taken[i]);
    if (function != type && may_reach(type, function))
      keep_parameters(uses, uses->taken[i]);
  }
}

static void note_call_types(const struct cs_pass_uses *uses, LLVMValueRef function) {
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i))
    if (LLVMIsACallInst(i) && !LLVMIsAInlineAsm(LLVMGetCalledValue(i)))
      note_call_type(uses, i);
}

static void add_passing(struct reader *r, LLVMValueRef call, unsigned argument) {
  LLVMValueRef pointer = LLVMGetOperand(call, argument);
  struct cs_pass_passing passing = {.call = call, .argument = argument};
  passing.root = root_of(r->uses, &r->memo, pointer);
  passing.offset = offset_of(r, pointer, passing.root);
  find_targets(r->uses, &passing);
  cs_ir_push(r->uses->passings, r->uses->passing_count, passing);
}

/* Calls that a detector has claimed need the pointer with its bounds: free. */
static void note_claimed(struct reader *r, const struct cs_pass_found *found) {
  for (size_t i = 0; i < found->call_count + found->ignored_count; i++) {
    LLVMValueRef call = i < found->call_count ? found->calls[i] : found->ignored[i - found->call_count];
    for (unsigned a = 0; a < LLVMGetNumArgOperands(call); a++)
      note_kept(r, LLVMGetOperand(call, a));
  }
}

static void read_function(struct reader *r, LLVMValueRef function) {
  struct cs_pass_collected c = {0};
  cs_pass_collect(&c, r->pass, function);
  note_call_types(r->uses, function);
  for (size_t i = 0; i < c.access_count; i++)
    note_access(r, &c.accesses[i]);
  for (size_t i = 0; i < c.escape_count; i++) {
    const struct cs_pass_pointer_use *use = &c.escapes[i];
    if (LLVMIsACallInst(use->instruction))
      add_passing(r, use->instruction, use->operand);
    else
      note_kept(r, LLVMGetOperand(use->instruction, use->operand));
  }
  for (size_t i = 0; i < c.found_count; i++)
    note_claimed(r, &c.found[i]);
  cs_pass_collected_free(&c);
  cs_ir_map_free(&r->memo);
}

/* ---- calls that pass a parameter on ---- */

/* Returns 1 if more is known of the parameter than before. */
static int add_uses(struct cs_pass_parameter *p, const struct cs_pass_parameter *target, long long offset) {
  struct cs_pass_parameter before = *p;
  p->kept |= target->kept || offset < 0 || (target->indexed && offset != 0);
  p->indexed |= target->indexed;
  p->align = target->align > p->align ? target->align : p->align;
  if (!p->kept && target->end && target->end + (cs_u64)offset > p->end)
    p->end = target->end + (cs_u64)offset;
  return p->kept != before.kept || p->indexed != before.indexed || p->align != before.align || p->end != before.end;
}

static int pass_on(const struct cs_pass_uses *uses, const struct cs_pass_passing *passing, int settle) {
  struct cs_pass_parameter *p = parameter_of(uses, passing->root);
  int changed = 0;
  if (p == NULL || p->kept)
    return 0;
  for (size_t i = 0; i < passing->target_count; i++)
    changed |= add_uses(p, passing->targets[i], passing->offset);
  if (passing->is_open || (changed && settle))
    p->kept = changed = 1;
  return changed;
}

static void follow_calls(const struct cs_pass_uses *uses) {
  for (int iteration = 0, changed = 1; changed; iteration++) {
    changed = 0;
    for (size_t i = 0; i < uses->passing_count; i++)
      changed |= pass_on(uses, &uses->passings[i], iteration >= MAX_ITERATIONS);
  }
}

struct cs_pass_uses cs_pass_uses_read(struct cs_pass *pass) {
  struct cs_pass_uses uses = {0};
  struct reader reader = {.pass = pass, .uses = &uses};
  for (size_t i = 0; i < pass->function_count; i++)
    add_parameters(&uses, pass, pass->functions[i].value);
  for (size_t i = 0; i < pass->function_count; i++)
    read_function(&reader, pass->functions[i].value);
  follow_calls(&uses);
  return uses;
}

void cs_pass_uses_free(struct cs_pass_uses *uses) {
  for (size_t i = 0; i < uses->parameters.capacity; i++)
    free(uses->parameters.entries[i].value);
  cs_ir_map_free(&uses->parameters);
  for (size_t i = 0; i < uses->passing_count; i++)
    free(uses->passings[i].targets);
  free(uses->passings);
  free(uses->taken);
}
