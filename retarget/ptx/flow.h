/* flow.h: labels and branches in inline PTX. */
#ifndef CUSAFE_RETARGET_PTX_FLOW_H
#define CUSAFE_RETARGET_PTX_FLOW_H

#include "retarget/ptx/values.h"

/* Gives all registers and outputs that the statements write a value, 0, if there are labels. */
void cs_rt_asm_define_all(struct cs_rt_asm *a, const struct cs_ptx_inline *tree);
/* A label: the statement's code continues in its block. Returns 0 if there is another one of that name. */
int cs_rt_asm_place(struct cs_rt_asm *a, const char *label);
/* A branch to the label, if the condition holds; NULL: in any case. */
int cs_rt_asm_branch(struct cs_rt_asm *a, const char *label, LLVMValueRef condition);
/* Whether all labels that branches name have been placed. */
int cs_rt_asm_all_placed(const struct cs_rt_asm *a);

#endif
