/* video.c: the video instructions of inline PTX: arithmetic on the bytes and halves of a register. */
#include "retarget/ptx/families.h"
#include <stdio.h>
#include <string.h>

static const struct cs_ptx_type b32 = {'b', 32, 1};

/* The operations, as __cr_video numbers them. */
enum { ADD, SUB, ABSDIFF, MIN, MAX, AVRG, SET };
static const struct {
  enum cs_ptx_code code;
  unsigned operation, lanes;
} rows[] = {
#define ROWS(name, operation) {CS_PTX_OP_##name##2, operation, 2}, {CS_PTX_OP_##name##4, operation, 4}
    ROWS(vadd, ADD), ROWS(vsub, SUB),   ROWS(vabsdiff, ABSDIFF), ROWS(vmin, MIN),
    ROWS(vmax, MAX), ROWS(vavrg, AVRG), ROWS(vset, SET),
#undef ROWS
};
static const char *const tests[] = {"eq", "ne", "lt", "le", "gt", "ge"};

static LLVMValueRef number(struct cs_rt_asm *a, unsigned value) {
  return LLVMConstInt(cs_rt_asm_integer(a, 32), value, 0);
}

/* The row of the instruction, or -1. */
static int find_row(const struct cs_ptx_instruction *s) {
  for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
    if (rows[i].code == s->code)
      return (int)i;
  return -1;
}

/* The number of the test, as __cr_video has it, or -1. */
static int find_test(const char *name) {
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++)
    if (strcmp(tests[i], name) == 0)
      return (int)i;
  return -1;
}

/* 's' for s32, 'u' for u32, or 0. */
static char word_kind(const char *part) {
  struct cs_ptx_type type;
  return cs_ptx_type(part, &type) && strchr("su", type.kind) && type.bits == 32 && type.lanes == 1 ? type.kind : 0;
}

/* vop2 and vop4: d = op(a, b) in each lane; .add sums the lanes and c. Only whole registers: no lane selectors. */
int cs_rt_ptx_video(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  unsigned next = 1, with_sign[3] = {0};
  int row = find_row(s), test = 0;
  if (row < 0 || s->operand_count != 4 || s->part_count < 4)
    return 0;
  int sets = rows[row].operation == SET;
  for (unsigned i = sets ? 1 : 0; i < 3; i++, next++) { /* vset has no result type */
    char kind = word_kind(s->parts[next]);
    if (!kind)
      return 0;
    with_sign[i] = kind == 's';
  }
  if (sets && (test = find_test(s->parts[next++])) < 0)
    return 0;
  unsigned saturates = next < s->part_count && strcmp(s->parts[next], "sat") == 0;
  next += saturates;
  unsigned adds = next < s->part_count && strcmp(s->parts[next], "add") == 0;
  LLVMValueRef v[3];
  for (unsigned i = 0; i < 3; i++)
    if (!(v[i] = cs_rt_asm_value(a, &s->operands[i + 1], b32)))
      return 0;
  LLVMValueRef args[] = {v[0],
                         v[1],
                         v[2],
                         number(a, rows[row].operation),
                         number(a, rows[row].lanes),
                         number(a, with_sign[0]),
                         number(a, with_sign[1]),
                         number(a, with_sign[2]),
                         number(a, (unsigned)test),
                         number(a, saturates),
                         number(a, adds)};
  LLVMValueRef made = next + adds == s->part_count ? cs_rt_asm_call(a, "video", args, 11) : NULL;
  return made && cs_rt_asm_assign(a, &s->operands[0], made);
}

/* vshl and vshr of whole registers, with an optional second operation. */
int cs_rt_ptx_video_shift(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  int left = s->code == CS_PTX_OP_vshl;
  LLVMValueRef v[3] = {NULL, NULL, number(a, 0)};
  if (!cs_ptx_knows(s, "clamp wrap add") || s->part_count < 5 || s->operand_count < 3 || s->operand_count > 4 ||
      word_kind(s->parts[3]) != 'u' || cs_ptx_has(s, "clamp") == cs_ptx_has(s, "wrap") ||
      (s->operand_count == 4) != cs_ptx_has(s, "add"))
    return 0;
  for (unsigned i = 0; i + 1 < s->operand_count; i++)
    if (!(v[i] = cs_rt_asm_value(a, &s->operands[i + 1], b32)))
      return 0;
  LLVMValueRef args[] = {v[0],
                         v[1],
                         v[2],
                         number(a, (unsigned)left),
                         number(a, word_kind(s->parts[2]) == 's'),
                         number(a, (unsigned)cs_ptx_has(s, "clamp"))};
  LLVMValueRef made = cs_rt_asm_call(a, "video_shift", args, 6);
  return made && cs_rt_asm_assign(a, &s->operands[0], made);
}
