/* choice.c: recognises pointers that are chosen among variables, and builds the companions that choose their bounds. */
#include "pass/function/choice.h"
#include "ir/memory.h"
#include "pass/module/build.h"
#include <stdlib.h>

/* With more variables, the pointer is checked through its escaping form: the report finds the chosen one by
 * comparisons. */
enum { MAX_VARIABLES = 32 };

static struct cs_pass_choice no_choice; /* known to be none */

/* The variables that meet in a web of phis and selects. */
struct web {
  struct cs_ir_map seen;
  struct cs_pass_choice choice;
  int is_all_named;
};

static void gather(struct cs_pass_roots *roots, struct web *web, LLVMValueRef pointer);

static void gather_operand(struct cs_pass_roots *roots, struct web *web, LLVMValueRef operand) {
  web->choice.is_bare &= cs_pass_is_bare(operand, cs_pass_terminal_of(operand));
  gather(roots, web, operand);
}

static void gather_meeting(struct cs_pass_roots *roots, struct web *web, LLVMValueRef meeting) {
  if (LLVMIsASelectInst(meeting)) {
    gather_operand(roots, web, LLVMGetOperand(meeting, 1));
    gather_operand(roots, web, LLVMGetOperand(meeting, 2));
    return;
  }
  for (unsigned i = 0; i < LLVMCountIncoming(meeting); i++)
    gather_operand(roots, web, LLVMGetIncomingValue(meeting, i));
}

static void add_variable(struct web *web, struct cs_pass_variable *v) {
  struct cs_pass_choice *c = &web->choice;
  c->smallest = c->count == 0 || v->bytes < c->smallest ? v->bytes : c->smallest;
  cs_ir_push(c->variables, c->count, v);
}

static void gather(struct cs_pass_roots *roots, struct web *web,
                   LLVMValueRef pointer) { // NOLINT(misc-no-recursion): phis
  LLVMValueRef value = cs_pass_terminal_of(pointer);
  if (cs_pass_is_null_pointer(value)) {
    web->choice.has_null = 1;
    return;
  }
  if (cs_ir_map_get(&web->seen, value))
    return;
  cs_ir_map_set(&web->seen, value, value);
  struct cs_pass_variable *v = cs_pass_variable_of(roots->pass, value);
  if (cs_pass_is_meeting(value))
    gather_meeting(roots, web, value);
  else if (v != NULL)
    add_variable(web, v);
  else
    web->is_all_named = 0;
}

/* The caller frees choice.variables and seen. */
static struct web web_of(struct cs_pass_roots *roots, LLVMValueRef meeting) {
  struct web web = {.choice = {.meeting = meeting, .is_bare = 1}, .is_all_named = 1};
  gather(roots, &web, meeting);
  return web;
}

static int is_in_scope(const struct cs_pass_choice *c) {
  for (size_t i = 0; i < c->count; i++)
    if (c->variables[i]->outlived)
      return 0;
  return 1;
}

static struct cs_pass_choice *recognise(struct cs_pass_roots *roots, LLVMValueRef meeting) {
  struct web web = web_of(roots, meeting);
  cs_ir_map_free(&web.seen);
  if (!web.is_all_named || web.choice.count == 0 || web.choice.count > MAX_VARIABLES || !is_in_scope(&web.choice)) {
    free(web.choice.variables);
    return &no_choice;
  }
  if (web.choice.has_null)
    web.choice.is_bare = 0, web.choice.smallest = 0;
  struct cs_pass_choice *choice = cs_ir_allocate(1, sizeof *choice);
  *choice = web.choice;
  return choice;
}

struct cs_pass_choice *cs_pass_choice_of(struct cs_pass_roots *roots, LLVMValueRef pointer) {
  LLVMValueRef meeting = cs_pass_terminal_of(pointer);
  if (!cs_pass_is_meeting(meeting))
    return NULL;
  struct cs_pass_choice *known = cs_ir_map_get(&roots->choices, meeting);
  if (known == NULL)
    cs_ir_map_set(&roots->choices, meeting, known = recognise(roots, meeting));
  return known == &no_choice ? NULL : known;
}

void cs_pass_visit_locals(struct cs_pass_roots *roots, LLVMValueRef pointer, cs_pass_local_visitor *visit,
                          LLVMValueRef user) {
  struct web web = web_of(roots, pointer);
  for (size_t i = 0; i < web.choice.count; i++)
    if (web.choice.variables[i]->memory == CS_MEMORY_LOCAL)
      visit(roots, web.choice.variables[i], &web.seen, user);
  free(web.choice.variables);
  cs_ir_map_free(&web.seen);
}

/* Larger webs, and those of loops, are checked at run time. */
enum { MAX_WAYS = 64 };

static int holds(struct cs_pass_roots *roots, LLVMValueRef pointer, long long further, cs_u64 bytes, int *ways) {
  LLVMValueRef value = cs_pass_terminal_of(pointer);
  struct cs_pass_variable *v = cs_pass_variable_of(roots->pass, value);
  long long offset;
  if (--*ways < 0 || !cs_pass_constant_offset(roots->pass->layout, pointer, value, &offset))
    return 0;
  offset += further;
  if (v != NULL)
    return offset >= 0 && (cs_u64)offset + bytes <= v->bytes;
  if (LLVMIsASelectInst(value))
    return holds(roots, LLVMGetOperand(value, 1), offset, bytes, ways) &&
           holds(roots, LLVMGetOperand(value, 2), offset, bytes, ways);
  for (unsigned i = 0; LLVMIsAPHINode(value) && i < LLVMCountIncoming(value); i++)
    if (!holds(roots, LLVMGetIncomingValue(value, i), offset, bytes, ways))
      return 0;
  return LLVMIsAPHINode(value) != NULL;
}

int cs_pass_choice_holds(struct cs_pass_roots *roots, LLVMValueRef pointer, cs_u64 bytes) {
  int ways = MAX_WAYS;
  return holds(roots, pointer, 0, bytes, &ways);
}

/* ---- companions ---- */

static LLVMValueRef constant_size(const struct cs_pass_roots *roots, const struct cs_pass_choice *c) {
  for (size_t i = 0; i < c->count; i++)
    if (c->variables[i]->bytes != c->smallest)
      return NULL;
  return c->smallest ? LLVMConstInt(roots->pass->i64, c->smallest, 0) : NULL;
}

/* The first instruction after the meeting that is not a phi. */
static LLVMValueRef after(LLVMValueRef meeting) {
  LLVMValueRef next = LLVMGetNextInstruction(meeting);
  while (LLVMIsAPHINode(next))
    next = LLVMGetNextInstruction(next);
  return next;
}

struct side {
  LLVMValueRef start, size;
};

/* The bounds that the meeting takes from one of its operands; code is added before `at`. */
static struct side side_of(struct cs_pass_roots *roots, LLVMValueRef operand, LLVMValueRef at) {
  struct cs_pass *pass = roots->pass;
  LLVMValueRef value = cs_pass_terminal_of(operand);
  struct cs_pass_choice *inner = cs_pass_choice_of(roots, value);
  struct cs_pass_variable *v = cs_pass_variable_of(pass, value);
  if (inner != NULL) {
    cs_pass_choice_bounds(roots, inner);
    return (struct side){inner->start, inner->size};
  }
  if (v == NULL) /* null, or a phi of nothing else */
    return (struct side){LLVMConstNull(pass->ptr), LLVMConstNull(pass->i64)};
  LLVMPositionBuilderBefore(pass->builder, at);
  cs_pass_locate(pass, at, LLVMGetBasicBlockParent(LLVMGetInstructionParent(at)));
  return (struct side){cs_pass_generic(pass, value), cs_pass_variable_bytes(pass, v)};
}

static void add_incoming(LLVMValueRef phi, LLVMValueRef value, LLVMBasicBlockRef from) {
  if (LLVMIsAPHINode(phi) != NULL)
    LLVMAddIncoming(phi, &value, &from, 1);
}

/* The start of a bare choice, and a size that all variables have, need no phi. */
static void bounds_of_phi(struct cs_pass_roots *roots, struct cs_pass_choice *c) {
  struct cs_pass *pass = roots->pass;
  LLVMValueRef phi = c->meeting, start = NULL, size = NULL;
  LLVMPositionBuilderBefore(pass->builder, phi);
  if (c->start == NULL)
    c->start = start = LLVMBuildPhi(pass->builder, pass->ptr, "cs.start");
  if (c->size == NULL)
    c->size = size = LLVMBuildPhi(pass->builder, pass->i64, "cs.size");
  for (unsigned i = 0; (start || size) && i < LLVMCountIncoming(phi); i++) {
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
    struct side side = side_of(roots, LLVMGetIncomingValue(phi, i), LLVMGetBasicBlockTerminator(from));
    if (start)
      add_incoming(start, side.start, from);
    if (size)
      add_incoming(size, side.size, from);
  }
}

static void bounds_of_select(struct cs_pass_roots *roots, struct cs_pass_choice *c) {
  LLVMBuilderRef builder = roots->pass->builder;
  LLVMValueRef select = c->meeting, condition = LLVMGetOperand(select, 0);
  if (c->start != NULL && c->size != NULL)
    return;
  struct side yes = side_of(roots, LLVMGetOperand(select, 1), select);
  struct side no = side_of(roots, LLVMGetOperand(select, 2), select);
  LLVMPositionBuilderBefore(builder, select);
  if (c->start == NULL)
    c->start = LLVMBuildSelect(builder, condition, yes.start, no.start, "cs.start");
  if (c->size == NULL)
    c->size = LLVMBuildSelect(builder, condition, yes.size, no.size, "cs.size");
}

void cs_pass_choice_bounds(struct cs_pass_roots *roots,
                           struct cs_pass_choice *c) { // NOLINT(misc-no-recursion): nested choices
  if (c->start != NULL && c->size != NULL)
    return;
  if (c->is_bare) {
    LLVMPositionBuilderBefore(roots->pass->builder, after(c->meeting));
    c->start = cs_pass_generic(roots->pass, c->meeting);
  }
  c->size = constant_size(roots, c);
  if (LLVMIsAPHINode(c->meeting))
    bounds_of_phi(roots, c);
  else
    bounds_of_select(roots, c);
}

void cs_pass_choices_free(struct cs_pass_roots *roots) {
  for (size_t i = 0; i < roots->choices.capacity; i++) {
    struct cs_pass_choice *choice = roots->choices.entries[i].value;
    if (choice == NULL || choice == &no_choice)
      continue;
    free(choice->variables);
    free(choice);
  }
  cs_ir_map_free(&roots->choices);
}
