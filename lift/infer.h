/* infer.h: which integers are addresses. */
#ifndef CUSAFE_LIFT_INFER_H
#define CUSAFE_LIFT_INFER_H

#include "lift/unit.h"

/* Turns registers into SSA values, and the integers that are proven to be addresses into pointers. Returns 0, or -1 with a
 * message. */
int cs_lift_infer(struct cs_lift_unit *unit);

#endif
