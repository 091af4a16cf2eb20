/* apart.h: whether the threads of a launch, or of a block, stay apart: each accesses its own bytes of a buffer.
 *
 * Every write to the buffer has to be at the same sum of products with indices of the thread and counters of its loops,
 * up to a constant. Such a sum is different for different indices if each factor is larger than what the smaller ones
 * and their indices add up to, as the digits of a number are: row * columns + column, where column < columns. A read is
 * at the same sum, or nowhere near what is written: in another row, or in another column of any row. */
#ifndef CUSAFE_PASS_RANGES_APART_H
#define CUSAFE_PASS_RANGES_APART_H

#include "pass/ranges/ranges.h"

#ifdef __cplusplus
extern "C" {
#endif

struct cs_pass_apart;

/* For the accesses to one buffer, or (of_block) to one shared variable, of which each block has its own. The ranges are
 * those of a whole grid. by_number: blockIdx * constant + threadIdx is one index, if threadIdx is below the constant;
 * otherwise two. */
struct cs_pass_apart *cs_pass_apart_begin(struct cs_pass_ranges *ranges, int of_block, int by_number);
/* Writes come before reads. Returns 0 if it is not known what the pointer is a sum of, or, of a write, if it is another
 * sum than for an earlier one. */
int cs_pass_apart_add(struct cs_pass_apart *apart, LLVMValueRef pointer, LLVMValueRef root, LLVMValueRef user,
                      unsigned long long bytes, int is_write);
/* i1 at the point of the ranges: no two threads access a common byte that one of them
 * writes. NULL: not known. Holds for the grid as a whole, not for some of its blocks. Frees. */
LLVMValueRef cs_pass_apart_end(struct cs_pass_apart *apart);

#ifdef __cplusplus
}
#endif
#endif
