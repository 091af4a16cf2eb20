/* body.h: the statements of a function. */
#ifndef CUSAFE_LIFT_BODY_H
#define CUSAFE_LIFT_BODY_H

#include "lift/unit.h"

/* Writes the body of a defined function. */
void cs_lift_body(struct cs_lift_unit *unit, struct cs_lift_symbol *symbol);

#endif
