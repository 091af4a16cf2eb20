/* rules.c: the shadow of a result from those of the operands, with LLVM's MemorySanitizer as the reference. */
#include "cusafe/ir.h"
#include "ir/instructions.h"
#include "ir/module.h"
#include "ir/names.h"
#include "pass/init/init.h"
#include "pass/module/build.h"
#include <stdio.h>
#include <string.h>

/* ---- which ---- */

static const char *name_of_callee(LLVMValueRef call) {
  LLVMValueRef callee = cs_ir_callee(call);
  return callee ? cs_ir_name(callee) : "";
}

static int is_shuffle(LLVMValueRef call) {
  return cs_ir_starts_with(name_of_callee(call), "llvm.nvvm.shfl.sync.");
}

static int is_ballot(LLVMValueRef call) {
  return cs_ir_starts_with(name_of_callee(call), "llvm.nvvm.vote.ballot.sync");
}

/* A function of its operands alone. */
static int is_pure(LLVMValueRef call) {
  LLVMValueRef callee = cs_ir_callee(call);
  if (!callee || !LLVMGetIntrinsicID(callee))
    return 0;
  LLVMAttributeIndex of_function = (LLVMAttributeIndex)LLVMAttributeFunctionIndex;
  LLVMAttributeRef memory = LLVMGetEnumAttributeAtIndex(callee, of_function, cs_ir_attribute_kind("memory"));
  return memory && LLVMGetEnumAttributeValue(memory) == 0 &&
         !LLVMGetEnumAttributeAtIndex(callee, of_function, cs_ir_attribute_kind("convergent"));
}

int cs_pass_init_has_rule(LLVMValueRef i) {
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMFreeze:
  case LLVMAlloca:
  case LLVMLoad:
    return 0;
  case LLVMCall:
    return cs_pass_init_is_mark(i) || is_shuffle(i) || is_ballot(i) || is_pure(i) || cs_pass_init_is_arithmetic(i);
  default:
    return !LLVMIsATerminatorInst(i);
  }
}

/* ---- parts ---- */

struct rule {
  struct cs_pass_init *init;
  const struct cs_pass *pass;
  LLVMBuilderRef b;
  LLVMValueRef i, *s;
  LLVMTypeRef type; /* of the result's shadow */
};

static LLVMValueRef raw(const struct rule *r, unsigned operand) {
  return cs_pass_init_raw(r->pass, LLVMGetOperand(r->i, operand));
}

static LLVMValueRef either(const struct rule *r, LLVMValueRef a, LLVMValueRef b) {
  return LLVMBuildOr(r->b, a, b, "");
}

static LLVMValueRef not_zero(const struct rule *r, LLVMValueRef value) {
  return LLVMBuildICmp(r->b, LLVMIntNE, value, LLVMConstNull(LLVMTypeOf(value)), "");
}

static LLVMValueRef is_zero(const struct rule *r, LLVMValueRef value) {
  return LLVMBuildICmp(r->b, LLVMIntEQ, value, LLVMConstNull(LLVMTypeOf(value)), "");
}

static unsigned lanes(LLVMTypeRef type) {
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind ? LLVMGetVectorSize(type) : 0;
}

/* All bits of a result, or of a lane, if the operand, or its lane, has any. */
static LLVMValueRef spread_of(const struct rule *r, LLVMValueRef shadow) {
  if (lanes(LLVMTypeOf(shadow)) && lanes(LLVMTypeOf(shadow)) == lanes(r->type))
    return LLVMBuildSExt(r->b, not_zero(r, shadow), r->type, "");
  return cs_pass_init_spread(r->pass, cs_pass_init_any(r->pass, shadow), r->type);
}

static LLVMValueRef all_of_any(const struct rule *r, unsigned count) {
  LLVMValueRef result = LLVMConstNull(r->type);
  for (unsigned o = 0; o < count; o++)
    if (r->s[o] && !LLVMIsNull(r->s[o]))
      result = either(r, result, spread_of(r, r->s[o]));
  return result;
}

/* ---- bits ---- */

/* A bit that is initialised and decides alone initialises the result's. */
static LLVMValueRef masked(const struct rule *r, int is_or) {
  LLVMValueRef a = raw(r, 0), b = raw(r, 1);
  if (is_or)
    a = LLVMBuildNot(r->b, a, ""), b = LLVMBuildNot(r->b, b, "");
  LLVMValueRef both = LLVMBuildAnd(r->b, r->s[0], r->s[1], "");
  return either(r, both, either(r, LLVMBuildAnd(r->b, a, r->s[1], ""), LLVMBuildAnd(r->b, r->s[0], b, "")));
}

/* Bits above the lowest uninitialised one may depend on it; the product with an initialised 0 on none. */
static LLVMValueRef product(const struct rule *r) {
  LLVMValueRef s = either(r, r->s[0], r->s[1]), upwards = either(r, s, LLVMBuildNeg(r->b, s, ""));
  LLVMValueRef zero = either(r, is_zero(r, either(r, raw(r, 0), r->s[0])), is_zero(r, either(r, raw(r, 1), r->s[1])));
  return LLVMBuildSelect(r->b, zero, LLVMConstNull(r->type), upwards, "");
}

static LLVMValueRef shift(const struct rule *r) {
  LLVMValueRef moved = LLVMBuildBinOp(r->b, LLVMGetInstructionOpcode(r->i), r->s[0], raw(r, 1), "");
  return LLVMIsNull(r->s[1]) ? moved : either(r, moved, spread_of(r, r->s[1]));
}

/* ---- comparisons ---- */

static int is_signed(LLVMIntPredicate p) {
  return p >= LLVMIntSGT && p <= LLVMIntSLE;
}

/* One differing pair of initialised bits decides. */
static LLVMValueRef equality(const struct rule *r, LLVMValueRef a, LLVMValueRef b, LLVMValueRef s) {
  LLVMValueRef differs = LLVMBuildAnd(r->b, LLVMBuildXor(r->b, a, b, ""), LLVMBuildNot(r->b, s, ""), "");
  return LLVMBuildAnd(r->b, not_zero(r, s), is_zero(r, differs), "");
}

/* Initialised if the least and the largest values that the operands may have give the same answer. */
static LLVMValueRef relation(const struct rule *r, LLVMValueRef a, LLVMValueRef b, LLVMIntPredicate p) {
  if (is_signed(p)) {
    LLVMTypeRef type = LLVMTypeOf(a), element = lanes(type) ? LLVMGetElementType(type) : type;
    LLVMValueRef sign = LLVMConstInt(element, 1ull << (LLVMGetIntTypeWidth(element) - 1), 0), signs[64];
    for (unsigned l = 0; l < lanes(type); l++)
      signs[l] = sign;
    sign = lanes(type) ? LLVMConstVector(signs, lanes(type)) : sign;
    a = LLVMBuildXor(r->b, a, sign, ""), b = LLVMBuildXor(r->b, b, sign, "");
    p = (LLVMIntPredicate)(p - LLVMIntSGT + LLVMIntUGT);
  }
  LLVMValueRef a_min = LLVMBuildAnd(r->b, a, LLVMBuildNot(r->b, r->s[0], ""), ""), a_max = either(r, a, r->s[0]);
  LLVMValueRef b_min = LLVMBuildAnd(r->b, b, LLVMBuildNot(r->b, r->s[1], ""), ""), b_max = either(r, b, r->s[1]);
  return LLVMBuildXor(r->b, LLVMBuildICmp(r->b, p, a_min, b_max, ""), LLVMBuildICmp(r->b, p, a_max, b_min, ""), "");
}

static LLVMValueRef comparison(const struct rule *r) {
  LLVMIntPredicate p = LLVMGetICmpPredicate(r->i);
  LLVMTypeRef type = LLVMTypeOf(r->s[0]), element = lanes(type) ? LLVMGetElementType(type) : type;
  if (LLVMGetIntTypeWidth(element) > 64 || lanes(type) > 64)
    return all_of_any(r, 2);
  if (p == LLVMIntEQ || p == LLVMIntNE)
    return equality(r, raw(r, 0), raw(r, 1), either(r, r->s[0], r->s[1]));
  return relation(r, raw(r, 0), raw(r, 1), p);
}

/* ---- choices, parts of values ---- */

static LLVMValueRef choice(const struct rule *r) {
  LLVMValueRef condition = LLVMGetOperand(r->i, 0), chosen = LLVMBuildSelect(r->b, condition, r->s[1], r->s[2], "");
  if (LLVMIsNull(r->s[0]))
    return chosen;
  LLVMValueRef differs = LLVMBuildXor(r->b, raw(r, 1), raw(r, 2), "");
  return LLVMBuildSelect(r->b, r->s[0], either(r, differs, either(r, r->s[1], r->s[2])), chosen, "");
}

static LLVMValueRef rearranged(const struct rule *r) {
  LLVMValueRef mask[64];
  unsigned count = LLVMGetNumMaskElements(r->i);
  for (unsigned m = 0; m < count && m < 64; m++) {
    int from = LLVMGetMaskValue(r->i, m);
    mask[m] =
        from == LLVMGetUndefMaskElem() ? LLVMGetPoison(r->pass->i32) : cs_pass_constant(r->pass->i32, (cs_u64)from);
  }
  return count > 64 ? LLVMConstNull(r->type)
                    : LLVMBuildShuffleVector(r->b, r->s[0], r->s[1], LLVMConstVector(mask, count), "");
}

/* The shadow of a structure is that of its first member; whether an exchange was done depends on what memory had. */
static LLVMValueRef member(const struct rule *r) {
  LLVMValueRef structure = LLVMGetOperand(r->i, 0);
  int is_first = *LLVMGetIndices(r->i) == 0;
  if (is_shuffle(structure))
    return is_first ? r->s[0] : LLVMConstNull(r->type);
  return is_first && LLVMTypeOf(r->s[0]) == r->type ? r->s[0] : spread_of(r, r->s[0]);
}

/* ---- calls ---- */

/* A lane gets the shadow of the lane that it reads. */
static LLVMValueRef shuffled(const struct rule *r) {
  char name[64];
  const char *text = name_of_callee(r->i), *end = strrchr(text, '.');
  snprintf(name, sizeof name, "%.*s.i32%s", (int)(end - text), text, end[strlen(end) - 1] == 'p' ? "p" : "");
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  LLVMValueRef function = LLVMGetIntrinsicDeclaration(r->pass->module, id, NULL, 0);
  LLVMValueRef arguments[] = {LLVMGetOperand(r->i, 0), r->s[1], LLVMGetOperand(r->i, 2), LLVMGetOperand(r->i, 3)};
  LLVMValueRef made = LLVMBuildCall2(r->b, LLVMGlobalGetValueType(function), function, arguments, 4, "");
  return LLVMGetTypeKind(LLVMTypeOf(made)) == LLVMStructTypeKind ? LLVMBuildExtractValue(r->b, made, 0, "") : made;
}

static LLVMValueRef balloted(const struct rule *r) {
  LLVMValueRef function = cs_ir_callee(r->i), arguments[] = {LLVMGetOperand(r->i, 0), r->s[1]};
  return LLVMBuildCall2(r->b, LLVMGlobalGetValueType(function), function, arguments, 2, "");
}

/* Intrinsics that only move bits. Shorter rotations are not among them: the engine's linker rejects its own code for
 * those of a value that a call returns ("Invalid binary operator record"). */
static int moves_bits(const char *name) {
  return cs_ir_starts_with(name, "llvm.bswap.") || cs_ir_starts_with(name, "llvm.bitreverse.") ||
         strcmp(name, "llvm.fshl.i32") == 0 || strcmp(name, "llvm.fshr.i32") == 0 ||
         strcmp(name, "llvm.fshl.i64") == 0 || strcmp(name, "llvm.fshr.i64") == 0 ||
         strcmp(name, "llvm.nvvm.prmt") == 0;
}

/* By the same positions or lengths, which are initialised. */
static LLVMValueRef moved(const struct rule *r) {
  unsigned count = LLVMGetNumArgOperands(r->i);
  LLVMValueRef function = cs_ir_callee(r->i), arguments[3];
  for (unsigned a = 0; a < count; a++)
    arguments[a] = a == 2 ? LLVMGetOperand(r->i, 2) : r->s[a];
  return LLVMBuildCall2(r->b, LLVMGlobalGetValueType(function), function, arguments, count, "");
}

static LLVMValueRef called(const struct rule *r) {
  unsigned count = LLVMGetNumArgOperands(r->i);
  if (cs_pass_init_is_mark(r->i))
    return r->s[0];
  if (is_shuffle(r->i))
    return shuffled(r);
  if (is_ballot(r->i))
    return balloted(r);
  int is_fixed = count < 3 || (r->s[2] && LLVMIsNull(r->s[2]));
  return count <= 3 && is_fixed && moves_bits(name_of_callee(r->i)) ? moved(r) : all_of_any(r, count);
}

/* ---- all ---- */

static LLVMValueRef of_integers(const struct rule *r) {
  switch (LLVMGetInstructionOpcode(r->i)) {
  case LLVMAnd:
    return masked(r, 0);
  case LLVMOr:
    return masked(r, 1);
  case LLVMXor:
  case LLVMAdd:
  case LLVMSub:
    return either(r, r->s[0], r->s[1]);
  case LLVMMul:
    return product(r);
  case LLVMShl:
  case LLVMLShr:
  case LLVMAShr:
    return shift(r);
  case LLVMICmp:
    return comparison(r);
  default:
    return NULL;
  }
}

static LLVMValueRef of_casts(const struct rule *r) {
  switch (LLVMGetInstructionOpcode(r->i)) {
  case LLVMTrunc:
  case LLVMZExt:
  case LLVMSExt:
    return LLVMBuildCast(r->b, LLVMGetInstructionOpcode(r->i), r->s[0], r->type, "");
  case LLVMBitCast:
    return LLVMBuildBitCast(r->b, r->s[0], r->type, "");
  case LLVMPtrToInt:
  case LLVMIntToPtr:
  case LLVMAddrSpaceCast:
    return lanes(r->type) ? all_of_any(r, 1) : LLVMBuildIntCast2(r->b, r->s[0], r->type, 0, "");
  default:
    return NULL;
  }
}

static LLVMValueRef of_parts(const struct rule *r) {
  switch (LLVMGetInstructionOpcode(r->i)) {
  case LLVMSelect:
    return choice(r);
  case LLVMExtractElement:
    return LLVMBuildExtractElement(r->b, r->s[0], LLVMGetOperand(r->i, 1), "");
  case LLVMInsertElement:
    return LLVMBuildInsertElement(r->b, r->s[0], r->s[1], LLVMGetOperand(r->i, 2), "");
  case LLVMShuffleVector:
    return rearranged(r);
  case LLVMExtractValue:
    return member(r);
  case LLVMCall:
    return called(r);
  case LLVMFNeg:
    return r->s[0];
  default:
    return NULL;
  }
}

LLVMValueRef cs_pass_init_apply_rule(struct cs_pass_init *init, LLVMValueRef i, LLVMValueRef *operands) {
  LLVMTypeRef type = LLVMTypeOf(i), first = LLVMGetTypeKind(type) == LLVMStructTypeKind
                                                ? cs_pass_init_type(init->pass, LLVMStructGetTypeAtIndex(type, 0))
                                                : cs_pass_init_type(init->pass, type);
  struct rule r = {init, init->pass, init->pass->builder, i, operands, first ? first : cs_pass_init_int(init->pass, 1)};
  LLVMValueRef shadow = of_integers(&r);
  shadow = shadow ? shadow : of_casts(&r);
  shadow = shadow ? shadow : of_parts(&r);
  return shadow ? shadow : all_of_any(&r, (unsigned)LLVMGetNumOperands(i));
}
