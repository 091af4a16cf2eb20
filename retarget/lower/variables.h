/* variables.h: the table of variables' addresses. */
#ifndef CUSAFE_RETARGET_LOWER_VARIABLES_H
#define CUSAFE_RETARGET_LOWER_VARIABLES_H

#include "retarget/unit/unit.h"

/* The number in a slot of the table, loaded at the builder's position. The function has the launch block. */
LLVMValueRef cs_rt_load_from_table(struct cs_rt_unit *unit, LLVMBuilderRef builder, LLVMValueRef function,
                                   unsigned slot);

#endif
