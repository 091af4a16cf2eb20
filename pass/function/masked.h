/* masked.h: masked loads and stores as ordinary ones. */
#ifndef CUSAFE_PASS_FUNCTION_MASKED_H
#define CUSAFE_PASS_FUNCTION_MASKED_H

#include "pass/function/function.h"

/* Replaces an access under a constant mask by one for each run of lanes that are on: lanes that are off may be out of
 * bounds. */
int cs_pass_expand_masked(struct cs_pass_function *function);

#endif
