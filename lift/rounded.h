/* rounded.h: numbers that a compiler has rounded to a multiple. */
#ifndef CUSAFE_LIFT_ROUNDED_H
#define CUSAFE_LIFT_ROUNDED_H

#include "lift/unit.h"

/* Writes (x & 3) - x as -(x & ~3), and x - (x & 3) as x & ~3. The differences that this replaces stay, without a
 * use. */
void cs_lift_show_multiples(struct cs_lift_unit *unit, LLVMValueRef function);

#endif
