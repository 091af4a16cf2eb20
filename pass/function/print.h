/* print.h: prints what the steps have found and not written yet, as comments after the IR of -cusafe-print-after. */
#ifndef CUSAFE_PASS_FUNCTION_PRINT_H
#define CUSAFE_PASS_FUNCTION_PRINT_H

#include "pass/function/function.h"

/* On stderr, one line for each access, escape and number of the function. Only before the function is rewritten. */
void cs_pass_print_found(const struct cs_pass_function *function);

/* On stderr, one line for each variable that a root is. */
void cs_pass_print_variables(const struct cs_pass *pass);

#endif
