/* marks.h: the marks of operations that --detect=sync checks, which calls.c asks for and masks.c and mbarriers.c
 * replace. */
#ifndef CUSAFE_RETARGET_LOWER_MARKS_H
#define CUSAFE_RETARGET_LOWER_MARKS_H

#include "retarget/unit/unit.h"

/* Before a warp operation, with its mask and what it is (retarget/support/masks.h), and after it. */
#define CS_RT_MASKED "__cr_masked"
#define CS_RT_MASKED_AFTER "__cr_masked_after"
/* Before an operation on an mbarrier, with its object, what it is (retarget/support/mbarriers.h) and its count, and
 * after it. */
#define CS_RT_MBARRIER "__cr_on_mbarrier"
#define CS_RT_MBARRIER_AFTER "__cr_on_mbarrier_after"

/* Where an instruction is about to be lowered, if the pass has given it a site. */
struct cs_rt_marked {
  long long mask, mbarrier;   /* the sites; -1: none */
  LLVMValueRef before, after; /* the instructions around it; before NULL: it is the first of its function */
};

struct cs_rt_marked cs_rt_marks_begin(struct cs_rt_unit *unit, LLVMValueRef instruction);
/* The operations that the instruction has become get marks around them, which remain when they are inlined. */
void cs_rt_marks_end(struct cs_rt_unit *unit, LLVMBuilderRef builder, const struct cs_rt_marked *marked);
/* Whether the marks of a function become checks: those of a kernel that can report. The shared memory of one that
 * synchronises its grid has no room for more, and its lanes also wait for other blocks. */
int cs_rt_marks_are_checked(struct cs_rt_unit *unit, LLVMValueRef function);

#endif
