/* eliminate.h: redundant checks, found before any check is inserted.
 *
 * A check is omitted in one copy of the code only, the fast path. The checked path next to it keeps every check, and runs
 * whenever the test fails. So nothing is lost: not the report, its line and its thread, nor a loop's exit before the access
 * that would have been out of bounds. See docs/decisions/0013. */
#ifndef CUSAFE_PASS_ELIMINATE_ELIMINATE_H
#define CUSAFE_PASS_ELIMINATE_ELIMINATE_H

#include "pass/function/function.h"

/* One test at a kernel's entry, for all threads of a block. */
void cs_pass_eliminate_by_block(struct cs_pass_function *function);

/* One test before a loop, for one thread and all iterations. */
void cs_pass_eliminate_by_loop(struct cs_pass_function *function);

#endif
