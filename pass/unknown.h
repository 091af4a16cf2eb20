/* unknown.h: names the accesses that nothing bounds, so that what is not checked is known. */
#ifndef CUSAFE_PASS_UNKNOWN_H
#define CUSAFE_PASS_UNKNOWN_H

#include "pass/roots.h"

/* One line on stderr: where the access is, what it does, and why nothing bounds it. */
void cs_pass_print_unknown(struct cs_pass_roots *roots, const struct cs_pass_access_item *item);

#endif
