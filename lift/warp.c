/* warp.c: shuffles and votes of a warp. */
#include "lift/instructions.h"
#include "lift/values.h"
#include <stdio.h>

static const struct cs_ptx_type b32 = {'b', 32, 1};

/* The first of these words that the instruction has, or NULL. */
static const char *word_of(const struct cs_ptx_instruction *i, const char *const *words, size_t count) {
  for (size_t k = 0; k < count; k++)
    if (cs_ptx_has(i, words[k]))
      return words[k];
  return NULL;
}

/* shfl.sync.down.b32 value|is_in_range, source, distance, limits, mask */
int cs_lift_shfl(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  static const char *const modes[] = {"up", "down", "bfly", "idx"};
  const char *mode = word_of(i, modes, sizeof modes / sizeof *modes);
  const struct cs_ptx_operand *to = i->operands;
  if (!mode || !cs_ptx_has(i, "b32") || !cs_ptx_knows(i, "sync up down bfly idx") || i->operand_count != 5 ||
      (to->kind != CS_PTX_NAME && (to->kind != CS_PTX_PAIR || to->count != 2)))
    return 0;
  char name[64];
  snprintf(name, sizeof name, "llvm.nvvm.shfl.sync.%s.i32%s", mode, to->kind == CS_PTX_PAIR ? "p" : "");
  LLVMValueRef arguments[] = {cs_lift_value(f, &i->operands[4], b32), cs_lift_value(f, &i->operands[1], b32),
                              cs_lift_value(f, &i->operands[2], b32), cs_lift_value(f, &i->operands[3], b32)};
  LLVMValueRef made = cs_lift_intrinsic(f, name, NULL, 0, arguments, 4);
  if (to->kind == CS_PTX_NAME) {
    cs_lift_assign(f, to, made, 0);
    return 1;
  }
  cs_lift_assign(f, &to->items[0], LLVMBuildExtractValue(f->builder, made, 0, ""), 0);
  cs_lift_assign(f, &to->items[1], LLVMBuildExtractValue(f->builder, made, 1, ""), 0);
  return 1;
}

/* vote.sync.any.pred result, condition, mask */
int cs_lift_vote(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  static const char *const modes[] = {"ballot", "any", "all", "uni"};
  const char *mode = word_of(i, modes, sizeof modes / sizeof *modes);
  if (!mode || !cs_ptx_knows(i, "sync ballot any all uni pred") || i->operand_count != 3 ||
      i->operands[0].kind != CS_PTX_NAME || i->operands[1].kind != CS_PTX_NAME)
    return 0;
  char name[64];
  snprintf(name, sizeof name, "llvm.nvvm.vote.%s.sync", mode);
  LLVMValueRef arguments[] = {cs_lift_value(f, &i->operands[2], b32),
                              cs_lift_predicate(f, i->operands[1].name, i->operands[1].negated)};
  cs_lift_assign(f, &i->operands[0], cs_lift_intrinsic(f, name, NULL, 0, arguments, 2), 0);
  return 1;
}
