/* launch.h: the launch block in functions. */
#ifndef CUSAFE_RETARGET_LOWER_LAUNCH_H
#define CUSAFE_RETARGET_LOWER_LAUNCH_H

#include "retarget/unit/unit.h"

/* struct cs_launch as a pointer to global memory: a parameter of kernels and, from lower-exits on, of helpers. NULL in
 * functions that do not have it. */
LLVMValueRef cs_rt_launch_block(struct cs_rt_unit *unit, LLVMValueRef function);

#endif
