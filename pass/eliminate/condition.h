/* condition.h: one condition under which many accesses are in bounds, computed at one point of a function. */
#ifndef CUSAFE_PASS_ELIMINATE_CONDITION_H
#define CUSAFE_PASS_ELIMINATE_CONDITION_H

#include "pass/bridge/range.h"
#include "pass/function/function.h"

struct cs_pass_condition {
  struct cs_pass_function *function;
  LLVMValueRef point;         /* code is added before this instruction */
  enum cs_pass_reason reason; /* for accesses that the condition decides */
  LLVMValueRef holds;         /* i1; NULL: there is nothing to test */

  struct cs_pass_ranges *ranges;
  struct cs_pass_map bounds; /* root -> struct cs_pass_bounds */
  struct cs_pass_candidate *candidates;
  size_t candidate_count, candidate_capacity;
};

/* 1 if this elimination is on (-cusafe-eliminate). */
int cs_pass_eliminates(const struct cs_pass *pass, enum cs_pass_reason reason);

/* Starts a condition; whole_block: the point is at a kernel's entry, and the condition holds for all threads of a block. */
struct cs_pass_condition cs_pass_condition_begin(struct cs_pass_function *function, LLVMValueRef point,
                                                 enum cs_pass_reason reason, int whole_block);

/* Makes the condition cover the access, or a detector's call that only reports, if that can be computed. */
void cs_pass_condition_add_access(struct cs_pass_condition *condition, const struct cs_pass_access_item *item);
void cs_pass_condition_add_call(struct cs_pass_condition *condition, LLVMValueRef call);

/* Omits the checks that need no condition: they are proved at compile time. Nothing can be added afterwards. */
void cs_pass_condition_end(struct cs_pass_condition *condition);

/* Omits the checks that the condition covers, in the fast path that is now guarded by it. Frees the condition. */
void cs_pass_condition_apply(struct cs_pass_condition *condition);

#endif
