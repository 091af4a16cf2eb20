/* count.h: counts executed accesses and checks, in modules that ask for it. */
#ifndef CUSAFE_PASS_COUNT_H
#define CUSAFE_PASS_COUNT_H

#include "pass/module/pass.h"

/* Calls __cs_count at every remaining access and check, if the module defines it. */
int cs_pass_count_accesses(struct cs_pass *pass);

/* Counts the executed checks in __cs_checks, if -cusafe-count is given. */
int cs_pass_count_checks(struct cs_pass *pass);

/* Calls a function of the bench before an instruction, at its source location, as calls that are inlined later need. */
void cs_pass_call_counter(LLVMBuilderRef builder, LLVMValueRef before, LLVMValueRef counter, LLVMValueRef *arguments,
                          unsigned count);

#endif
