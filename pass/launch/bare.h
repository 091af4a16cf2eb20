/* bare.h: copies of kernels that LLVM optimises as it does without checks; a fast form that has none left becomes such
 * a copy.
 *
 * clang's checks of indices are in the code while LLVM optimises, and loops with checks are not unrolled before ranges
 * have been found. Where the host has decided that no check fails, the kernel is nevertheless the one that bare
 * compilation produces. */
#ifndef CUSAFE_PASS_LAUNCH_BARE_H
#define CUSAFE_PASS_LAUNCH_BARE_H

#include "pass/module/pass.h"

/* Before any optimisation: copies the kernels, with the functions that clang checks, or with all that they call
 * (--sampled). Returns 0, or -1 if an option is wrong. */
int cs_pass_bare_copy(struct cs_pass *pass);

/* After it: deletes the copies of kernels that call functions, whose checks the host does not decide; not with
 * --sampled. Returns 0. */
int cs_pass_bare_select(struct cs_pass *pass);
int cs_pass_bare_calls_function(LLVMValueRef function);

/* The kernel's copy, or NULL. */
LLVMValueRef cs_pass_bare_of(LLVMValueRef kernel);

/* Deletes the copies that nothing has taken. */
void cs_pass_bare_delete_rest(LLVMModuleRef module);

#endif
