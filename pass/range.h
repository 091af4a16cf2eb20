/* range.h: between which values an address can lie, computed by the program itself before it matters.
 *
 * For a place P in a function, code is added at P that computes, for a pointer used further on, the lowest and the highest
 * distance from its root. At the entry of a kernel P stands for all threads of the block: threadIdx is then anything from 0 to
 * blockDim - 1, and everything else that may be used (arguments, blockIdx, sizes) is the same for the block, so the answer is
 * too. In front of a loop P stands for one thread and all its rounds.
 *
 * The arithmetic is that of whole numbers: whatever might wrap makes the answer invalid, and nobody relies on it. */
#ifndef CUSAFE_PASS_RANGE_H
#define CUSAFE_PASS_RANGE_H

#include "pass/bridge.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cs_pass_ranges;

/* Ranges before the instruction `place`. whole_block: place is at the entry of a kernel. Added code goes before `place`. */
struct cs_pass_ranges *cs_pass_ranges_begin(const struct cs_pass_analyses *analyses, LLVMValueRef place,
                                            int whole_block);
void cs_pass_ranges_end(struct cs_pass_ranges *ranges);

/* What is known of a pointer whenever `user` is reached. */
struct cs_pass_extent {
  LLVMValueRef low, high;      /* i64: distance from the root, in bytes */
  LLVMValueRef valid;          /* i1, or NULL: always */
  LLVMValueRef reached;        /* i1: may `user` be reached at all? NULL: nothing speaks against it */
  unsigned long long multiple; /* every distance is a multiple of this; 0: the distance is 0 */
};
/* align: what `user` takes for granted of the address. Returns 0 if nothing can be said. */
int cs_pass_ranges_extent(struct cs_pass_ranges *ranges, LLVMValueRef pointer, LLVMValueRef root, LLVMValueRef user,
                          unsigned align, struct cs_pass_extent *extent);

/* i1: may the instruction be reached? NULL: nothing speaks against it. */
LLVMValueRef cs_pass_ranges_reached(struct cs_pass_ranges *ranges, LLVMValueRef user);

/* The value at the place, or NULL if it is not known there, or not the same for the block. */
LLVMValueRef cs_pass_ranges_value(struct cs_pass_ranges *ranges, LLVMValueRef value);

#ifdef __cplusplus
}
#endif
#endif
