/* eliminate.c: copies loops into a fast path, in which checks are omitted, and a checked path. */
#include "pass/eliminate/eliminate.h"
#include "pass/bridge/version.h"
#include "pass/eliminate/condition.h"
#include "pass/module/marks.h"
#include <stdlib.h>

/* Instructions; beyond that, a second copy costs more than it saves. */
enum { MAX_FUNCTION = 6000, MAX_LOOP = 2000 };
/* A copy saves checks of the loop itself, which cost little next to such calls. For the CPU device each copy's calls
 * are inlined, and copies inside copies multiply. */
enum { MAX_CALLED = 200 };
enum { MAX_LOOPS = 16 }; /* copied in one pass over a function */

/* A loop inside one that has been copied may still have accesses that only its own preheader can decide. */
enum { MAX_PASSES = 4 };

static void compute_analyses_again(struct cs_pass_function *f) {
  f->pass->get_analyses(f->pass->analyses_owner, f->value, 1);
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
  if (!loop->may_copy || loop->length > MAX_LOOP || loop->called > MAX_CALLED || l->count == MAX_LOOPS)
    return 1;
  LLVMValueRef end = LLVMGetBasicBlockTerminator(loop->preheader);
  struct cs_pass_condition condition = cs_pass_condition_begin(l->function, end, CS_PASS_REASON_LOOP, NULL);
  cs_pass_condition_add_all(&condition, loop->header);
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

int cs_pass_eliminate_by_loop(struct cs_pass_function *f) {
  if (!cs_pass_is_optimised(f->value))
    return 0;
  int eliminates = !f->is_rare && cs_pass_eliminates(f->pass, CS_PASS_REASON_LOOP);
  for (int i = 0, changed = eliminates; i < MAX_PASSES && changed; i++) {
    compute_analyses_again(f);
    cs_pass_function_collect(f);
    changed = split_loops(f);
    cs_pass_function_release(f);
  }
  compute_analyses_again(f); /* for the steps that follow */
  return 0;
}
