/* deadlock.h: blocks none of whose threads can continue, for barriers.c. */
#ifndef CUSAFE_RETARGET_LOWER_DEADLOCK_H
#define CUSAFE_RETARGET_LOWER_DEADLOCK_H

#include "retarget/unit/unit.h"

struct cs_rt_deadlock {
  struct cs_rt_unit *unit;
  LLVMBuilderRef builder;
  LLVMValueRef where; /* on the stack: where the thread waits; NULL: deadlocks are not found */
};

/* The instruction is about to be lowered. If the pass has given it a site, a mark with its number takes the builder's
 * position, and remains when the instruction becomes a loop that yields. */
void cs_rt_mark_wait(struct cs_rt_unit *unit, LLVMBuilderRef builder, LLVMValueRef instruction);

/* The builder is before the first instruction of the function, whose marks are lowered. deadlock: NULL where nothing
 * waits. */
struct cs_rt_deadlock cs_rt_deadlock_begin(struct cs_rt_unit *unit, LLVMBuilderRef builder);
void cs_rt_lower_marks(struct cs_rt_unit *unit, LLVMValueRef function, const struct cs_rt_deadlock *deadlock);

/* At the builder's position: the thread waits at this barrier. */
void cs_rt_deadlock_waits(struct cs_rt_deadlock *deadlock, LLVMValueRef barrier);
/* Records where the threads of the block wait, and lets the launch fail. ended (i1): the thread has returned. All
 * threads get there; `barrier` builds a barrier of the engine. */
void cs_rt_deadlock_ends(struct cs_rt_deadlock *deadlock, LLVMValueRef ended,
                         void (*barrier)(void *with, LLVMBuilderRef builder), void *with);

#endif
