/* ranges.h: the range of an address, computed by the program itself before the access.
 *
 * At a point of a function, code is added that computes, for a pointer used later, the lowest and the highest distance
 * from its root. At the entry of a kernel the range covers all threads of some blocks of the grid: threadIdx is
 * anything from 0 to blockDim - 1, blockIdx anything from a first to a last block, and everything else that may be used
 * (arguments, sizes) is known before the launch: pass/launch turns the code into a program for the host, and removes
 * it. Before a loop the range covers one thread and all iterations.
 *
 * The arithmetic is that of whole numbers: anything that might wrap makes the result invalid, and an invalid result is
 * not used. */
#ifndef CUSAFE_PASS_RANGES_RANGES_H
#define CUSAFE_PASS_RANGES_RANGES_H

#include "pass/bridge/bridge.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cs_pass_ranges;

/* Ranges at `point`, an instruction before which code is added. whole_grid: the point is at the entry of a kernel. */
struct cs_pass_ranges *cs_pass_ranges_begin(const struct cs_pass_analyses *analyses, LLVMValueRef point,
                                            int whole_grid);
void cs_pass_ranges_end(struct cs_pass_ranges *ranges);

/* What is known of a pointer whenever `user` is reached. */
struct cs_pass_extent {
  LLVMValueRef low, high;      /* i64: distance from the root, in bytes */
  LLVMValueRef valid;          /* i1, or NULL: always */
  LLVMValueRef reached;        /* i1: may `user` be reached at all? NULL: yes */
  unsigned long long multiple; /* every distance is a multiple of this; 0: the distance is 0 */
};
/* align: the alignment that `user` requires. Returns 0 if nothing is known. */
int cs_pass_ranges_extent(struct cs_pass_ranges *ranges, LLVMValueRef pointer, LLVMValueRef root, LLVMValueRef user,
                          unsigned align, struct cs_pass_extent *extent);

/* i1: may the instruction be reached? NULL: yes. */
LLVMValueRef cs_pass_ranges_reached(struct cs_pass_ranges *ranges, LLVMValueRef user);

/* Before a loop: the first and the last value of an i32 that grows by 1 with each iteration. If the first is at most
 * the last, as unsigned numbers, all others are between them. Returns 0 if the value does not grow like that. */
int cs_pass_ranges_ends(struct cs_pass_ranges *ranges, LLVMValueRef index, LLVMValueRef *first, LLVMValueRef *last);

/* The value at the point, or NULL if it is not known there, or not known before the launch. */
LLVMValueRef cs_pass_ranges_value(struct cs_pass_ranges *ranges, LLVMValueRef value);

/* 1 if the host knows the value before the launch: an argument of a kernel, or a field of one that is only read. */
int cs_pass_known_at_launch(LLVMValueRef value);
/* The argument of which an instruction of a kernel reads such a field, and the field's offset; NULL if it reads
 * none. */
LLVMValueRef cs_pass_field_at_launch(LLVMValueRef instruction, unsigned *offset);

#ifdef __cplusplus
}
#endif
#endif
