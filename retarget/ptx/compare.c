/* compare.c: comparisons and selections of inline PTX. */
#include "retarget/ptx/families.h"
#include <stdio.h>
#include <string.h>

static const struct {
  const char *name;
  LLVMIntPredicate with_sign, without;
  LLVMRealPredicate real;
} tests[] = {
#define CS_PTX_COMPARISON(name, with_sign, without, real) {name, with_sign, without, real},
#include "ptx/comparisons.inc"
};
static const struct cs_ptx_type predicate = {'p', 1, 1};

/* Compares operands 1 and 2 as the second part of the opcode specifies. */
static LLVMValueRef compare(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, struct cs_ptx_type type) {
  LLVMValueRef v[2] = {cs_rt_asm_value(a, &s->operands[1], type), cs_rt_asm_value(a, &s->operands[2], type)};
  char name[48];
  if (!v[0] || !v[1] || type.lanes != 1)
    return NULL;
  if (type.kind == 'h' || type.kind == 'g') {
    snprintf(name, sizeof name, "%c_setp_%s", type.kind == 'h' ? 'h' : 'b', s->parts[1]);
    return cs_rt_asm_call(a, name, v, 2);
  }
  for (size_t i = 0; i < sizeof tests / sizeof *tests; i++) {
    if (strcmp(tests[i].name, s->parts[1]) != 0)
      continue;
    if (type.kind != 'f')
      return tests[i].with_sign
                 ? LLVMBuildICmp(a->builder, type.kind == 's' ? tests[i].with_sign : tests[i].without, v[0], v[1], "")
                 : NULL;
    for (int k = 0; k < 2 && cs_ptx_has(s, "ftz"); k++)
      if (!(v[k] = cs_rt_asm_call(a, "flush", &v[k], 1)))
        return NULL;
    return tests[i].real
               ? LLVMBuildFCmp(a->builder, tests[i].real, cs_rt_asm_float(a, v[0]), cs_rt_asm_float(a, v[1]), "")
               : NULL;
  }
  return NULL;
}

static LLVMValueRef combine(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, LLVMValueRef test) {
  if (s->operand_count == 3)
    return test;
  LLVMValueRef other = cs_rt_asm_value(a, &s->operands[3], predicate);
  if (!other || s->operand_count != 4)
    return NULL;
  if (cs_ptx_has(s, "and"))
    return LLVMBuildAnd(a->builder, test, other, "");
  if (cs_ptx_has(s, "or"))
    return LLVMBuildOr(a->builder, test, other, "");
  return cs_ptx_has(s, "xor") ? LLVMBuildXor(a->builder, test, other, "") : NULL;
}

#define MODIFIERS "eq ne lt le gt ge lo ls hi hs equ neu ltu leu gtu geu num nan and or xor ftz"

/* "p|q": q gets the negated comparison. */
int cs_rt_ptx_setp(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  struct cs_ptx_type types[2];
  const struct cs_ptx_operand *names[CS_PTX_MAX_ELEMENTS];
  if (cs_ptx_types(s, types) != 1 || !cs_ptx_knows(s, MODIFIERS) || s->operand_count < 3)
    return 0;
  unsigned count = cs_ptx_elements(&s->operands[0], 1, names);
  LLVMValueRef test = compare(a, s, types[0]);
  if (!test || count < 1 || count > 2)
    return 0;
  LLVMValueRef made = combine(a, s, test);
  LLVMValueRef opposite = count == 2 ? combine(a, s, LLVMBuildNot(a->builder, test, "")) : made;
  return made && opposite && cs_rt_asm_assign(a, names[0], made) &&
         (count == 1 || cs_rt_asm_assign(a, names[1], opposite));
}

/* True is all ones, or 1.0 for a float destination. */
int cs_rt_ptx_set(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  struct cs_ptx_type types[2];
  if (cs_ptx_types(s, types) != 2 || !cs_ptx_knows(s, MODIFIERS) || s->operand_count < 3 || types[0].bits != 32 ||
      types[0].lanes * types[1].lanes != 1)
    return 0;
  LLVMValueRef test = compare(a, s, types[1]), made = test ? combine(a, s, test) : NULL;
  if (!made)
    return 0;
  LLVMTypeRef i32 = cs_rt_asm_integer(a, 32);
  made = types[0].kind == 'f'
             ? LLVMBuildSelect(a->builder, made, LLVMConstInt(i32, 0x3f800000, 0), LLVMConstNull(i32), "")
             : LLVMBuildSExt(a->builder, made, i32, "");
  return cs_rt_asm_assign(a, &s->operands[0], made);
}

static int choose(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, struct cs_ptx_type type,
                  LLVMValueRef first) {
  LLVMValueRef x = cs_rt_asm_value(a, &s->operands[1], type), y = cs_rt_asm_value(a, &s->operands[2], type);
  return x && y && first && cs_rt_asm_assign(a, &s->operands[0], LLVMBuildSelect(a->builder, first, x, y, ""));
}

int cs_rt_ptx_selp(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  struct cs_ptx_type types[2];
  return cs_ptx_types(s, types) == 1 && cs_ptx_knows(s, "") && s->operand_count == 4 &&
         choose(a, s, types[0], cs_rt_asm_value(a, &s->operands[3], predicate));
}

/* The first operand when the third is not negative. */
int cs_rt_ptx_slct(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  struct cs_ptx_type types[2];
  if (cs_ptx_types(s, types) != 2 || !cs_ptx_knows(s, "") || s->operand_count != 4 || types[1].kind != 's')
    return 0;
  LLVMValueRef by = cs_rt_asm_value(a, &s->operands[3], types[1]);
  return by && choose(a, s, types[0], LLVMBuildICmp(a->builder, LLVMIntSGE, by, LLVMConstNull(LLVMTypeOf(by)), ""));
}
