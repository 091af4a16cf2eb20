/* indirect.h: functions that are called through pointers. */
#ifndef CUSAFE_LIFT_INDIRECT_H
#define CUSAFE_LIFT_INDIRECT_H

#include "lift/unit.h"

/* Whether the function's address is not taken: all of its uses are direct calls. */
int cs_lift_is_only_called(LLVMValueRef function);
/* Gives functions whose address is taken, and the indirect calls of their type, pointers as parameters where all of
 * them show that these are. Returns 1 if something has changed. */
int cs_lift_retype_indirect(struct cs_lift_unit *unit);

#endif
