/* statistics.h: what is checked in a function, and why the rest is not. */
#ifndef CUSAFE_PASS_FUNCTION_STATISTICS_H
#define CUSAFE_PASS_FUNCTION_STATISTICS_H

#include "pass/function/function.h"

/* One line on stderr (-cusafe-statistics), and one for each access that nothing bounds (-cusafe-unknown). */
int cs_pass_print_statistics(struct cs_pass_function *function);

#endif
