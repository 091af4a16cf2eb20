/* grid.h: kernels that synchronise their grid, for barriers.c. */
#ifndef CUSAFE_RETARGET_LOWER_GRID_H
#define CUSAFE_RETARGET_LOWER_GRID_H

#include "retarget/unit/unit.h"

/* Whether the kernel waits for other threads: at an mbarrier, or for other blocks. */
int cs_rt_waits_for_threads(struct cs_rt_unit *unit, LLVMValueRef function);
/* Whether it reads the grid's workspace, so that it may synchronise its grid. */
int cs_rt_reads_workspace(LLVMValueRef function);
/* The calls of a mark in the function; returns their number. The caller frees the list. */
unsigned cs_rt_calls_of(struct cs_rt_unit *unit, LLVMValueRef function, const char *mark, LLVMValueRef **calls);
/* Marks a wait at the builder's position. */
void cs_rt_add_yield(struct cs_rt_unit *unit, LLVMBuilderRef builder);
/* Adds a marking call wherever such a kernel waits for other blocks; returns their number. The caller frees the
 * list. */
unsigned cs_rt_add_yields(struct cs_rt_unit *unit, struct cs_rt_kernel *kernel, LLVMValueRef **calls);
/* Moves the kernel's stack variables, all but one, to the thread's frame, and its shared variables to the block's
 * memory. */
void cs_rt_move_to_frame(struct cs_rt_unit *unit, struct cs_rt_kernel *kernel, LLVMValueRef but);

#endif
