/* field.h: the calls of clang's -fsanitize=array-bounds. */
#ifndef CUSAFE_PASS_VARIABLES_FIELD_H
#define CUSAFE_PASS_VARIABLES_FIELD_H

#include "pass/module/pass.h"

/* The function that clang calls when an index is outside of its array. */
#define CS_PASS_FIELD_HANDLER "__ubsan_handle_out_of_bounds"

/* The number of elements in the array that such a call concerns; 0 if unknown. */
cs_u64 cs_pass_field_elements(LLVMValueRef data);

int cs_pass_is_field_call(LLVMValueRef instruction);

/* The block in which the program continues after such a call, as clang wrote it: it computes the address from the
 * index. Or NULL. */
LLVMBasicBlockRef cs_pass_block_after(LLVMValueRef call);

/* On the code as clang wrote it: removes the calls for pointer arithmetic (`array - first`), which clang checks like an
 * index. Such a pointer may return into the array before it is used, and if it does not, its use is checked. */
void cs_pass_forget_arithmetic(LLVMModuleRef module);

/* Removes all such calls: code that was compiled for checks and gets none. */
int cs_pass_forget_fields(struct cs_pass *pass);

#endif
