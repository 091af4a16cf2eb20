/* bounds.h: the bounds of a root, as code at the builder's position computes them. */
#ifndef CUSAFE_PASS_FUNCTION_BOUNDS_H
#define CUSAFE_PASS_FUNCTION_BOUNDS_H

#include "pass/module/pass.h"

struct cs_pass_bounds {
  LLVMValueRef address, start, size; /* i64 */
};

/* Reads the bounds of a pointer that has metadata. */
struct cs_pass_bounds cs_pass_bounds_read(struct cs_pass *pass, LLVMValueRef pointer);

/* i64: the number of start offsets at which an access of this many bytes stays inside. */
LLVMValueRef cs_pass_bounds_limit(struct cs_pass *pass, LLVMValueRef size, cs_u64 bytes);

/* The limit, or 0 if the address is not a multiple of the alignment. */
LLVMValueRef cs_pass_bounds_aligned(struct cs_pass *pass, LLVMValueRef limit, LLVMValueRef address, unsigned align);

/* i32: an index from 0 on is in bounds if it is below this. For the host to compute, since it takes a device some 25
 * instructions. */
LLVMValueRef cs_pass_bounds_index(struct cs_pass *pass, const struct cs_pass_bounds *bounds, LLVMValueRef limit,
                                  const struct cs_pass_index *index);

#endif
