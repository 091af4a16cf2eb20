/* eliminate.c: copies kernels and loops into a fast path, in which checks are omitted, and a checked path. */
#include "pass/eliminate/eliminate.h"
#include "pass/bridge/version.h"
#include "pass/eliminate/condition.h"
#include "pass/function/detector.h"
#include "pass/module/kernels.h"
#include "pass/module/marks.h"
#include <stdlib.h>
#include <string.h>

/* Instructions; beyond that, a second copy costs more than it saves. */
enum { MAX_FUNCTION = 6000, MAX_LOOP = 2000 };
enum { MAX_LOOPS = 16 }; /* copied in one pass over a function */

/* A loop inside one that has been copied may still have accesses that only its own preheader can decide. */
enum { MAX_PASSES = 4 };

static int is_optimised(LLVMValueRef function) {
  unsigned none = LLVMGetEnumAttributeKindForName("optnone", strlen("optnone"));
  return LLVMGetEnumAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex, none) == NULL;
}

static void compute_analyses_again(struct cs_pass_function *f) {
  f->pass->get_analyses(f->pass->analyses_owner, f->value, 1);
}

/* header: of the loop that must contain them; NULL: the whole function. */
static void add_all(struct cs_pass_condition *condition, LLVMBasicBlockRef header) {
  struct cs_pass_function *f = condition->function;
  const struct cs_pass_collected *c = &f->collected;
  for (size_t i = 0; i < c->access_count; i++)
    if (header == NULL ||
        cs_pass_loop_contains(f->analyses, header, LLVMGetInstructionParent(c->accesses[i].instruction)))
      cs_pass_condition_add_access(condition, &c->accesses[i]);
  for (size_t d = 0; f->pass->detectors[d]; d++)
    for (size_t i = 0; f->pass->detectors[d]->only_reports && i < c->found[d].call_count; i++)
      if (header == NULL || cs_pass_loop_contains(f->analyses, header, LLVMGetInstructionParent(c->found[d].calls[i])))
        cs_pass_condition_add_call(condition, c->found[d].calls[i]);
}

static void split_kernel(struct cs_pass_function *f) {
  LLVMValueRef entry = cs_pass_version_entry(f->value);
  if (entry == NULL || !cs_pass_is_kernel(f->value) || cs_pass_function_length(f->value) > MAX_FUNCTION)
    return;
  struct cs_pass_condition condition = cs_pass_condition_begin(f, entry, CS_PASS_REASON_BLOCK, 1);
  add_all(&condition, NULL);
  cs_pass_condition_end(&condition);
  if (condition.holds)
    cs_pass_version_function(entry, condition.holds, cs_pass_exact_kind(f->pass));
  cs_pass_condition_apply(&condition);
}

void cs_pass_eliminate_by_block(struct cs_pass_function *f) {
  if (!is_optimised(f->value) ||
      (!cs_pass_eliminates(f->pass, CS_PASS_REASON_BLOCK) && !cs_pass_eliminates(f->pass, CS_PASS_REASON_RANGE)))
    return;
  cs_pass_function_collect(f);
  split_kernel(f);
  cs_pass_function_release(f);
}

struct loops {
  struct cs_pass_function *function;
  struct loop {
    struct cs_pass_condition condition;
    LLVMBasicBlockRef header;
  } items[MAX_LOOPS];
  size_t count;
};

/* Conditions come first; then the loops are copied, none of which is inside another. */
static int try_loop(void *context, const struct cs_pass_loop *loop) {
  struct loops *l = context;
  if (!loop->may_copy || loop->length > MAX_LOOP || l->count == MAX_LOOPS)
    return 1;
  LLVMValueRef end = LLVMGetBasicBlockTerminator(loop->preheader);
  struct cs_pass_condition condition = cs_pass_condition_begin(l->function, end, CS_PASS_REASON_LOOP, 0);
  add_all(&condition, loop->header);
  cs_pass_condition_end(&condition);
  if (condition.holds == NULL) {
    cs_pass_condition_apply(&condition);
    return 1;
  }
  l->items[l->count++] = (struct loop){condition, loop->header};
  return 0;
}

/* Returns 1 if control flow has changed. */
static int split_loops(struct cs_pass_function *f) {
  struct loops l = {.function = f};
  if (cs_pass_function_length(f->value) > MAX_FUNCTION)
    return 0;
  cs_pass_visit_loops(f->analyses, try_loop, &l);
  for (size_t i = 0; i < l.count; i++) {
    struct cs_pass_condition *condition = &l.items[i].condition;
    cs_pass_version_loop(f->analyses, l.items[i].header, condition->holds, cs_pass_exact_kind(f->pass));
    cs_pass_condition_apply(condition);
  }
  return l.count > 0;
}

void cs_pass_eliminate_by_loop(struct cs_pass_function *f) {
  if (!is_optimised(f->value))
    return;
  for (int i = 0, changed = 1; i < MAX_PASSES && changed && cs_pass_eliminates(f->pass, CS_PASS_REASON_LOOP); i++) {
    compute_analyses_again(f);
    cs_pass_function_collect(f);
    changed = split_loops(f);
    cs_pass_function_release(f);
  }
  compute_analyses_again(f); /* for the steps that follow */
}
