/* arithmetic.c: integer and float arithmetic, bit operations, shifts and carries. */
#include "lift/instructions.h"
#include "lift/values.h"
#include <string.h>

/* The one type of an instruction with this many operands. Returns 0 for another form. */
static int one_type(const struct cs_ptx_instruction *i, unsigned operands, const char *words,
                    struct cs_ptx_type *type) {
  struct cs_ptx_type types[2];
  if (i->operand_count != operands || !cs_ptx_knows(i, words) || cs_ptx_types(i, types) != 1 || types[0].lanes != 1)
    return 0;
  *type = types[0];
  return 1;
}

/* The same for f32, f64 and f32x2. An operand of f32x2 is a register of 64 bits. */
static int float_type(const struct cs_ptx_instruction *i, unsigned operands, const char *words,
                      struct cs_ptx_type *type) {
  struct cs_ptx_type types[2];
  if (i->operand_count != operands || !cs_ptx_knows(i, words) || cs_ptx_types(i, types) != 1 || types[0].kind != 'f')
    return 0;
  for (unsigned k = 0; types[0].lanes > 1 && k < operands; k++)
    if (i->operands[k].kind != CS_PTX_NAME)
      return 0;
  *type = types[0];
  return 1;
}

static int is_integer(struct cs_ptx_type type) {
  return type.kind == 'u' || type.kind == 's' || type.kind == 'b';
}

/* --- Two operands --- */

static int binary(struct cs_lift_function *f, const struct cs_ptx_instruction *i, LLVMOpcode integer, LLVMOpcode real) {
  struct cs_ptx_type t;
  if (one_type(i, 3, "", &t) && is_integer(t))
    cs_lift_assign(f, &i->operands[0],
                   LLVMBuildBinOp(f->builder, integer, cs_lift_value(f, &i->operands[1], t),
                                  cs_lift_value(f, &i->operands[2], t), ""),
                   t.kind == 's');
  else if (float_type(i, 3, "rn", &t))
    cs_lift_assign(f, &i->operands[0],
                   LLVMBuildBinOp(f->builder, real, cs_lift_float(f, &i->operands[1], t),
                                  cs_lift_float(f, &i->operands[2], t), ""),
                   0);
  else
    return 0;
  return 1;
}

static int has_carry(const struct cs_ptx_instruction *i) {
  return cs_ptx_has(i, "cc");
}

/* --- Carries: the condition code is a bit like any register. A difference is a sum with the complement: a carry means
 * that nothing was borrowed. nvcc's division of 128-bit integers adds that carry (subc.cc, addc), which PTX's
 * documentation calls the borrow --- */

static LLVMValueRef carry_slot(struct cs_lift_function *f) {
  if (!f->carry) {
    f->carry = cs_lift_alloca(f, f->unit->i1, 0);
    LLVMBuildStore(f->allocas, LLVMConstNull(f->unit->i1), f->carry);
  }
  return f->carry;
}

/* a + b + carry in; stores the carry out if the instruction has .cc. */
static LLVMValueRef add_with_carry(struct cs_lift_function *f, LLVMValueRef a, LLVMValueRef b, int in, int out) {
  LLVMBuilderRef builder = f->builder;
  LLVMTypeRef type = LLVMTypeOf(a);
  LLVMValueRef sum = LLVMBuildAdd(builder, a, b, ""), over = LLVMBuildICmp(builder, LLVMIntULT, sum, a, "");
  if (in) {
    LLVMValueRef carry = LLVMBuildLoad2(builder, f->unit->i1, carry_slot(f), ""), before = sum;
    sum = LLVMBuildAdd(builder, sum, LLVMBuildZExt(builder, carry, type, ""), "");
    over = LLVMBuildOr(builder, over, LLVMBuildICmp(builder, LLVMIntULT, sum, before, ""), "");
  }
  if (out)
    LLVMBuildStore(builder, over, carry_slot(f));
  return sum;
}

static LLVMValueRef subtract_with_borrow(struct cs_lift_function *f, LLVMValueRef a, LLVMValueRef b, int in, int out) {
  LLVMBuilderRef builder = f->builder;
  LLVMTypeRef type = LLVMTypeOf(a);
  LLVMValueRef rest = LLVMBuildSub(builder, a, b, ""), under = LLVMBuildICmp(builder, LLVMIntULT, a, b, "");
  if (in) {
    LLVMValueRef carry = LLVMBuildLoad2(builder, f->unit->i1, carry_slot(f), "");
    LLVMValueRef borrow = LLVMBuildZExt(builder, LLVMBuildNot(builder, carry, ""), type, "");
    under = LLVMBuildOr(builder, under, LLVMBuildICmp(builder, LLVMIntULT, rest, borrow, ""), "");
    rest = LLVMBuildSub(builder, rest, borrow, "");
  }
  if (out)
    LLVMBuildStore(builder, LLVMBuildNot(builder, under, ""), carry_slot(f));
  return rest;
}

static int carried(struct cs_lift_function *f, const struct cs_ptx_instruction *i, int in,
                   LLVMValueRef (*combine)(struct cs_lift_function *, LLVMValueRef, LLVMValueRef, int, int)) {
  struct cs_ptx_type t;
  if (!one_type(i, 3, "cc", &t) || !is_integer(t))
    return 0;
  LLVMValueRef a = cs_lift_value(f, &i->operands[1], t), b = cs_lift_value(f, &i->operands[2], t);
  cs_lift_assign(f, &i->operands[0], combine(f, a, b, in, has_carry(i)), 0);
  return 1;
}

int cs_lift_add(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  return has_carry(i) ? carried(f, i, 0, add_with_carry) : binary(f, i, LLVMAdd, LLVMFAdd);
}

int cs_lift_sub(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  return has_carry(i) ? carried(f, i, 0, subtract_with_borrow) : binary(f, i, LLVMSub, LLVMFSub);
}

int cs_lift_addc(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  return carried(f, i, 1, add_with_carry);
}

int cs_lift_subc(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  return carried(f, i, 1, subtract_with_borrow);
}

/* --- Products --- */

static LLVMValueRef extended(struct cs_lift_function *f, LLVMValueRef value, struct cs_ptx_type t) {
  return LLVMBuildIntCast2(f->builder, value, cs_lift_integer(f->unit, 2 * t.bits), t.kind == 's', "");
}

/* lo, hi or wide. A product of twice the width cannot overflow. */
static LLVMValueRef product(struct cs_lift_function *f, const struct cs_ptx_instruction *i, struct cs_ptx_type t) {
  LLVMValueRef a = cs_lift_value(f, &i->operands[1], t), b = cs_lift_value(f, &i->operands[2], t);
  if (cs_ptx_has(i, "lo"))
    return LLVMBuildMul(f->builder, a, b, "");
  a = extended(f, a, t);
  b = extended(f, b, t);
  LLVMValueRef whole = t.kind == 's' ? LLVMBuildNSWMul(f->builder, a, b, "") : LLVMBuildNUWMul(f->builder, a, b, "");
  if (cs_ptx_has(i, "wide"))
    return whole;
  LLVMValueRef by = LLVMConstInt(LLVMTypeOf(whole), t.bits, 0);
  return LLVMBuildTrunc(f->builder, LLVMBuildLShr(f->builder, whole, by, ""), cs_lift_integer(f->unit, t.bits), "");
}

/* The high part of a 64-bit product has an instruction, and no integer that wide on every device. */
static int is_product(const struct cs_ptx_instruction *i, unsigned operands, struct cs_ptx_type *t) {
  return one_type(i, operands, "lo hi wide cc", t) && is_integer(*t) && !(t->bits == 64 && !cs_ptx_has(i, "lo"));
}

int cs_lift_mul(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  struct cs_ptx_type t;
  if (!is_product(i, 3, &t) || has_carry(i))
    return binary(f, i, LLVMMul, LLVMFMul);
  cs_lift_assign(f, &i->operands[0], product(f, i, t), t.kind == 's');
  return 1;
}

static int multiply_and_add(struct cs_lift_function *f, const struct cs_ptx_instruction *i, int in) {
  struct cs_ptx_type t;
  if (!is_product(i, 4, &t))
    return 0;
  LLVMValueRef whole = product(f, i, t);
  struct cs_ptx_type wide = {t.kind, LLVMGetIntTypeWidth(LLVMTypeOf(whole)), 1};
  LLVMValueRef c = cs_lift_value(f, &i->operands[3], wide);
  cs_lift_assign(f, &i->operands[0],
                 in || has_carry(i) ? add_with_carry(f, whole, c, in, has_carry(i))
                                    : LLVMBuildAdd(f->builder, whole, c, ""),
                 t.kind == 's');
  return 1;
}

int cs_lift_mad(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  return multiply_and_add(f, i, 0);
}

int cs_lift_madc(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  return multiply_and_add(f, i, 1);
}

int cs_lift_fma(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  struct cs_ptx_type t;
  if (!float_type(i, 4, "rn", &t))
    return 0;
  LLVMValueRef args[3];
  for (unsigned k = 0; k < 3; k++)
    args[k] = cs_lift_float(f, &i->operands[k + 1], t);
  LLVMTypeRef type = LLVMTypeOf(args[0]);
  cs_lift_assign(f, &i->operands[0], cs_lift_intrinsic(f, "llvm.fma", &type, 1, args, 3), 0);
  return 1;
}

/* --- Quotients: a division by zero has a result in PTX, and none in LLVM --- */

static int quotient(struct cs_lift_function *f, const struct cs_ptx_instruction *i, LLVMOpcode s, LLVMOpcode u) {
  struct cs_ptx_type t;
  if (!one_type(i, 3, "", &t) || (t.kind != 's' && t.kind != 'u') || i->operands[2].kind != CS_PTX_INTEGER ||
      i->operands[2].value == 0 || i->operands[2].value == ~0ull)
    return 0;
  LLVMValueRef a = cs_lift_value(f, &i->operands[1], t), b = cs_lift_value(f, &i->operands[2], t);
  cs_lift_assign(f, &i->operands[0], LLVMBuildBinOp(f->builder, t.kind == 's' ? s : u, a, b, ""), t.kind == 's');
  return 1;
}

int cs_lift_div(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  struct cs_ptx_type t;
  if (cs_ptx_has(i, "rn") && one_type(i, 3, "rn", &t) && t.kind == 'f')
    return binary(f, i, LLVMSDiv, LLVMFDiv);
  return quotient(f, i, LLVMSDiv, LLVMUDiv);
}

int cs_lift_rem(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  return quotient(f, i, LLVMSRem, LLVMURem);
}

/* --- Bits --- */

static int bits(struct cs_lift_function *f, const struct cs_ptx_instruction *i, LLVMOpcode opcode) {
  struct cs_ptx_type t;
  if (!one_type(i, 3, "", &t))
    return 0;
  LLVMValueRef a = cs_lift_value(f, &i->operands[1], t), b = cs_lift_value(f, &i->operands[2], t);
  cs_lift_assign(f, &i->operands[0], LLVMBuildBinOp(f->builder, opcode, a, b, ""), 0);
  return 1;
}

int cs_lift_and(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  return bits(f, i, LLVMAnd);
}

int cs_lift_or(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  return bits(f, i, LLVMOr);
}

int cs_lift_xor(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  return bits(f, i, LLVMXor);
}

int cs_lift_not(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  struct cs_ptx_type t;
  if (!one_type(i, 2, "", &t))
    return 0;
  cs_lift_assign(f, &i->operands[0], LLVMBuildNot(f->builder, cs_lift_value(f, &i->operands[1], t), ""), 0);
  return 1;
}

int cs_lift_neg(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  struct cs_ptx_type t;
  if (!one_type(i, 2, "", &t) || (t.kind != 's' && t.kind != 'f'))
    return 0;
  LLVMValueRef made = t.kind == 'f' ? LLVMBuildFNeg(f->builder, cs_lift_float(f, &i->operands[1], t), "")
                                    : LLVMBuildNeg(f->builder, cs_lift_value(f, &i->operands[1], t), "");
  cs_lift_assign(f, &i->operands[0], made, 1);
  return 1;
}

static int extreme(struct cs_lift_function *f, const struct cs_ptx_instruction *i, const char *s, const char *u) {
  struct cs_ptx_type t;
  if (!one_type(i, 3, "", &t) || (t.kind != 's' && t.kind != 'u'))
    return 0;
  LLVMValueRef args[] = {cs_lift_value(f, &i->operands[1], t), cs_lift_value(f, &i->operands[2], t)};
  LLVMTypeRef type = LLVMTypeOf(args[0]);
  cs_lift_assign(f, &i->operands[0], cs_lift_intrinsic(f, t.kind == 's' ? s : u, &type, 1, args, 2), t.kind == 's');
  return 1;
}

int cs_lift_min(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  return extreme(f, i, "llvm.smin", "llvm.umin");
}

int cs_lift_max(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  return extreme(f, i, "llvm.smax", "llvm.umax");
}

/* A shift by the width or more gives zeros or signs in PTX; in LLVM it is undefined. */
static int shift(struct cs_lift_function *f, const struct cs_ptx_instruction *i, LLVMOpcode opcode) {
  struct cs_ptx_type t;
  if (!one_type(i, 3, "", &t))
    return 0;
  LLVMBuilderRef builder = f->builder;
  LLVMValueRef a = cs_lift_value(f, &i->operands[1], t), whole, edge;
  LLVMValueRef by = cs_lift_value(f, &i->operands[2], (struct cs_ptx_type){'u', 32, 1});
  LLVMValueRef last = cs_lift_number(f->unit, 32, t.bits - 1);
  LLVMValueRef fits = LLVMBuildICmp(builder, LLVMIntULE, by, last, "");
  by = LLVMBuildSelect(builder, fits, by, last, "");
  whole = LLVMBuildBinOp(builder, opcode, a, LLVMBuildIntCast2(builder, by, LLVMTypeOf(a), 0, ""), "");
  edge = opcode == LLVMAShr ? whole : LLVMConstNull(LLVMTypeOf(a));
  cs_lift_assign(f, &i->operands[0], LLVMBuildSelect(builder, fits, whole, edge, ""), t.kind == 's');
  return 1;
}

int cs_lift_shl(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  return shift(f, i, LLVMShl);
}

int cs_lift_shr(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  return shift(f, i, cs_ptx_has(i, "s16") || cs_ptx_has(i, "s32") || cs_ptx_has(i, "s64") ? LLVMAShr : LLVMLShr);
}
