/* asm.h: instructions that have no IR of their own. */
#ifndef CUSAFE_LIFT_ASM_H
#define CUSAFE_LIFT_ASM_H

#include "lift/unit.h"

/* Writes the instruction as inline PTX, which the pass checks and retarget translates. */
void cs_lift_asm(struct cs_lift_function *f, const struct cs_ptx_instruction *i);

#endif
