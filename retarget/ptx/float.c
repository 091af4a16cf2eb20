/* float.c: floating-point arithmetic of inline PTX; cs_rt_ptx_arithmetic passes integers to integer.c. */
#include "retarget/ptx/families.h"
#include <stdio.h>

static const char *rounding(const struct cs_ptx_instruction *s) {
  for (const char *const *mode = (const char *const[]){"rz", "rm", "rp", NULL}; *mode; mode++)
    if (cs_ptx_has(s, *mode))
      return *mode;
  return "rn"; /* also for .approx and .full: the most exact */
}

/* name_rn_ftz_f and similar; min and max have no rounding mode. */
static void library_name(char *name, size_t size, const struct cs_ptx_instruction *s, struct cs_ptx_type type) {
  const char *ftz = cs_ptx_has(s, "ftz") && type.bits == 32 ? "_ftz" : "";
  char suffix = type.bits == 64 ? 'd' : 'f';
  if (s->code == CS_PTX_OP_min || s->code == CS_PTX_OP_max)
    snprintf(name, size, "f%s%s%s_%c", s->parts[0], cs_ptx_has(s, "NaN") ? "imum" : "", ftz, suffix);
  else
    snprintf(name, size, "%s_%s%s_%c", s->code == CS_PTX_OP_mad ? "fma" : s->parts[0], rounding(s), ftz, suffix);
}

static int float_sign(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, struct cs_ptx_type type) {
  LLVMValueRef value = s->operand_count == 2 ? cs_rt_asm_value(a, &s->operands[1], type) : NULL;
  if (!value || !cs_ptx_knows(s, "ftz"))
    return 0;
  if (cs_ptx_has(s, "ftz") && !(value = cs_rt_asm_call(a, "flush", &value, 1)))
    return 0;
  LLVMValueRef sign = LLVMConstInt(LLVMTypeOf(value), 1ull << (type.bits - 1), 0);
  value = s->code == CS_PTX_OP_neg ? LLVMBuildXor(a->builder, value, sign, "")
                                   : LLVMBuildAnd(a->builder, value, LLVMConstNot(sign), "");
  return cs_rt_asm_assign(a, &s->operands[0], value);
}

/* f32x2: the operation of f32 for each half of the registers. */
static int float_pair(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  char name[48];
  if (!cs_ptx_knows(s, "rn rz rm rp ftz"))
    return 0;
  library_name(name, sizeof name, s, (struct cs_ptx_type){'f', 32, 1});
  return cs_rt_asm_call_on_halves(a, s, name, 32);
}

static int float_arithmetic(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, struct cs_ptx_type type) {
  LLVMValueRef v[3];
  char name[48];
  if (s->code == CS_PTX_OP_neg || s->code == CS_PTX_OP_abs)
    return float_sign(a, s, type);
  if (!cs_ptx_knows(s, "rn rz rm rp ftz sat approx full NaN") || s->operand_count < 2 || s->operand_count > 4)
    return 0;
  for (unsigned i = 0; i + 1 < s->operand_count; i++)
    if (!(v[i] = cs_rt_asm_value(a, &s->operands[i + 1], type)))
      return 0;
  library_name(name, sizeof name, s, type);
  LLVMValueRef made = cs_rt_asm_call(a, name, v, s->operand_count - 1);
  if (made && cs_ptx_has(s, "sat"))
    made = cs_rt_asm_call(a, type.bits == 64 ? "saturate_d" : "saturate", &made, 1);
  return made && cs_rt_asm_assign(a, &s->operands[0], made);
}

int cs_rt_ptx_arithmetic(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  struct cs_ptx_type types[2];
  if (cs_ptx_types(s, types) != 1)
    return 0;
  if (types[0].kind == 'f' && types[0].lanes == 2)
    return float_pair(a, s);
  if (types[0].kind == 'f' && types[0].bits >= 32)
    return float_arithmetic(a, s, types[0]);
  return cs_rt_ptx_integer(a, s, types[0]);
}

/* PTX copies the sign of the first operand to the second. */
int cs_rt_ptx_copysign(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  struct cs_ptx_type types[2];
  if (cs_ptx_types(s, types) != 1 || !cs_ptx_knows(s, "") || types[0].kind != 'f' || s->operand_count != 3)
    return 0;
  LLVMValueRef from = cs_rt_asm_value(a, &s->operands[1], types[0]), to = cs_rt_asm_value(a, &s->operands[2], types[0]);
  if (!from || !to)
    return 0;
  LLVMValueRef sign = LLVMConstInt(LLVMTypeOf(to), 1ull << (types[0].bits - 1), 0);
  LLVMValueRef size = LLVMBuildAnd(a->builder, to, LLVMConstNot(sign), "");
  return cs_rt_asm_assign(a, &s->operands[0],
                          LLVMBuildOr(a->builder, size, LLVMBuildAnd(a->builder, from, sign, ""), ""));
}
