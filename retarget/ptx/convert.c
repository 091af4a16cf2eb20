/* convert.c: moves and conversions of inline PTX. */
#include "retarget/ptx/families.h"
#include <stdio.h>
#include <string.h>

/* --- mov --- */

static int unpack(struct cs_rt_asm *a, const struct cs_ptx_operand *const *names, unsigned count, LLVMValueRef value,
                  unsigned bits) {
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef by = LLVMConstInt(LLVMTypeOf(value), (unsigned long long)i * (bits / count), 0);
    LLVMValueRef part = LLVMBuildLShr(a->builder, value, by, "");
    if (!cs_rt_asm_assign(a, names[i], LLVMBuildTrunc(a->builder, part, cs_rt_asm_integer(a, bits / count), "")))
      return 0;
  }
  return 1;
}

static LLVMValueRef pack(struct cs_rt_asm *a, const struct cs_ptx_operand *const *names, unsigned count,
                         unsigned bits) {
  LLVMTypeRef whole = cs_rt_asm_integer(a, bits);
  LLVMValueRef made = LLVMConstNull(whole);
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef part = cs_rt_asm_value(a, names[i], (struct cs_ptx_type){'b', bits / count, 1});
    if (!part)
      return NULL;
    part = LLVMBuildZExt(a->builder, part, whole, "");
    LLVMValueRef by = LLVMConstInt(whole, (unsigned long long)i * (bits / count), 0);
    made = LLVMBuildOr(a->builder, made, LLVMBuildShl(a->builder, part, by, ""), "");
  }
  return made;
}

int cs_rt_ptx_mov(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  struct cs_ptx_type types[2];
  const struct cs_ptx_operand *names[CS_PTX_MAX_ELEMENTS];
  if (cs_ptx_types(s, types) != 1 || !cs_ptx_knows(s, "") || s->operand_count != 2 || types[0].bits > 64)
    return 0;
  unsigned bits = types[0].bits * types[0].lanes;
  if (s->operands[0].kind == CS_PTX_VECTOR) {
    unsigned count = cs_ptx_elements(&s->operands[0], 1, names);
    LLVMValueRef value = cs_rt_asm_value(a, &s->operands[1], types[0]);
    return value && count && bits % count == 0 && unpack(a, names, count, value, bits);
  }
  if (s->operands[1].kind == CS_PTX_VECTOR) {
    unsigned count = cs_ptx_elements(&s->operands[1], 1, names);
    LLVMValueRef value = count && bits % count == 0 ? pack(a, names, count, bits) : NULL;
    return value && cs_rt_asm_assign(a, &s->operands[0], value);
  }
  return cs_rt_asm_assign(a, &s->operands[0], cs_rt_asm_value(a, &s->operands[1], types[0]));
}

/* --- cvt --- */

static int is_integer(struct cs_ptx_type type) {
  return type.lanes == 1 && strchr("usb", type.kind) && type.bits <= 64;
}
static int is_real(struct cs_ptx_type type) {
  return type.kind == 'f' && type.bits >= 32;
}

static LLVMValueRef bound(struct cs_rt_asm *a, LLVMValueRef value, long long limit, LLVMIntPredicate outside) {
  LLVMValueRef edge = LLVMConstInt(LLVMTypeOf(value), (unsigned long long)limit, 1);
  return LLVMBuildSelect(a->builder, LLVMBuildICmp(a->builder, outside, value, edge, ""), edge, value, "");
}

/* Clamps to the range of a narrower type, or one of other signedness; the width stays that of the source. */
static LLVMValueRef saturate(struct cs_rt_asm *a, LLVMValueRef value, struct cs_ptx_type to, struct cs_ptx_type from) {
  int from_sign = from.kind == 's', to_sign = to.kind == 's';
  unsigned magnitude = to.bits - (unsigned)to_sign;
  if (from_sign && (!to_sign || to.bits < from.bits))
    value = bound(a, value, to_sign ? -(1ll << magnitude) : 0, LLVMIntSLT);
  if (magnitude < from.bits - (unsigned)from_sign)
    value = bound(a, value, (long long)((1ull << magnitude) - 1), from_sign ? LLVMIntSGT : LLVMIntUGT);
  return value;
}

static LLVMValueRef integer_to_integer(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, LLVMValueRef value,
                                       struct cs_ptx_type to, struct cs_ptx_type from) {
  if (cs_ptx_has(s, "sat"))
    value = saturate(a, value, to, from);
  value = LLVMBuildIntCast2(a->builder, value, cs_rt_asm_integer(a, to.bits), from.kind == 's', "");
  /* a narrow result is extended in its register by its own signedness */
  return to.bits < 32 ? LLVMBuildIntCast2(a->builder, value, cs_rt_asm_integer(a, 32), to.kind == 's', "") : value;
}

static const char *mode_of(const struct cs_ptx_instruction *s, const char *otherwise) {
  for (const char *const *mode = (const char *const[]){"rn", "rz", "rm", "rp", NULL}; *mode; mode++) {
    char whole[8];
    snprintf(whole, sizeof whole, "%si", *mode);
    if (cs_ptx_has(s, *mode) || cs_ptx_has(s, whole))
      return *mode;
  }
  return otherwise;
}

static const char *integer_name(struct cs_ptx_type type) {
  return type.bits > 32 ? (type.kind == 's' ? "ll" : "ull") : (type.kind == 's' ? "i" : "ui");
}

static LLVMValueRef integer_to_real(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, LLVMValueRef value,
                                    struct cs_ptx_type to, struct cs_ptx_type from) {
  char name[32];
  int exact = to.bits == 64 && from.bits <= 32;
  if (from.bits < 32)
    value = LLVMBuildIntCast2(a->builder, value, cs_rt_asm_integer(a, 32), from.kind == 's', "");
  snprintf(name, sizeof name, "%s2%c_%s", integer_name(from), to.bits == 64 ? 'd' : 'f',
           exact ? "rn" : mode_of(s, "rn"));
  return cs_rt_asm_call(a, name, &value, 1);
}

static LLVMValueRef real_to_integer(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, LLVMValueRef value,
                                    struct cs_ptx_type to, struct cs_ptx_type from) {
  char name[32];
  struct cs_ptx_type whole = {to.kind, to.bits < 32 ? 32 : to.bits, 1};
  snprintf(name, sizeof name, "%c2%s_%s%s", from.bits == 64 ? 'd' : 'f', integer_name(whole), mode_of(s, "rz"),
           cs_ptx_has(s, "ftz") ? "_ftz" : "");
  value = cs_rt_asm_call(a, name, &value, 1);
  return value && to.bits < 32 ? saturate(a, value, to, whole) : value;
}

static LLVMValueRef real_to_real(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, LLVMValueRef value,
                                 struct cs_ptx_type to, struct cs_ptx_type from) {
  static const char *const whole[][2] = {{"rni", "rint"}, {"rmi", "floor"}, {"rpi", "ceil"}, {"rzi", "trunc"}};
  char name[32];
  const char *ftz = cs_ptx_has(s, "ftz") ? "_ftz" : "";
  if (from.bits == 32 && *ftz && !(value = cs_rt_asm_call(a, "flush", &value, 1)))
    return NULL;
  if (to.bits < from.bits) {
    snprintf(name, sizeof name, "d2f_%s%s", mode_of(s, "rn"), ftz);
    value = cs_rt_asm_call(a, name, &value, 1);
  } else if (to.bits > from.bits) {
    value = LLVMBuildFPExt(a->builder, cs_rt_asm_float(a, value), LLVMDoubleTypeInContext(a->unit->context), "");
    value = cs_rt_asm_bits(a, value);
  } else {
    for (size_t i = 0; i < 4 && value; i++)
      if (cs_ptx_has(s, whole[i][0])) {
        snprintf(name, sizeof name, "%s_%c", whole[i][1], to.bits == 64 ? 'd' : 'f');
        value = cs_rt_asm_call(a, name, &value, 1);
      }
  }
  if (value && cs_ptx_has(s, "sat"))
    value = cs_rt_asm_call(a, to.bits == 64 ? "saturate_d" : "saturate", &value, 1);
  return value;
}

int cs_rt_ptx_cvt(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  struct cs_ptx_type t[2];
  if (cs_ptx_types(s, t) != 2 || !cs_ptx_knows(s, "rn rz rm rp rni rzi rmi rpi ftz sat") || s->operand_count != 2)
    return 0;
  LLVMValueRef value = cs_rt_asm_value(a, &s->operands[1], t[1]);
  if (!value)
    return 0;
  if (is_integer(t[0]) && is_integer(t[1]))
    value = integer_to_integer(a, s, value, t[0], t[1]);
  else if (is_real(t[0]) && is_integer(t[1]))
    value = integer_to_real(a, s, value, t[0], t[1]);
  else if (is_integer(t[0]) && is_real(t[1]))
    value = real_to_integer(a, s, value, t[0], t[1]);
  else if (is_real(t[0]) && is_real(t[1]))
    value = real_to_real(a, s, value, t[0], t[1]);
  else
    return 0;
  return cs_rt_asm_assign(a, &s->operands[0], value);
}

/* --- Address spaces --- */

static int names_shared(const struct cs_ptx_instruction *s) {
  return cs_ptx_has(s, "shared") || cs_ptx_has(s, "shared::cta");
}

/* There is one address space, but a shared address may have lost its upper half in a 32-bit register. */
int cs_rt_ptx_cvta(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  struct cs_ptx_type types[2];
  if (cs_ptx_types(s, types) != 1 || !cs_ptx_knows(s, "to global shared shared::cta local const param") ||
      s->operand_count != 2)
    return 0;
  LLVMValueRef value = cs_rt_asm_value(a, &s->operands[1], types[0]);
  if (!value || (types[0].bits != 64 && !(names_shared(s) && cs_ptx_has(s, "to"))))
    return 0;
  if (names_shared(s) && !cs_ptx_has(s, "to"))
    value = cs_rt_asm_call(a, "shared_address", &value, 1);
  return cs_rt_asm_assign(a, &s->operands[0], value);
}

int cs_rt_ptx_isspacep(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  char name[48];
  if (s->part_count != 2 || s->operand_count != 2 || !cs_ptx_knows(s, "global shared shared::cta local const"))
    return 0;
  LLVMValueRef value = cs_rt_asm_value(a, &s->operands[1], (struct cs_ptx_type){'b', 64, 1});
  snprintf(name, sizeof name, "isspacep_%s", names_shared(s) ? "shared" : s->parts[1]);
  value = value ? cs_rt_asm_call(a, name, &value, 1) : NULL;
  return value && cs_rt_asm_assign(a, &s->operands[0], value);
}
