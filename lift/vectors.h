/* vectors.h: the types of loaded vectors. */
#ifndef CUSAFE_LIFT_VECTORS_H
#define CUSAFE_LIFT_VECTORS_H

#include "lift/unit.h"

/* Loads vectors of integers as floats where all of their lanes are used as such. */
void cs_lift_type_vectors(struct cs_lift_unit *unit, LLVMValueRef function);

#endif
