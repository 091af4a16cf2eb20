/* condition.h: one condition under which many accesses are in bounds, computed at one point of a function, or on the
 * host before a launch. */
#ifndef CUSAFE_PASS_ELIMINATE_CONDITION_H
#define CUSAFE_PASS_ELIMINATE_CONDITION_H

#include "pass/function/bounds.h"
#include "pass/function/function.h"
#include "pass/launch/program.h"
#include "pass/ranges/ranges.h"

struct cs_pass_condition {
  struct cs_pass_function *function;
  LLVMValueRef point;              /* code is added before this instruction */
  enum cs_pass_reason reason;      /* for accesses that the condition decides */
  LLVMValueRef holds;              /* i1; NULL: there is nothing to test */
  struct cs_pass_program *program; /* of the host; NULL: the function itself computes the condition */
  int operation;                   /* in the program, instead of `holds`; -1: there is nothing to test */

  struct cs_pass_ranges *ranges;
  struct cs_ir_map bounds; /* root -> struct cs_pass_bounds */
  struct cs_pass_candidate *candidates;
  size_t candidate_count;
};

/* 0 for code at -O0. */
int cs_pass_is_optimised(LLVMValueRef function);

/* Starts a condition of the function itself; or of the host (program), for all threads of a grid, at a kernel's
 * entry. */
struct cs_pass_condition cs_pass_condition_begin(struct cs_pass_function *function, LLVMValueRef point,
                                                 enum cs_pass_reason reason, struct cs_pass_program *program);

/* Makes the condition cover the accesses, and the detectors' calls that only report, for which that can be computed: in
 * the loop with this header, or (NULL) in the whole function. */
void cs_pass_condition_add_all(struct cs_pass_condition *condition, LLVMBasicBlockRef header);

/* For detectors (by_launch), of a condition of the host. Adds an i1 at the point to the condition; returns 0 if the
 * host cannot compute it. */
int cs_pass_condition_require(struct cs_pass_condition *condition, LLVMValueRef holds);
/* What has been required implies that the access races with none. */
void cs_pass_condition_add_race(struct cs_pass_condition *condition, LLVMValueRef access);
/* Of a root that the host knows, at the point; NULL: not known. */
const struct cs_pass_bounds *cs_pass_condition_bounds(struct cs_pass_condition *condition, LLVMValueRef root);

/* Omits the checks that need no condition: they are proved at compile time. Nothing can be added afterwards. */
void cs_pass_condition_end(struct cs_pass_condition *condition);

/* Omits the checks that the condition covers, in the fast path that is now guarded by it. Frees the condition. */
void cs_pass_condition_apply(struct cs_pass_condition *condition);

/* The same in two steps around copying the function: marks what the condition covers; and, in a function that is not
 * guarded by it, takes the marks back, and frees the condition. */
void cs_pass_condition_mark(const struct cs_pass_condition *condition);
void cs_pass_condition_unmark(struct cs_pass_condition *condition);
/* In the copy: removes the calls that are marked. */
void cs_pass_remove_marked_calls(const struct cs_pass *pass, LLVMValueRef function);

#endif
