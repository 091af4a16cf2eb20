/* convert.c: moves, comparisons, selections, conversions of numbers and of addresses, and the space of an address. */
#include "ir/module.h"
#include "lift/instructions.h"
#include "lift/values.h"
#include <string.h>

/* --- Moves --- */

/* mov.b64 d, {a, b}: the first is the lowest. */
static void pack(struct cs_lift_function *f, const struct cs_ptx_instruction *i, struct cs_ptx_type t) {
  const struct cs_ptx_operand *from = &i->operands[1];
  unsigned bits = t.bits / from->count;
  LLVMTypeRef type = cs_lift_integer(f->unit, t.bits);
  LLVMValueRef whole = LLVMConstNull(type);
  for (unsigned k = 0; k < from->count; k++) {
    LLVMValueRef part = cs_lift_value(f, &from->items[k], (struct cs_ptx_type){'b', bits, 1});
    part = LLVMBuildShl(f->builder, LLVMBuildZExt(f->builder, part, type, ""), LLVMConstInt(type, k * bits, 0), "");
    whole = LLVMBuildOr(f->builder, whole, part, "");
  }
  cs_lift_assign(f, &i->operands[0], whole, 0);
}

static void unpack(struct cs_lift_function *f, const struct cs_ptx_instruction *i, struct cs_ptx_type t) {
  const struct cs_ptx_operand *to = &i->operands[0];
  unsigned bits = t.bits / to->count;
  LLVMValueRef whole = cs_lift_value(f, &i->operands[1], t);
  for (unsigned k = 0; k < to->count; k++) {
    LLVMValueRef part = LLVMBuildLShr(f->builder, whole, LLVMConstInt(LLVMTypeOf(whole), k * bits, 0), "");
    cs_lift_assign(f, &to->items[k], LLVMBuildTrunc(f->builder, part, cs_lift_integer(f->unit, bits), ""), 0);
  }
}

/* Clocks and similar are read again each time: their intrinsics are not, and inline PTX is. */
static int is_volatile(const char *name) {
  static const char *const names[] = {"%clock",  "%globaltimer", "%pm",     "%reserved",
                                      "%envreg", "%smid",        "%warpid", "%cluster"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(name, names[i], strlen(names[i])) == 0)
      return 1;
  return 0;
}

int cs_lift_mov(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  struct cs_ptx_type types[2];
  if (i->operand_count != 2 || i->part_count != 2 || cs_ptx_types(i, types) != 1)
    return 0;
  struct cs_ptx_type t = {'b', types[0].bits * types[0].lanes, 1};
  const struct cs_ptx_operand *to = &i->operands[0], *from = &i->operands[1];
  if (from->kind == CS_PTX_VECTOR && to->kind == CS_PTX_NAME && from->count && t.bits % from->count == 0)
    pack(f, i, t);
  else if (to->kind == CS_PTX_VECTOR && from->kind != CS_PTX_VECTOR && to->count && t.bits % to->count == 0)
    unpack(f, i, t);
  else if (from->kind == CS_PTX_VECTOR || to->kind == CS_PTX_VECTOR ||
           (from->kind == CS_PTX_NAME && is_volatile(from->name) && !cs_lift_symbol(f, from->name)))
    return 0;
  else
    cs_lift_assign(f, to, cs_lift_value(f, from, from->kind == CS_PTX_FLOAT ? types[0] : t), 0);
  return 1;
}

/* --- Comparisons --- */

static const struct comparison {
  const char *name;
  LLVMIntPredicate s, u;
  LLVMRealPredicate real; /* 0: integers only */
} comparisons[] = {
#define CS_PTX_COMPARISON(name, with_sign, without, real) {name, with_sign, without, real},
#include "ptx/comparisons.inc"
};

static const struct comparison *comparison_of(const char *name) {
  for (size_t k = 0; k < sizeof comparisons / sizeof *comparisons; k++)
    if (strcmp(comparisons[k].name, name) == 0)
      return &comparisons[k];
  return NULL;
}

/* setp.CMP.TYPE p, a, b */
int cs_lift_setp(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  struct cs_ptx_type types[2];
  const struct comparison *c = i->part_count == 3 ? comparison_of(i->parts[1]) : NULL;
  if (!c || i->operand_count != 3 || i->operands[0].kind != CS_PTX_NAME || cs_ptx_types(i, types) != 1 ||
      types[0].lanes != 1)
    return 0;
  struct cs_ptx_type t = types[0];
  LLVMValueRef made;
  if (t.kind == 'f' && c->real)
    made = LLVMBuildFCmp(f->builder, c->real, cs_lift_float(f, &i->operands[1], t),
                         cs_lift_float(f, &i->operands[2], t), "");
  else if (strchr("sub", t.kind) && c->s)
    made = LLVMBuildICmp(f->builder, t.kind == 's' ? c->s : c->u, cs_lift_value(f, &i->operands[1], t),
                         cs_lift_value(f, &i->operands[2], t), "");
  else
    return 0;
  cs_lift_assign(f, &i->operands[0], made, 0);
  return 1;
}

int cs_lift_selp(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  struct cs_ptx_type types[2];
  if (i->operand_count != 4 || cs_ptx_types(i, types) != 1)
    return 0;
  LLVMValueRef condition = cs_lift_value(f, &i->operands[3], (struct cs_ptx_type){'p', 1, 1});
  LLVMValueRef yes = cs_lift_value(f, &i->operands[1], types[0]), no = cs_lift_value(f, &i->operands[2], types[0]);
  cs_lift_assign(f, &i->operands[0], LLVMBuildSelect(f->builder, condition, yes, no, ""), types[0].kind == 's');
  return 1;
}

/* --- Conversions --- */

static int is_integer(struct cs_ptx_type t) {
  return (t.kind == 's' || t.kind == 'u' || t.kind == 'b') && t.lanes == 1;
}

/* cvt.TO.FROM between integers, from integers to floats, and between floats; what rounds otherwise or saturates is
 * inline PTX. */
int cs_lift_cvt(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  struct cs_ptx_type types[2];
  if (i->operand_count != 2 || i->operands[0].kind != CS_PTX_NAME || cs_ptx_types(i, types) != 2 ||
      !cs_ptx_knows(i, "rn"))
    return 0;
  struct cs_ptx_type to = types[0], from = types[1];
  LLVMTypeRef real =
      to.bits == 64 ? LLVMDoubleTypeInContext(f->unit->context) : LLVMFloatTypeInContext(f->unit->context);
  int rounds = cs_ptx_has(i, "rn");
  LLVMValueRef made;
  if (is_integer(to) && is_integer(from) && !rounds)
    made = LLVMBuildIntCast2(f->builder, cs_lift_value(f, &i->operands[1], from), cs_lift_integer(f->unit, to.bits),
                             from.kind == 's', "");
  else if (to.kind == 'f' && is_integer(from) && rounds)
    made = from.kind == 's' ? LLVMBuildSIToFP(f->builder, cs_lift_value(f, &i->operands[1], from), real, "")
                            : LLVMBuildUIToFP(f->builder, cs_lift_value(f, &i->operands[1], from), real, "");
  else if (to.kind == 'f' && from.kind == 'f' && rounds == (to.bits < from.bits) && to.bits != from.bits)
    made = LLVMBuildFPCast(f->builder, cs_lift_float(f, &i->operands[1], from), real, "");
  else
    return 0;
  cs_lift_assign(f, &i->operands[0], made, to.kind == 's');
  return 1;
}

/* --- Addresses --- */

/* The address that an operand without brackets holds. */
static LLVMValueRef held_address(struct cs_lift_function *f, const struct cs_ptx_operand *o, unsigned space) {
  struct cs_ptx_operand held = *o, address = {.kind = CS_PTX_ADDRESS, .count = 1, .items = &held};
  return cs_lift_address(f, &address, space);
}

/* cvta{.to}.SPACE.u64: the operand is an address, and so is the result. */
int cs_lift_cvta(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  static const struct {
    const char *name;
    unsigned space;
  } spaces[] = {{"global", CS_IR_SPACE_GENERIC}, {"shared", CS_IR_SPACE_SHARED}, {"shared::cta", CS_IR_SPACE_SHARED},
                {"const", CS_IR_SPACE_CONSTANT}, {"local", CS_IR_SPACE_GENERIC}, {"param", CS_IR_SPACE_GENERIC}};
  int back = cs_ptx_has(i, "to");
  for (size_t k = 0; i->operand_count == 2 && cs_ptx_has(i, "u64") && k < sizeof spaces / sizeof *spaces; k++)
    if (cs_ptx_has(i, spaces[k].name)) {
      LLVMValueRef pointer = held_address(f, &i->operands[1], back ? CS_IR_SPACE_GENERIC : spaces[k].space);
      pointer = cs_lift_cast(f, pointer, back ? spaces[k].space : CS_IR_SPACE_GENERIC);
      cs_lift_assign(f, &i->operands[0], LLVMBuildPtrToInt(f->builder, pointer, f->unit->i64, ""), 0);
      return 1;
    }
  return 0;
}

/* isspacep.SPACE p, a: the operand is a pointer, so that the pass removes its tag. */
int cs_lift_isspacep(struct cs_lift_function *f, const struct cs_ptx_instruction *i) {
  static const struct {
    const char *name, *intrinsic;
  } spaces[] = {{"global", "llvm.nvvm.isspacep.global"},      {"shared", "llvm.nvvm.isspacep.shared"},
                {"shared::cta", "llvm.nvvm.isspacep.shared"}, {"shared::cluster", "llvm.nvvm.isspacep.shared.cluster"},
                {"const", "llvm.nvvm.isspacep.const"},        {"local", "llvm.nvvm.isspacep.local"}};
  for (size_t k = 0; i->operand_count == 2 && i->part_count == 2 && k < sizeof spaces / sizeof *spaces; k++)
    if (cs_ptx_has(i, spaces[k].name)) {
      LLVMValueRef pointer = held_address(f, &i->operands[1], CS_IR_SPACE_GENERIC);
      cs_lift_assign(f, &i->operands[0], cs_lift_intrinsic(f, spaces[k].intrinsic, NULL, 0, &pointer, 1), 0);
      return 1;
    }
  return 0;
}
