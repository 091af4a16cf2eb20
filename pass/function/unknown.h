/* unknown.h: prints the accesses that nothing bounds, so that the user knows what is not checked. */
#ifndef CUSAFE_PASS_FUNCTION_UNKNOWN_H
#define CUSAFE_PASS_FUNCTION_UNKNOWN_H

#include "pass/function/roots.h"

/* One line on stderr: location, kind, size, and why nothing bounds the access. */
void cs_pass_print_unknown(struct cs_pass_roots *roots, const struct cs_pass_access_item *item);

#endif
