/* intervals.h: which accesses of a kernel other threads of the block can make at the same time.
 *
 * An interval is the code between barriers of the block: what is reachable from one of them, or from the start of the
 * kernel, up to the next ones. Threads of a block are in one interval at a time, because they wait at the same barrier.
 * An access races only with one in the same interval. */
#ifndef CUSAFE_PASS_DETECT_INTERVALS_H
#define CUSAFE_PASS_DETECT_INTERVALS_H

#include <llvm-c/Core.h>
#include <stddef.h>

struct cs_pass_interval_access {
  LLVMValueRef instruction;
  const void *variable; /* that it accesses; NULL: perhaps any */
  int is_plain_write;   /* only these race, with all other accesses to the variable */
  int may_race;         /* the result: 0 if no interval has this access and a plain write to the same variable */
};

/* Fills in may_race. The function's own barriers are the only ones: it calls nothing that has some. */
void cs_pass_find_intervals(LLVMValueRef function, int (*is_barrier)(LLVMValueRef instruction),
                            struct cs_pass_interval_access *accesses, size_t count);

#endif
