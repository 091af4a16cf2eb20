/* integer.c: integer and bit instructions of inline PTX. */
#include "retarget/ptx/families.h"
#include <stdio.h>
#include <string.h>

static const struct cs_ptx_type b32 = {'b', 32, 1};

static int is_signed(struct cs_ptx_type type) {
  return type.kind == 's';
}

/* The operands after the destination, all of one type. */
static int values(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, struct cs_ptx_type type, LLVMValueRef *v,
                  unsigned count) {
  if (s->operand_count != count + 1)
    return 0;
  for (unsigned i = 0; i < count; i++)
    if (!(v[i] = cs_rt_asm_value(a, &s->operands[i + 1], type)))
      return 0;
  return 1;
}

static int give(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, LLVMValueRef value) {
  return value && cs_rt_asm_assign(a, &s->operands[0], value);
}

static LLVMValueRef widen(struct cs_rt_asm *a, LLVMValueRef value, struct cs_ptx_type type) {
  return LLVMBuildIntCast2(a->builder, value, cs_rt_asm_integer(a, 2 * type.bits), is_signed(type), "");
}

/* .lo keeps the type, .hi takes the upper half of the product, .wide is twice as wide. */
static LLVMValueRef product(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, LLVMValueRef *v,
                            struct cs_ptx_type type) {
  if (cs_ptx_has(s, "lo"))
    return LLVMBuildMul(a->builder, v[0], v[1], "");
  if (cs_ptx_has(s, "hi") && type.bits == 64)
    return cs_rt_asm_call(a, is_signed(type) ? "mulhi_ll" : "mulhi_ull", v, 2);
  if ((!cs_ptx_has(s, "hi") && !cs_ptx_has(s, "wide")) || type.bits > 32)
    return NULL;
  LLVMValueRef made = LLVMBuildMul(a->builder, widen(a, v[0], type), widen(a, v[1], type), "");
  if (cs_ptx_has(s, "wide"))
    return made;
  LLVMValueRef by = LLVMConstInt(LLVMTypeOf(made), type.bits, 0);
  return LLVMBuildTrunc(a->builder, LLVMBuildLShr(a->builder, made, by, ""), cs_rt_asm_integer(a, type.bits), "");
}

static LLVMValueRef min_or_max(struct cs_rt_asm *a, LLVMValueRef x, LLVMValueRef y, int max, int with_sign) {
  LLVMIntPredicate test = max ? (with_sign ? LLVMIntSGT : LLVMIntUGT) : (with_sign ? LLVMIntSLT : LLVMIntULT);
  return LLVMBuildSelect(a->builder, LLVMBuildICmp(a->builder, test, x, y, ""), x, y, "");
}

/* --- Carries: after a difference, a carry means that nothing was borrowed (lift/arithmetic.c) --- */

static LLVMValueRef carry_in(struct cs_rt_asm *a, LLVMTypeRef type, int minus) {
  LLVMValueRef carry = a->carry ? a->carry : LLVMConstNull(cs_rt_asm_integer(a, 1));
  return LLVMBuildZExt(a->builder, minus ? LLVMBuildNot(a->builder, carry, "") : carry, type, "");
}

/* Adds or subtracts one more operand; its carry is combined with the previous one. */
static LLVMValueRef step(struct cs_rt_asm *a, LLVMValueRef sum, LLVMValueRef addend, int minus, LLVMValueRef *carry) {
  LLVMValueRef made = minus ? LLVMBuildSub(a->builder, sum, addend, "") : LLVMBuildAdd(a->builder, sum, addend, "");
  LLVMValueRef over = LLVMBuildICmp(a->builder, minus ? LLVMIntUGT : LLVMIntULT, made, sum, "");
  *carry = *carry ? LLVMBuildOr(a->builder, *carry, over, "") : over;
  return made;
}

/* add{c}, sub{c}, mad{c}, with or without .cc. */
static int with_carry(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, struct cs_ptx_type type) {
  int multiplies = s->code == CS_PTX_OP_mad || s->code == CS_PTX_OP_madc,
      minus = s->code == CS_PTX_OP_sub || s->code == CS_PTX_OP_subc;
  int uses = s->code == CS_PTX_OP_addc || s->code == CS_PTX_OP_subc || s->code == CS_PTX_OP_madc;
  LLVMValueRef v[3], carry = NULL, sum;
  if (!cs_ptx_knows(s, "cc lo hi") || type.bits < 32 || !values(a, s, type, v, multiplies ? 3 : 2))
    return 0;
  sum = multiplies ? product(a, s, v, type) : v[0];
  if (!sum)
    return 0;
  sum = step(a, sum, multiplies ? v[2] : v[1], minus, &carry);
  if (uses)
    sum = step(a, sum, carry_in(a, LLVMTypeOf(sum), minus), minus, &carry);
  if (cs_ptx_has(s, "cc"))
    a->carry = minus ? LLVMBuildNot(a->builder, carry, "") : carry;
  return give(a, s, sum);
}

int cs_rt_ptx_carry(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  struct cs_ptx_type types[2];
  return cs_ptx_types(s, types) == 1 && strchr("us", types[0].kind) && types[0].lanes == 1 &&
         with_carry(a, s, types[0]);
}

/* --- Arithmetic --- */

static int integer_sum(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, struct cs_ptx_type type) {
  int minus = s->parts[0][0] == 's';
  LLVMValueRef v[2];
  if (cs_ptx_has(s, "cc"))
    return with_carry(a, s, type);
  if (!cs_ptx_knows(s, "sat") || !values(a, s, type, v, 2))
    return 0;
  if (cs_ptx_has(s, "sat"))
    return type.kind == 's' && type.bits == 32 &&
           give(a, s, cs_rt_asm_call(a, minus ? "ssub_sat_32" : "sadd_sat_32", v, 2));
  return give(a, s, minus ? LLVMBuildSub(a->builder, v[0], v[1], "") : LLVMBuildAdd(a->builder, v[0], v[1], ""));
}

static int integer_mad(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, struct cs_ptx_type type) {
  struct cs_ptx_type result = type;
  LLVMValueRef v[3];
  if (cs_ptx_has(s, "cc"))
    return with_carry(a, s, type);
  if (!cs_ptx_knows(s, "lo hi wide") || s->operand_count != 4)
    return 0;
  if (cs_ptx_has(s, "wide"))
    result.bits *= 2;
  v[0] = cs_rt_asm_value(a, &s->operands[1], type);
  v[1] = cs_rt_asm_value(a, &s->operands[2], type);
  v[2] = cs_rt_asm_value(a, &s->operands[3], result);
  LLVMValueRef made = v[0] && v[1] && v[2] ? product(a, s, v, type) : NULL;
  return made && give(a, s, LLVMBuildAdd(a->builder, made, v[2], ""));
}

static int integer_one(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, struct cs_ptx_type type) {
  LLVMValueRef v[1];
  if (!cs_ptx_knows(s, "") || type.kind != 's' || !values(a, s, type, v, 1))
    return 0;
  LLVMValueRef negative = LLVMBuildNeg(a->builder, v[0], "");
  return give(a, s, s->code == CS_PTX_OP_neg ? negative : min_or_max(a, v[0], negative, 1, 1));
}

/* add, min and max of two halves at once. */
static int integer_pair(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, struct cs_ptx_type type) {
  LLVMTypeRef pair = LLVMVectorType(cs_rt_asm_integer(a, type.bits), type.lanes);
  LLVMValueRef v[2], made;
  int adds = s->code == CS_PTX_OP_add, max = s->code == CS_PTX_OP_max;
  if (type.bits != 16 || (!adds && !max && s->code != CS_PTX_OP_min) || !cs_ptx_knows(s, adds ? "" : "relu") ||
      !values(a, s, type, v, 2))
    return 0;
  for (int i = 0; i < 2; i++)
    v[i] = LLVMBuildBitCast(a->builder, v[i], pair, "");
  made = adds ? LLVMBuildAdd(a->builder, v[0], v[1], "") : min_or_max(a, v[0], v[1], max, is_signed(type));
  if (cs_ptx_has(s, "relu"))
    made = min_or_max(a, made, LLVMConstNull(pair), 1, 1);
  return give(a, s, LLVMBuildBitCast(a->builder, made, cs_rt_asm_integer(a, type.bits * type.lanes), ""));
}

/* min and max; .relu makes a negative result 0. */
static int integer_extreme(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, struct cs_ptx_type type) {
  LLVMValueRef v[2];
  if (!cs_ptx_knows(s, "relu") || !values(a, s, type, v, 2))
    return 0;
  LLVMValueRef made = min_or_max(a, v[0], v[1], s->code == CS_PTX_OP_max, is_signed(type));
  if (cs_ptx_has(s, "relu"))
    made = min_or_max(a, made, LLVMConstNull(LLVMTypeOf(made)), 1, 1);
  return give(a, s, made);
}

int cs_rt_ptx_integer(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, struct cs_ptx_type type) {
  LLVMValueRef v[2];
  if (!strchr("us", type.kind) || type.bits < 16 || type.bits > 64)
    return 0;
  if (type.lanes != 1)
    return integer_pair(a, s, type);
  if (s->code == CS_PTX_OP_add || s->code == CS_PTX_OP_sub)
    return integer_sum(a, s, type);
  if (s->code == CS_PTX_OP_mad)
    return integer_mad(a, s, type);
  if (s->code == CS_PTX_OP_abs || s->code == CS_PTX_OP_neg)
    return integer_one(a, s, type);
  if (s->code == CS_PTX_OP_min || s->code == CS_PTX_OP_max)
    return integer_extreme(a, s, type);
  if (!cs_ptx_knows(s, "lo hi wide") || !values(a, s, type, v, 2))
    return 0;
  if (s->code == CS_PTX_OP_mul)
    return give(a, s, product(a, s, v, type));
  if (s->code == CS_PTX_OP_div)
    return give(
        a, s, is_signed(type) ? LLVMBuildSDiv(a->builder, v[0], v[1], "") : LLVMBuildUDiv(a->builder, v[0], v[1], ""));
  if (s->code == CS_PTX_OP_rem)
    return give(
        a, s, is_signed(type) ? LLVMBuildSRem(a->builder, v[0], v[1], "") : LLVMBuildURem(a->builder, v[0], v[1], ""));
  return 0;
}

int cs_rt_ptx_sad(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  struct cs_ptx_type types[2];
  LLVMValueRef v[3];
  if (cs_ptx_types(s, types) != 1 || !cs_ptx_knows(s, "") || !strchr("us", types[0].kind) ||
      !values(a, s, types[0], v, 3))
    return 0;
  LLVMValueRef larger = min_or_max(a, v[0], v[1], 1, is_signed(types[0])),
               smaller = min_or_max(a, v[0], v[1], 0, is_signed(types[0]));
  return give(a, s, LLVMBuildAdd(a->builder, LLVMBuildSub(a->builder, larger, smaller, ""), v[2], ""));
}

/* --- Bits --- */

int cs_rt_ptx_logic(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  struct cs_ptx_type types[2];
  int single = s->code == CS_PTX_OP_not || s->code == CS_PTX_OP_cnot;
  LLVMValueRef v[2];
  if (cs_ptx_types(s, types) != 1 || !cs_ptx_knows(s, "") || !values(a, s, types[0], v, single ? 1 : 2))
    return 0;
  if (s->code == CS_PTX_OP_not)
    return give(a, s, LLVMBuildNot(a->builder, v[0], ""));
  if (s->code == CS_PTX_OP_cnot) {
    LLVMValueRef zero = LLVMBuildICmp(a->builder, LLVMIntEQ, v[0], LLVMConstNull(LLVMTypeOf(v[0])), "");
    return give(a, s, LLVMBuildZExt(a->builder, zero, LLVMTypeOf(v[0]), ""));
  }
  if (s->code == CS_PTX_OP_and)
    return give(a, s, LLVMBuildAnd(a->builder, v[0], v[1], ""));
  return give(a, s,
              s->code == CS_PTX_OP_or ? LLVMBuildOr(a->builder, v[0], v[1], "")
                                      : LLVMBuildXor(a->builder, v[0], v[1], ""));
}

/* Shifts by more than the width give zeros, or copies of the sign. */
int cs_rt_ptx_shift(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  struct cs_ptx_type types[2];
  if (cs_ptx_types(s, types) != 1 || !cs_ptx_knows(s, "") || s->operand_count != 3 || types[0].lanes != 1)
    return 0;
  LLVMValueRef value = cs_rt_asm_value(a, &s->operands[1], types[0]), by = cs_rt_asm_value(a, &s->operands[2], b32);
  if (!value || !by)
    return 0;
  int left = s->code == CS_PTX_OP_shl, with_sign = !left && is_signed(types[0]);
  LLVMValueRef max = LLVMConstInt(LLVMTypeOf(by), types[0].bits - 1, 0), zero = LLVMConstNull(LLVMTypeOf(value));
  LLVMValueRef inside = LLVMBuildICmp(a->builder, LLVMIntULE, by, max, "");
  by = LLVMBuildSelect(a->builder, inside, by, max, "");
  by = LLVMBuildIntCast2(a->builder, by, LLVMTypeOf(value), 0, "");
  if (with_sign)
    return give(a, s, LLVMBuildAShr(a->builder, value, by, ""));
  LLVMValueRef made = left ? LLVMBuildShl(a->builder, value, by, "") : LLVMBuildLShr(a->builder, value, by, "");
  return give(a, s, LLVMBuildSelect(a->builder, inside, made, zero, ""));
}

/* Functions of the support library for 32 and 64 bits, signed and unsigned: name_u32(value, b32 ...). */
int cs_rt_ptx_bits(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  struct cs_ptx_type types[2];
  LLVMValueRef v[4];
  char name[64];
  if (cs_ptx_types(s, types) != 1 || !cs_ptx_knows(s, "shiftamt clamp wrap l r") || s->operand_count < 2 ||
      s->operand_count > 5)
    return 0;
  snprintf(name, sizeof name, "%s%s%s%s_%c%u", s->parts[0], cs_ptx_has(s, "shiftamt") ? "_shiftamt" : "",
           cs_ptx_has(s, "clamp") ? "_clamp" : "", cs_ptx_has(s, "wrap") ? "_wrap" : "", types[0].kind, types[0].bits);
  int inserts = s->code == CS_PTX_OP_bfi; /* its first two operands have the instruction's type */
  for (unsigned i = 0; i + 1 < s->operand_count; i++)
    if (!(v[i] = cs_rt_asm_value(a, &s->operands[i + 1], i == 0 || (inserts && i == 1) ? types[0] : b32)))
      return 0;
  return give(a, s, cs_rt_asm_call(a, name, v, s->operand_count - 1));
}

int cs_rt_ptx_prmt(struct cs_rt_asm *a, const struct cs_ptx_instruction *s) {
  LLVMValueRef v[3];
  char name[32];
  if (s->part_count < 2 || s->part_count > 3 || !cs_ptx_knows(s, "f4e b4e rc8 ecl ecr rc16") ||
      !values(a, s, b32, v, 3))
    return 0;
  snprintf(name, sizeof name, s->part_count == 3 ? "prmt_%s" : "prmt", s->part_count == 3 ? s->parts[2] : "");
  LLVMValueRef made = cs_rt_asm_call(a, name, v, 3), two[] = {v[0], v[2]};
  return give(a, s, made ? made : cs_rt_asm_call(a, name, two, 2));
}
