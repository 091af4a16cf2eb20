/* build.h: small IR sequences that every step builds. */
#ifndef CUSAFE_PASS_MODULE_BUILD_H
#define CUSAFE_PASS_MODULE_BUILD_H

#include "pass/module/pass.h"

LLVMValueRef cs_pass_constant(LLVMTypeRef type, cs_u64 value);

/* Gives what is built next the instruction's source location, or line 0 if it has none or is NULL: a call that may be
 * inlined needs a location if its function has debug information. */
void cs_pass_locate(struct cs_pass *pass, LLVMValueRef instruction, LLVMValueRef function);

/* Moves the builder before the instruction, with the location of `located_at` (may be NULL). */
void cs_pass_build_before(struct cs_pass *pass, LLVMValueRef instruction, LLVMValueRef located_at);

/* The value as a generic pointer, cast at the builder's position if need be. */
LLVMValueRef cs_pass_generic(struct cs_pass *pass, LLVMValueRef pointer);

/* Null, undef or poison. */
int cs_pass_is_null_pointer(LLVMValueRef value);

/* Replaces a pointer operand by `value`, a generic pointer, cast to the operand's address space. */
void cs_pass_replace_operand(struct cs_pass *pass, LLVMValueRef instruction, unsigned operand, LLVMValueRef value);

#endif
