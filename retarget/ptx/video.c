/* video.c: the video instructions of inline PTX: arithmetic on the bytes and halves of a register. */
#include "retarget/ptx/families.h"
#include <stdio.h>
#include <string.h>

static const struct cs_ptx_type b32 = {'b', 32, 1};
static const char *const operations[] = {"add", "sub", "absdiff", "min", "max", "avrg", "set"};
static const char *const tests[] = {"eq", "ne", "lt", "le", "gt", "ge"};

static LLVMValueRef number(struct cs_rt_asm *a, unsigned value) {
  return LLVMConstInt(cs_rt_asm_integer(a, 32), value, 0);
}

static int find(const char *const *names, size_t count, const char *name, size_t length) {
  for (size_t i = 0; i < count; i++)
    if (strlen(names[i]) == length && strncmp(names[i], name, length) == 0)
      return (int)i;
  return -1;
}

/* vop2 and vop4: d = op(a, b) in each lane; .add sums the lanes and c. Only whole registers: no lane selectors. */
int cs_rt_ptx_video(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  size_t length = strlen(s->parts[0]);
  unsigned lanes = (unsigned)(s->parts[0][length - 1] - '0'), next = 1, with_sign[3] = {0}, count = 3;
  int op = find(operations, 7, s->parts[0] + 1, length - 2), test = 0;
  if (op < 0 || s->operand_count != 4 || s->part_count < 4)
    return 0;
  if (op == 6)
    count = 2; /* vset has no result type */
  for (unsigned i = 3 - count; i < 3; i++, next++) {
    if (strcmp(s->parts[next], "s32") != 0 && strcmp(s->parts[next], "u32") != 0)
      return 0;
    with_sign[i] = s->parts[next][0] == 's';
  }
  if (op == 6 && (test = find(tests, 6, s->parts[next], strlen(s->parts[next]))) < 0)
    return 0;
  next += op == 6;
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
                         number(a, (unsigned)op),
                         number(a, lanes),
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
  int left = strcmp(s->parts[0], "vshl") == 0;
  LLVMValueRef v[3] = {NULL, NULL, number(a, 0)};
  if (!cs_ptx_knows(s, "clamp wrap add") || s->part_count < 5 || s->operand_count < 3 || s->operand_count > 4 ||
      strcmp(s->parts[3], "u32") != 0 || cs_ptx_has(s, "clamp") == cs_ptx_has(s, "wrap") ||
      (s->operand_count == 4) != cs_ptx_has(s, "add"))
    return 0;
  for (unsigned i = 0; i + 1 < s->operand_count; i++)
    if (!(v[i] = cs_rt_asm_value(a, &s->operands[i + 1], b32)))
      return 0;
  LLVMValueRef args[] = {v[0],
                         v[1],
                         v[2],
                         number(a, (unsigned)left),
                         number(a, strcmp(s->parts[2], "s32") == 0),
                         number(a, (unsigned)cs_ptx_has(s, "clamp"))};
  LLVMValueRef made = cs_rt_asm_call(a, "video_shift", args, 6);
  return made && cs_rt_asm_assign(a, &s->operands[0], made);
}
