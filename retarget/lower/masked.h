/* masked.h: the marks of warp operations whose mask is checked, which calls.c asks for and masks.c replaces. */
#ifndef CUSAFE_RETARGET_LOWER_MASKED_H
#define CUSAFE_RETARGET_LOWER_MASKED_H

#include "retarget/unit/unit.h"

/* The marks: before an operation, with its mask and what it is (retarget/support/masks.h), and after it. */
#define CS_RT_MASKED "__cr_masked"
#define CS_RT_MASKED_AFTER "__cr_masked_after"

/* Where an instruction is about to be lowered, if the pass has given its mask a site. */
struct cs_rt_masked {
  int is_checked;
  unsigned site;
  LLVMValueRef before, after; /* the instructions around it; before NULL: it is the first of its function */
};

struct cs_rt_masked cs_rt_masked_begin(struct cs_rt_unit *unit, LLVMValueRef instruction);
/* The warp operations that the instruction has become get marks around them, which remain when they are inlined. */
void cs_rt_masked_end(struct cs_rt_unit *unit, LLVMBuilderRef builder, const struct cs_rt_masked *masked);

#endif
