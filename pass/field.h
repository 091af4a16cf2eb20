/* field.h: clang's array-bounds check, as far as the pass takes it over. */
#ifndef CUSAFE_PASS_FIELD_H
#define CUSAFE_PASS_FIELD_H

#include "pass/pass.h"

/* What clang calls when an index is outside its array. */
#define CS_PASS_FIELD_HANDLER "__ubsan_handle_out_of_bounds"

/* The number of elements in the array that such a call is about; 0 if it is not said. */
cs_u64 cs_pass_field_elements(LLVMValueRef data);

int cs_pass_is_field_call(LLVMValueRef instruction);

/* Where the program goes on after such a call, as clang wrote it: with the address that the index is for. Or NULL. */
LLVMBasicBlockRef cs_pass_block_after(LLVMValueRef call);

#endif
