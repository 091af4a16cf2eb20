/* condition.c: builds one condition for many accesses, from the ranges of their addresses and the bounds of their
 * roots. */
#include "pass/eliminate/condition.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "pass/bridge/version.h"
#include "pass/function/bounds.h"
#include "pass/function/choice.h"
#include "pass/function/detector.h"
#include "pass/module/build.h"
#include "pass/module/marks.h"
#include <stdlib.h>

/* A check that may be omitted. */
struct cs_pass_candidate {
  LLVMValueRef instruction;
  unsigned operand;
  enum {
    ACCESS,
    CALL,
    RACE
  } kind;        /* CALL: a detector's call that only reports is not reached; RACE: the access's check
                                       for races */
  int is_proved; /* whatever the condition */
};

/* What an access is derived from. */
struct root {
  LLVMValueRef value;
  const struct cs_pass_variable *variable; /* if it is one, */
  const struct cs_pass_choice *choice;     /* or is chosen among several */
};

int cs_pass_is_optimised(LLVMValueRef function) {
  unsigned none = cs_ir_attribute_kind("optnone");
  return LLVMGetEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, none) == NULL;
}

static void go_to_point(struct cs_pass_condition *c) {
  cs_pass_build_before(c->function->pass, c->point, NULL);
}

/* A device may read a metadata word here only if it can be read for any pointer; it holds only if no kernel changes
 * it. */
static const struct cs_pass_bounds *bounds_of(struct cs_pass_condition *c, LLVMValueRef root) {
  struct cs_pass *pass = c->function->pass;
  struct cs_pass_bounds *b = cs_ir_map_get(&c->bounds, root);
  if (b)
    return b;
  if (pass->uses_heap || (pass->placement != CS_PLACEMENT_TABLE && c->program == NULL) || LLVMIsAIntToPtrInst(root))
    return NULL;
  LLVMValueRef pointer = cs_pass_ranges_value(c->ranges, root);
  if (pointer == NULL || LLVMIsConstant(pointer))
    return NULL;
  go_to_point(c);
  b = cs_ir_allocate(1, sizeof *b);
  *b = cs_pass_bounds_read(pass, pointer);
  cs_pass_set_own(pass, b->address);
  cs_ir_map_set(&c->bounds, root, b);
  return b;
}

/* Both ends of the extent are below the limit, counted from the start; so is everything between them. */
static LLVMValueRef is_inside(struct cs_pass *pass, const struct cs_pass_extent *extent, LLVMValueRef from,
                              LLVMValueRef limit) {
  LLVMBuilderRef builder = pass->builder;
  LLVMValueRef low = from ? LLVMBuildAdd(builder, from, extent->low, "") : extent->low;
  LLVMValueRef high = from ? LLVMBuildAdd(builder, from, extent->high, "") : extent->high;
  LLVMValueRef a = LLVMBuildICmp(builder, LLVMIntULT, low, limit, ""),
               b = low == high ? a : LLVMBuildICmp(builder, LLVMIntULT, high, limit, "");
  return a == b ? a : LLVMBuildAnd(builder, a, b, "");
}

static LLVMValueRef named_inside(struct cs_pass_condition *c, const struct root *root,
                                 const struct cs_pass_access_item *item, const struct cs_pass_extent *extent) {
  struct cs_pass *pass = c->function->pass;
  if (root->variable && root->variable->outlived)
    return NULL;
  go_to_point(c);
  LLVMValueRef size =
      root->choice ? cs_pass_constant(pass->i64, root->choice->smallest) : cs_pass_variable_bytes(pass, root->variable);
  return is_inside(pass, extent, NULL, cs_pass_bounds_limit(pass, size, item->bytes));
}

static LLVMValueRef tagged_inside(struct cs_pass_condition *c, const struct cs_pass_access_item *item,
                                  LLVMValueRef root, const struct cs_pass_extent *extent) {
  struct cs_pass *pass = c->function->pass;
  const struct cs_pass_bounds *b = bounds_of(c, root);
  if (b == NULL)
    return NULL;
  go_to_point(c);
  LLVMValueRef limit = cs_pass_bounds_limit(pass, b->size, item->bytes);
  if (item->align > 1)
    limit = cs_pass_bounds_aligned(pass, limit, b->address, item->align);
  return is_inside(pass, extent, LLVMBuildSub(pass->builder, b->address, b->start, ""), limit);
}

/* In a loop of a fast form, over elements one after the other: the host knows how many there are, so that the first and
 * the last index suffice. NULL: the access is not of this kind. */
static LLVMValueRef ends_inside(struct cs_pass_condition *c, const struct cs_pass_access_item *item,
                                LLVMValueRef root) {
  struct cs_pass *pass = c->function->pass;
  LLVMBuilderRef builder = pass->builder;
  LLVMValueRef pointer = LLVMGetOperand(item->instruction, item->operand), first, last;
  struct cs_pass_index index;
  if (!c->function->is_fast || !cs_pass_known_at_launch(root) ||
      !cs_pass_keeps_alignment(pass, pointer, root, item->align) ||
      !cs_pass_index_of(pass->layout, pointer, root, &index) ||
      !cs_pass_ranges_ends(c->ranges, index.index, &first, &last))
    return NULL;
  const struct cs_pass_bounds *b = bounds_of(c, root);
  if (b == NULL)
    return NULL;
  go_to_point(c);
  LLVMValueRef limit = cs_pass_bounds_limit(pass, b->size, item->bytes);
  if (item->align > 1)
    limit = cs_pass_bounds_aligned(pass, limit, b->address, item->align);
  LLVMValueRef count = cs_pass_bounds_index(pass, b, limit, &index);
  LLVMValueRef low = LLVMBuildICmp(builder, LLVMIntULT, first, count, ""),
               high = LLVMBuildICmp(builder, LLVMIntULT, last, count, ""),
               ordered = LLVMBuildICmp(builder, LLVMIntULE, first, last, "");
  return LLVMBuildAnd(builder, LLVMBuildAnd(builder, low, high, ""), ordered, "");
}

static LLVMValueRef both(struct cs_pass_condition *c, LLVMValueRef a, LLVMValueRef b) {
  return a == NULL ? b : b == NULL ? a : LLVMBuildAnd(c->function->pass->builder, a, b, "");
}

static int is_never(LLVMValueRef value) {
  return LLVMIsAConstantInt(value) && LLVMConstIntGetZExtValue(value) == 0;
}

static int is_always(LLVMValueRef value) {
  return LLVMIsAConstantInt(value) && LLVMConstIntGetZExtValue(value) != 0;
}

/* Adds to the condition. Returns 0 if the host cannot compute it. */
static int require(struct cs_pass_condition *c, LLVMValueRef in_bounds) {
  if (c->program) {
    int operation = cs_pass_program_value(c->program, in_bounds);
    int all = operation < 0 ? -1 : cs_pass_program_both(c->program, c->operation, operation);
    c->operation = all < 0 ? c->operation : all;
    return all >= 0;
  }
  go_to_point(c);
  c->holds = both(c, c->holds, in_bounds);
  return 1;
}

static void add(struct cs_pass_condition *c, LLVMValueRef in_bounds, struct cs_pass_candidate candidate) {
  candidate.is_proved = is_always(in_bounds);
  if (!cs_pass_eliminates(c->function->pass, candidate.is_proved ? CS_PASS_REASON_RANGE : c->reason))
    return;
  if (!candidate.is_proved && !require(c, in_bounds))
    return;
  cs_ir_push(c->candidates, c->candidate_count, candidate);
}

/* A pointer that is chosen among variables is in bounds if it would be in the smallest of them. */
static struct root root_of(struct cs_pass_condition *c, LLVMValueRef pointer) {
  struct cs_pass_roots *roots = &c->function->roots;
  struct root root = {.value = cs_pass_plain_root_of(roots, pointer)};
  if (root.value) {
    root.variable = cs_pass_variable_of(c->function->pass, root.value);
    return root;
  }
  root.choice = cs_pass_choice_of(roots, pointer);
  if (root.choice && root.choice->is_bare && root.choice->smallest > 0)
    root.value = root.choice->meeting;
  return root;
}

static void add_access(struct cs_pass_condition *c, const struct cs_pass_access_item *item) {
  struct cs_pass *pass = c->function->pass;
  LLVMValueRef pointer = LLVMGetOperand(item->instruction, item->operand);
  struct root root = root_of(c, pointer);
  struct cs_pass_extent extent;
  if (root.value == NULL || item->bytes == 0 || cs_pass_is_exact(pass, item->instruction) ||
      cs_pass_eliminated_by(pass, item->instruction, item->operand) >= 0)
    return;
  LLVMValueRef ends = ends_inside(c, item, root.value);
  if (ends) {
    add(c, ends, (struct cs_pass_candidate){item->instruction, item->operand, ACCESS, 0});
    return;
  }
  if (!cs_pass_ranges_extent(c->ranges, pointer, root.value, item->instruction, item->align, &extent) ||
      extent.multiple % item->align != 0)
    return;
  LLVMValueRef inside = root.variable || root.choice ? named_inside(c, &root, item, &extent)
                                                     : tagged_inside(c, item, root.value, &extent);
  inside = inside == NULL ? NULL : both(c, inside, extent.valid);
  if (inside == NULL || is_never(inside))
    return;
  if (extent.reached)
    inside = LLVMBuildOr(pass->builder, inside, LLVMBuildNot(pass->builder, extent.reached, ""), "");
  add(c, inside, (struct cs_pass_candidate){item->instruction, item->operand, ACCESS, 0});
}

static void add_call(struct cs_pass_condition *c, LLVMValueRef call) {
  struct cs_pass *pass = c->function->pass;
  LLVMValueRef reached = cs_pass_is_exact(pass, call) ? NULL : cs_pass_ranges_reached(c->ranges, call);
  if (reached == NULL)
    return;
  go_to_point(c);
  LLVMValueRef never = LLVMBuildNot(pass->builder, reached, "");
  if (!is_never(never))
    add(c, never, (struct cs_pass_candidate){call, 0, CALL, 0});
}

int cs_pass_condition_require(struct cs_pass_condition *condition, LLVMValueRef holds) {
  return !is_never(holds) && (is_always(holds) || require(condition, holds));
}

void cs_pass_condition_add_race(struct cs_pass_condition *condition, LLVMValueRef access) {
  struct cs_pass_candidate candidate = {access, 0, RACE, 0};
  cs_ir_push(condition->candidates, condition->candidate_count, candidate);
}

const struct cs_pass_bounds *cs_pass_condition_bounds(struct cs_pass_condition *condition, LLVMValueRef root) {
  return bounds_of(condition, root);
}

struct cs_pass_condition cs_pass_condition_begin(struct cs_pass_function *f, LLVMValueRef point,
                                                 enum cs_pass_reason reason, struct cs_pass_program *program) {
  return (struct cs_pass_condition){.function = f,
                                    .point = point,
                                    .reason = reason,
                                    .program = program,
                                    .operation = -1,
                                    .ranges = cs_pass_ranges_begin(f->analyses, point, program != NULL)};
}

/* header: of the loop that must contain them; NULL: the whole function. */
void cs_pass_condition_add_all(struct cs_pass_condition *condition, LLVMBasicBlockRef header) {
  struct cs_pass_function *f = condition->function;
  const struct cs_pass_collected *c = &f->collected;
  for (size_t i = 0; i < c->access_count; i++)
    if (header == NULL ||
        cs_pass_loop_contains(f->analyses, header, LLVMGetInstructionParent(c->accesses[i].instruction)))
      add_access(condition, &c->accesses[i]);
  for (size_t d = 0; f->pass->detectors[d]; d++)
    for (size_t i = 0; f->pass->detectors[d]->only_reports && i < c->found[d].call_count; i++)
      if (header == NULL || cs_pass_loop_contains(f->analyses, header, LLVMGetInstructionParent(c->found[d].calls[i])))
        add_call(condition, c->found[d].calls[i]);
}

static void omit(struct cs_pass_condition *c, int proved) {
  for (size_t i = 0; i < c->candidate_count; i++) {
    const struct cs_pass_candidate *candidate = &c->candidates[i];
    if (candidate->is_proved != proved)
      continue;
    if (candidate->kind == CALL)
      LLVMInstructionEraseFromParent(candidate->instruction);
    else
      cs_pass_set_eliminated(c->function->pass, candidate->instruction, candidate->operand,
                             proved ? CS_PASS_REASON_RANGE : c->reason);
  }
}

/* Before the code is copied, so that both paths omit what is proved. */
void cs_pass_condition_end(struct cs_pass_condition *c) {
  cs_pass_ranges_end(c->ranges);
  for (size_t i = 0; i < c->bounds.capacity; i++)
    free(c->bounds.entries[i].value);
  cs_ir_map_free(&c->bounds);
  omit(c, 1);
}

void cs_pass_condition_apply(struct cs_pass_condition *c) {
  omit(c, 0);
  free(c->candidates);
}

static void mark(const struct cs_pass_condition *c, int on) {
  const struct cs_pass *pass = c->function->pass;
  for (size_t i = 0; i < c->candidate_count; i++) {
    const struct cs_pass_candidate *candidate = &c->candidates[i];
    if (candidate->is_proved)
      continue;
    if (candidate->kind == CALL)
      cs_pass_set_unreached(pass, candidate->instruction, on);
    else if (candidate->kind == RACE)
      cs_pass_set_apart(pass, candidate->instruction, on);
    else if (on)
      cs_pass_set_eliminated(pass, candidate->instruction, candidate->operand, c->reason);
    else
      cs_pass_unset_eliminated(pass, candidate->instruction, candidate->operand);
  }
}

void cs_pass_condition_mark(const struct cs_pass_condition *c) {
  mark(c, 1);
}

void cs_pass_condition_unmark(struct cs_pass_condition *c) {
  mark(c, 0);
  free(c->candidates);
}

void cs_pass_remove_marked_calls(const struct cs_pass *pass, LLVMValueRef function) {
  for (LLVMValueRef i = cs_ir_first(function), next; i; i = next) {
    next = cs_ir_next(i);
    if (cs_pass_is_unreached(pass, i))
      LLVMInstructionEraseFromParent(i);
  }
}
