/* ptx.h: accesses of inline PTX.
 *
 * An address that inline PTX reads from or writes to is replaced by the result of a stand-in, a call of a function that does not exist
 * with the address as its first argument. Everything else of the pass takes that call for the access; at the end nothing is left
 * of it but its argument, which is the checked address by then. */
#ifndef CUSAFE_PASS_PTX_H
#define CUSAFE_PASS_PTX_H

#include "pass/pass.h"

/* Gives every address in the function's inline PTX its stand-in, as far as its text says how much is accessed, and always. */
void cs_pass_ptx_stand_in(struct cs_pass *pass, LLVMValueRef function);

/* 1 if the call is a stand-in: what it accesses. */
int cs_pass_ptx_access(const struct cs_pass *pass, LLVMValueRef call, enum cs_access *access, cs_u64 *bytes);

/* 1 if the pointer is derived from a stand-in: it will be a checked, plain address. */
int cs_pass_ptx_is_checked(const struct cs_pass *pass, LLVMValueRef pointer);

/* Removes all stand-ins. */
int cs_pass_ptx_finish(struct cs_pass *pass);

#endif
