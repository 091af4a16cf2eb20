/* retype.h: functions with pointers as parameters or result. */
#ifndef CUSAFE_LIFT_RETYPE_H
#define CUSAFE_LIFT_RETYPE_H

#include "lift/unit.h"

/* Replaces the function by one whose parameters with a flag, and whose result if asked for, are pointers instead of 64-bit integers; its
 * calls follow. Returns the new function. */
LLVMValueRef cs_lift_retype(struct cs_lift_unit *unit, LLVMValueRef function, const unsigned char *is_pointer,
                            int returns_pointer);

#endif
