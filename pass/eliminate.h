/* eliminate.h: checks that need not be made, found before any is inserted.
 *
 * What is left away is left away in one version of the code only; a version with every check stands beside it, and runs whenever
 * the reason does not hold. So nothing is lost: not the report, its line and its thread, nor a loop's way out before the
 * access that would have been wrong. See docs/decisions/0013. */
#ifndef CUSAFE_PASS_ELIMINATE_H
#define CUSAFE_PASS_ELIMINATE_H

#include "pass/pass.h"

/* Why an access has no check of its own. */
enum cs_pass_reason {
#define CS_PASS_REASON(id, name, option) CS_PASS_REASON_##id,
#include "pass/reasons.inc"
  CS_PASS_REASON_COUNT
};

/* Bits by reason; -1 after saying what is wrong with the list. */
int cs_pass_parse_eliminations(const char *list);

/* May change the function's control flow. */
void cs_pass_eliminate(struct cs_pass *pass, LLVMValueRef function, cs_pass_get_analyses get, void *self);

/* Why the access is left away in this version of the code: an enum cs_pass_reason, or -1 if it is not. */
int cs_pass_eliminated_by(const struct cs_pass *pass, LLVMValueRef instruction, unsigned operand);

/* Code of ours that looks like the program's: it is not instrumented. */
void cs_pass_set_own(const struct cs_pass *pass, LLVMValueRef instruction);
int cs_pass_is_own(const struct cs_pass *pass, LLVMValueRef instruction);

/* Is it in the version with every check? */
int cs_pass_is_exact(const struct cs_pass *pass, LLVMValueRef instruction);

/* One line for each function, on stderr. */
struct cs_pass_statistics {
  unsigned accesses, checks, removed[CS_PASS_REASON_COUNT];
};
void cs_pass_print_statistics(LLVMValueRef function, const struct cs_pass_statistics *statistics);

#endif
