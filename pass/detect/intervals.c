/* intervals.c: floods the code from each barrier to the next ones. */
#include "pass/detect/intervals.h"
#include "ir/instructions.h"
#include "ir/map.h"
#include "ir/memory.h"
#include <stdlib.h>

struct search {
  int (*is_barrier)(LLVMValueRef instruction);
  struct cs_pass_interval_access *accesses; /* in the order of `next` by instruction */
  size_t *next;                             /* of an access: the next one of the same instruction + 1, or 0 */
  struct cs_ir_map first;                   /* instruction -> its first access + 1 */
  struct cs_ir_map entered;                 /* basic block -> the interval that entered it last */
  LLVMBasicBlockRef *todo;
  size_t todo_count;
  size_t *found; /* the accesses of the interval */
  size_t found_count;
};

static void index_accesses(struct search *s, size_t count) {
  s->next = cs_ir_allocate(count + 1, sizeof *s->next);
  for (size_t i = 0; i < count; i++) {
    s->next[i] = (size_t)cs_ir_map_get(&s->first, s->accesses[i].instruction);
    cs_ir_map_set(&s->first, s->accesses[i].instruction, (void *)(i + 1));
  }
}

static void enter(struct search *s, LLVMBasicBlockRef block, const void *interval) {
  if (cs_ir_map_get(&s->entered, block) == interval)
    return;
  cs_ir_map_set(&s->entered, block, (void *)interval);
  cs_ir_push(s->todo, s->todo_count, block);
}

static void leave(struct search *s, LLVMValueRef terminator, const void *interval) {
  for (unsigned i = 0; i < LLVMGetNumSuccessors(terminator); i++)
    enter(s, LLVMGetSuccessor(terminator, i), interval);
}

/* The accesses from an instruction on, to the next barrier or the end of its basic block. */
static void walk(struct search *s, LLVMValueRef from, const void *interval) {
  for (LLVMValueRef i = from; i; i = LLVMGetNextInstruction(i)) {
    if (s->is_barrier(i))
      return;
    for (size_t a = (size_t)cs_ir_map_get(&s->first, i); a; a = s->next[a - 1])
      cs_ir_push(s->found, s->found_count, a - 1);
    if (LLVMIsATerminatorInst(i))
      leave(s, i, interval);
  }
}

static int may_meet(const struct cs_pass_interval_access *a, const struct cs_pass_interval_access *b) {
  return !a->variable || !b->variable || a->variable == b->variable;
}

/* Of all accesses in `found`: a variable is in it once for each, so that few writes are compared with many accesses. */
static void judge(struct search *s) {
  for (size_t w = 0; w < s->found_count; w++) {
    const struct cs_pass_interval_access *write = &s->accesses[s->found[w]];
    int is_known = 0; /* an earlier write to the same variable was compared with all */
    for (size_t i = 0; write->is_plain_write && i < w && !is_known; i++)
      is_known = s->accesses[s->found[i]].is_plain_write && s->accesses[s->found[i]].variable == write->variable;
    for (size_t i = 0; write->is_plain_write && !is_known && i < s->found_count; i++)
      s->accesses[s->found[i]].may_race |= may_meet(write, &s->accesses[s->found[i]]);
  }
}

/* `interval` is the barrier, or the function for the interval from its start: a key that no other interval has. */
static void flood(struct search *s, LLVMValueRef from, const void *interval) {
  s->found_count = 0;
  walk(s, from, interval);
  while (s->todo_count)
    walk(s, LLVMGetFirstInstruction(s->todo[--s->todo_count]), interval);
  judge(s);
}

void cs_pass_find_intervals(LLVMValueRef function, int (*is_barrier)(LLVMValueRef instruction),
                            struct cs_pass_interval_access *accesses, size_t count) {
  struct search s = {.is_barrier = is_barrier, .accesses = accesses};
  index_accesses(&s, count);
  flood(&s, cs_ir_first(function), function);
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i))
    if (is_barrier(i))
      flood(&s, LLVMGetNextInstruction(i), i);
  cs_ir_map_free(&s.first);
  cs_ir_map_free(&s.entered);
  free(s.next);
  free(s.todo);
  free(s.found);
}
