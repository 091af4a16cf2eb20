/* race_plan.h: what the race detector checks of a function, and what orders its accesses. */
#ifndef CUSAFE_PASS_DETECT_RACE_PLAN_H
#define CUSAFE_PASS_DETECT_RACE_PLAN_H

#include "cusafe/race.h"
#include "pass/function/function.h"

/* What an instruction does to the order of accesses. */
enum cs_pass_order { CS_PASS_ORDER_NONE, CS_PASS_ORDER_BLOCK, CS_PASS_ORDER_WARP, CS_PASS_ORDER_FLAG };
struct cs_pass_race_order {
  enum cs_pass_order order;
  /* Of CS_PASS_ORDER_FLAG: what the thread accessed before is released, others may see that, and it may see what others
   * have released. */
  int releases, publishes, observes;
  LLVMValueRef flag; /* the pointer; NULL: anywhere */
  int in_block;      /* for the threads of the block only */
};
struct cs_pass_race_order cs_pass_race_order(LLVMValueRef instruction);
/* 1 for an atomic operation or a fence for the threads of the block only. */
int cs_pass_race_is_narrow(LLVMValueRef instruction);

/* What an instruction does with the groups of asynchronous copies: calls `visit` for each event, in their order.
 * count: CS_COPY_WAIT; else NULL. */
void cs_pass_race_copies(LLVMValueRef instruction,
                         void (*visit)(void *with, enum cs_copy_event event, LLVMValueRef count), void *with);

/* The lifter writes __syncwarp as inline PTX. All other barriers there count as fences: whether all threads take
 * part is not known. */
#define CS_PASS_WARP_SYNC "bar.warp.sync "

/* Of an access. */
struct cs_pass_race_plan {
  int is_checked;
  enum cs_race_memory memory;
  const struct cs_pass_variable *variable; /* that the access names, or NULL */
  enum cs_strength strength;
  int is_narrow;    /* atomic for the block only */
  int meets_others; /* accesses that are not atomic may go to its memory */
  int is_omitted;   /* no write races with it */
  int is_copy;      /* the destination of an asynchronous copy (cp.async) */
  int meets_copy;   /* such a copy may go to its memory */
  int was_written;  /* by an access whose check is omitted, perhaps */
};

/* Of the function's accesses, in their order. Needs no roots. To be freed. */
struct cs_pass_race_plan *cs_pass_race_plan(const struct cs_pass_function *function);

/* Only these race, with all other accesses to their memory. */
int cs_pass_race_may_break(const struct cs_pass_access_item *item, const struct cs_pass_race_plan *plan);
int cs_pass_race_is_shared(const struct cs_pass_race_plan *plan);
int cs_pass_race_is_global(const struct cs_pass_race_plan *plan);

/* The barriers of the function are those that its threads pass: it is a kernel, and calls no function of the module. */
int cs_pass_race_has_own_barriers(LLVMValueRef function);

struct cs_pass_condition;
/* race_launch.c: omits, in a kernel's fast form, what races with nothing under a condition of the launch. */
void cs_pass_race_by_launch(struct cs_pass_function *function, struct cs_pass_condition *condition);

#endif
