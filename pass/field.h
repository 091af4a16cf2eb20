/* field.h: reads what clang's array-bounds check says about an array. */
#ifndef CUSAFE_PASS_FIELD_H
#define CUSAFE_PASS_FIELD_H

#include "pass/pass.h"

/* The number of elements in the array that a call of __ubsan_handle_out_of_bounds is about; 0 if it is not said. */
cs_u64 cs_field_elements(LLVMValueRef data);

#endif
