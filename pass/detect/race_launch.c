/* race_launch.c: accesses that race with none, under a condition that the host decides at a launch.
 *
 * A buffer that the kernel only reads is not written in this launch if no pointer through which the kernel writes leads
 * to the same buffer. A buffer in which every thread accesses its own bytes has no races either, nor has a shared
 * variable between two barriers. The fast form of the kernel does not check such accesses. */
#include "ir/memory.h"
#include "pass/detect/race_plan.h"
#include "pass/eliminate/condition.h"
#include "pass/function/roots.h"
#include "pass/module/build.h"
#include "pass/ranges/apart.h"
#include "pass/variables/objects.h"
#include <stdlib.h>

/* The accesses through one pointer that the launch gives, or to one shared variable. */
struct group {
  const struct cs_pass_variable *variable; /* or */
  LLVMValueRef root;
  int key;                   /* the operation that gives the pointer: one parameter may be read more than once */
  int is_written, is_atomic; /* atomic operations only, which do not race with each other */
  LLVMValueRef apart;        /* i1: each thread has its own bytes; NULL: not known */
};

struct survey {
  struct cs_pass_function *function;
  struct cs_pass_condition *condition;
  struct cs_pass_race_plan *plans;
  int *group_of; /* of each access; or */
#define UNCHECKED (-1)
#define UNKNOWN (-2) /* perhaps any buffer */
  struct group *groups;
  size_t group_count;
  int is_unknown_read, is_unknown_written;
  int is_unknown_shared; /* an access to shared memory that names no variable */
};

static const struct cs_pass_access_item *item_of(const struct survey *s, size_t i) {
  return &s->function->collected.accesses[i];
}

static LLVMBuilderRef at_point(const struct survey *s) {
  struct cs_pass *pass = s->function->pass;
  cs_pass_build_before(pass, s->condition->point, NULL);
  return pass->builder;
}

/* ---- groups ---- */

static int is_atomic(const struct cs_pass_race_plan *plan) {
  return plan->strength == CS_STRENGTH_ATOMIC && !plan->is_narrow;
}

static int find_group(struct survey *s, struct group made) {
  for (size_t i = 0; i < s->group_count; i++)
    if (s->groups[i].variable == made.variable && s->groups[i].key == made.key)
      return (int)i;
  cs_ir_push(s->groups, s->group_count, made);
  return (int)s->group_count - 1;
}

/* Two variables of dynamic shared memory have the same bytes. */
static int is_static_shared(const struct cs_pass_race_plan *plan) {
  return plan->memory == CS_RACE_SHARED && plan->variable && plan->variable->memory == CS_MEMORY_SHARED;
}

static int group_of(struct survey *s, size_t i) {
  const struct cs_pass_race_plan *plan = &s->plans[i];
  if (!plan->is_checked || plan->meets_copy || (plan->memory == CS_RACE_SHARED && !is_static_shared(plan)) ||
      plan->memory == CS_RACE_VARIABLE)
    return UNCHECKED;
  if (is_static_shared(plan))
    return find_group(
        s, (struct group){.variable = plan->variable, .root = plan->variable->value, .key = -1, .is_atomic = 1});
  LLVMValueRef pointer = LLVMGetOperand(item_of(s, i)->instruction, item_of(s, i)->operand);
  LLVMValueRef root = plan->memory == CS_RACE_BUFFER ? cs_pass_plain_root_of(&s->function->roots, pointer) : NULL;
  LLVMValueRef value = root && cs_pass_known_at_launch(root) ? cs_pass_ranges_value(s->condition->ranges, root) : NULL;
  int key = value ? cs_pass_program_value(s->condition->program, value) : -1;
  return key < 0 ? UNKNOWN : find_group(s, (struct group){.root = root, .key = key, .is_atomic = 1});
}

static void find_groups(struct survey *s) {
  for (size_t i = 0; i < s->function->collected.access_count; i++) {
    const struct cs_pass_race_plan *plan = &s->plans[i];
    int is_write = cs_pass_race_may_break(item_of(s, i), plan);
    s->group_of[i] = group_of(s, i);
    s->is_unknown_shared |= plan->is_checked && plan->memory == CS_RACE_SHARED && !plan->variable;
    if (s->group_of[i] == UNKNOWN) {
      s->is_unknown_read = 1;
      s->is_unknown_written |= is_write;
    } else if (s->group_of[i] != UNCHECKED) {
      struct group *group = &s->groups[s->group_of[i]];
      group->is_written |= is_write;
      group->is_atomic &= is_atomic(plan);
    }
  }
}

/* ---- conditions ---- */

/* Of both groups, those that only read, or the others. */
static int add_accesses(const struct survey *s, struct cs_pass_apart *apart, int a, int b, int writes) {
  for (size_t i = 0; i < s->function->collected.access_count; i++) {
    const struct cs_pass_access_item *item = item_of(s, i);
    if ((s->group_of[i] != a && s->group_of[i] != b) || (item->access != CS_ACCESS_READ) != writes)
      continue;
    LLVMValueRef pointer = LLVMGetOperand(item->instruction, item->operand);
    LLVMValueRef root =
        s->groups[a].variable ? cs_pass_terminal_of(pointer) : cs_pass_plain_root_of(&s->function->roots, pointer);
    if (LLVMIsACallInst(item->instruction) ||
        !cs_pass_apart_add(apart, pointer, root, item->instruction, item->bytes, writes))
      return 0;
  }
  return 1;
}

static LLVMValueRef are_apart_by(const struct survey *s, int a, int b, int by_number) {
  struct cs_pass_apart *apart = cs_pass_apart_begin(s->condition->ranges, s->groups[a].variable != NULL, by_number);
  int all = add_accesses(s, apart, a, b, 1) && add_accesses(s, apart, a, b, 0);
  LLVMValueRef holds = cs_pass_apart_end(apart);
  return all ? holds : NULL;
}

/* i1: each thread has its own bytes of the buffer to which the pointers of both groups lead, or (a == b) of one. */
static LLVMValueRef are_apart(const struct survey *s, int a, int b) {
  LLVMValueRef by_number = are_apart_by(s, a, b, 1), by_index = by_number ? are_apart_by(s, a, b, 0) : NULL;
  return by_index ? LLVMBuildOr(at_point(s), by_number, by_index, "") : NULL;
}

static LLVMValueRef ends_before(LLVMBuilderRef builder, const struct cs_pass_bounds *a,
                                const struct cs_pass_bounds *b) {
  return LLVMBuildICmp(builder, LLVMIntULE, LLVMBuildAdd(builder, a->start, a->size, ""), b->start, "");
}

/* i1: two buffers, with known bounds, that have no byte in common; or one is none of CuSafe's heap, where nothing is
 * checked. */
static LLVMValueRef are_disjoint(const struct survey *s, int a, int b) {
  const struct cs_pass_bounds *x = cs_pass_condition_bounds(s->condition, s->groups[a].root),
                              *y = cs_pass_condition_bounds(s->condition, s->groups[b].root);
  if (!x || !y)
    return NULL;
  LLVMBuilderRef builder = at_point(s);
  LLVMValueRef zero = cs_pass_constant(s->function->pass->i64, 0);
  LLVMValueRef apart = LLVMBuildOr(builder, ends_before(builder, x, y), ends_before(builder, y, x), "");
  LLVMValueRef known = LLVMBuildAnd(builder, LLVMBuildICmp(builder, LLVMIntNE, x->size, zero, ""),
                                    LLVMBuildICmp(builder, LLVMIntNE, y->size, zero, ""), "");
  LLVMValueRef other = LLVMBuildOr(builder, LLVMBuildICmp(builder, LLVMIntEQ, x->start, zero, ""),
                                   LLVMBuildICmp(builder, LLVMIntEQ, y->start, zero, ""), "");
  return LLVMBuildOr(builder, LLVMBuildAnd(builder, apart, known, ""), other, "");
}

/* i1: one buffer does not race with the other; a kernel may work in place, with one pointer in two parameters. */
static LLVMValueRef are_safe(const struct survey *s, int a, int b) {
  LLVMValueRef disjoint = are_disjoint(s, a, b), together = disjoint ? are_apart(s, a, b) : NULL;
  if (!together)
    return disjoint;
  LLVMBuilderRef builder = at_point(s);
  const struct cs_pass_bounds *x = cs_pass_condition_bounds(s->condition, s->groups[a].root),
                              *y = cs_pass_condition_bounds(s->condition, s->groups[b].root);
  LLVMValueRef same = LLVMBuildICmp(builder, LLVMIntEQ, x->address, y->address, "");
  return LLVMBuildOr(builder, disjoint, LLVMBuildAnd(builder, same, together, ""), "");
}

/* Whether the group can do without checks: it is only read, each thread has its own bytes, or all is atomic. */
static int is_candidate(const struct survey *s, int g) {
  const struct group *group = &s->groups[g];
  if (group->variable && s->is_unknown_shared)
    return 0;
  if (group->variable || group->is_written)
    return (group->apart || group->is_atomic) && !s->is_unknown_read;
  return !s->is_unknown_written;
}

static int require(const struct survey *s, LLVMValueRef holds) {
  return holds && cs_pass_condition_require(s->condition, holds);
}

/* Against all other buffers that are written, or if this one is. */
static int require_others(const struct survey *s, int g) {
  for (int other = 0; other < (int)s->group_count; other++) {
    const struct group *o = &s->groups[other];
    if (other != g && !o->variable && (o->is_written || s->groups[g].is_written) && !require(s, are_safe(s, g, other)))
      return 0;
  }
  return 1;
}

static int require_group(const struct survey *s, int g) {
  const struct group *group = &s->groups[g];
  return is_candidate(s, g) && (!group->is_written || group->is_atomic || require(s, group->apart)) &&
         (group->variable || require_others(s, g));
}

static void omit_group(const struct survey *s, int g) {
  for (size_t i = 0; i < s->function->collected.access_count; i++)
    if (s->group_of[i] == g)
      cs_pass_condition_add_race(s->condition, item_of(s, i)->instruction);
}

void cs_pass_race_by_launch(struct cs_pass_function *f, struct cs_pass_condition *condition) {
  if (!f->pass->finds_races || !cs_pass_race_has_own_barriers(f->value))
    return;
  struct survey s = {.function = f,
                     .condition = condition,
                     .plans = cs_pass_race_plan(f),
                     .group_of = cs_ir_allocate(f->collected.access_count + 1, sizeof(int))};
  find_groups(&s);
  for (int g = 0; g < (int)s.group_count; g++)
    if (s.groups[g].is_written && !s.groups[g].is_atomic)
      s.groups[g].apart = are_apart(&s, g, g);
  for (int g = 0; g < (int)s.group_count; g++)
    if (require_group(&s, g))
      omit_group(&s, g);
  free(s.groups);
  free(s.group_of);
  free(s.plans);
}
