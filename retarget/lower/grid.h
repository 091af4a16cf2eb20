/* grid.h: kernels that synchronise their grid, for barriers.c. */
#ifndef CUSAFE_RETARGET_LOWER_GRID_H
#define CUSAFE_RETARGET_LOWER_GRID_H

#include "retarget/unit/unit.h"

/* Adds a marking call wherever such a kernel waits for other blocks; returns their number. The caller frees the list. */
unsigned cs_rt_add_yields(struct cs_rt_unit *unit, struct cs_rt_kernel *kernel, LLVMValueRef **calls);
/* Moves the kernel's stack variables, all but one, to the thread's frame, and its shared variables to the block's memory. */
void cs_rt_move_to_frame(struct cs_rt_unit *unit, struct cs_rt_kernel *kernel, LLVMValueRef but);

#endif
