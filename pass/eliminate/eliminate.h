/* eliminate.h: redundant checks, found before any check is inserted.
 *
 * A check is omitted in one copy of the code only, the fast form of a kernel or the fast path of a loop. The exact
 * form, or the checked path next to it, keeps every check, and runs whenever the test fails. So nothing is lost: not
 * the report, its line and its thread, nor a loop's exit before the access that would have been out of bounds. See
 * docs/decisions/0013 and 0030. */
#ifndef CUSAFE_PASS_ELIMINATE_ELIMINATE_H
#define CUSAFE_PASS_ELIMINATE_ELIMINATE_H

#include "pass/function/function.h"

/* One test on the host before a launch, for all threads of a grid: adds a fast form to each kernel that has checks to
 * omit (cusafe/predicate.h). A step of pipeline.inc: returns 0. */
int cs_pass_eliminate_by_launch(struct cs_pass *pass);

/* One test before a loop, for one thread and all iterations. */
int cs_pass_eliminate_by_loop(struct cs_pass_function *function);

#endif
