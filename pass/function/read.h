/* read.h: finds what the collected operands are derived from, and which variables' addresses escape. */
#ifndef CUSAFE_PASS_FUNCTION_READ_H
#define CUSAFE_PASS_FUNCTION_READ_H

#include "pass/function/function.h"

/* Gives every collected operand its root. May insert companions. */
int cs_pass_find_roots(struct cs_pass_function *function);

/* Notes the variables that uninstrumented code reads, and the pointers that are stored in them: those must be plain. */
int cs_pass_note_given_away(struct cs_pass_function *function);

/* Notes the variables whose address escapes. */
int cs_pass_note_escapes(struct cs_pass_function *function);

#endif
