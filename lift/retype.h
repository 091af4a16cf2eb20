/* retype.h: functions with pointers as parameters or result. */
#ifndef CUSAFE_LIFT_RETYPE_H
#define CUSAFE_LIFT_RETYPE_H

#include "lift/unit.h"

/* Replaces the function by one whose parameters with a flag, and whose result if asked for, are pointers instead of
 * 64-bit integers; its calls and the uses of its address follow. Returns the new function. */
LLVMValueRef cs_lift_retype(struct cs_lift_unit *unit, LLVMValueRef function, const unsigned char *is_pointer,
                            int returns_pointer);
/* Replaces a call through a pointer by one that passes pointers as the arguments with a flag. */
void cs_lift_retype_call(struct cs_lift_unit *unit, LLVMValueRef call, const unsigned char *is_pointer);

#endif
