/* calls.h: calls of functions. */
#ifndef CUSAFE_LIFT_CALLS_H
#define CUSAFE_LIFT_CALLS_H

#include "lift/unit.h"

/* call{.uni} {(result),} target{, (arguments)}{, prototype}; */
void cs_lift_call(struct cs_lift_function *f, const struct cs_ptx_instruction *i);

#endif
