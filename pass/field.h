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

/* On the code as clang wrote it: removes the calls for pointer arithmetic (`array - first`), which clang checks like an index. Such a
 * pointer may return into the array before it is used, and if it does not, its use is checked. */
void cs_pass_forget_arithmetic(LLVMModuleRef module);

/* Removes all such calls: code that was compiled for checks and gets none. */
int cs_pass_forget_fields(struct cs_pass *pass);

#endif
