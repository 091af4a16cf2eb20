/* asm.h: translates inline PTX. */
#ifndef CUSAFE_RETARGET_PTX_ASM_H
#define CUSAFE_RETARGET_PTX_ASM_H

#include "retarget/unit/unit.h"

/* Replaces the call of inline assembly, or refuses it. */
void cs_rt_lower_asm(struct cs_rt_unit *unit, LLVMValueRef call);
/* The same for a call of an intrinsic, given the PTX that it represents. */
void cs_rt_lower_as_asm(struct cs_rt_unit *unit, LLVMValueRef call, const char *text);

#endif
