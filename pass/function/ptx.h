/* ptx.h: accesses of inline PTX, and of intrinsics on matrices, which are treated as the PTX that they represent.
 *
 * An address that inline PTX accesses is replaced by the result of a stand-in: a call of a function that does not
 * exist, with the address as its first argument. All other steps treat that call as the access. In the end the call is
 * replaced by its argument, which is the checked address by then. */
#ifndef CUSAFE_PASS_FUNCTION_PTX_H
#define CUSAFE_PASS_FUNCTION_PTX_H

#include "pass/module/pass.h"

/* Inserts a stand-in for each address in the function's inline PTX whose text shows how many bytes are accessed,
 * unconditionally. */
void cs_pass_ptx_stand_in(struct cs_pass *pass, LLVMValueRef function);

/* 1 if the call is a stand-in: what it accesses. Either bytes or length, a value at run time, is not 0. */
int cs_pass_ptx_access(const struct cs_pass *pass, LLVMValueRef call, enum cs_access *access, cs_u64 *bytes,
                       LLVMValueRef *length);

/* 1 if the pointer is derived from a stand-in: it will be a checked, plain address. */
int cs_pass_ptx_is_checked(const struct cs_pass *pass, LLVMValueRef pointer);

/* Removes all stand-ins. */
int cs_pass_ptx_finish(struct cs_pass *pass);

#endif
