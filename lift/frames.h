/* frames.h: the local variables of unoptimised code, which nvcc puts in one block for each function. */
#ifndef CUSAFE_LIFT_FRAMES_H
#define CUSAFE_LIFT_FRAMES_H

#include "lift/unit.h"

/* Reads from the debug information which variables each block has. */
void cs_lift_read_frames(struct cs_lift_unit *unit);
/* A block has been declared: its variables get memory of their own, if it is certain which one every access means. */
void cs_lift_split_frame(struct cs_lift_function *f, const struct cs_ptx_variable *block);
/* "add.u64 %rd1, %SP, 32;": the address of a variable. Returns 0 for any other instruction. */
int cs_lift_frame_add(struct cs_lift_function *f, const struct cs_ptx_instruction *i);

#endif
