/* lend.h: calls that lend a variable to a function: the callee knows the variable's bounds, and its address does not
 * escape. */
#ifndef CUSAFE_PASS_CALLS_LEND_H
#define CUSAFE_PASS_CALLS_LEND_H

#include "pass/module/pass.h"

/* Sets the attributes of variables/lent.h. */
int cs_pass_lend_variables(struct cs_pass *pass);

#endif
