/* values.c: operands as values: registers, immediates, special registers, addresses. */
#include "lift/values.h"
#include "ir/module.h"
#include "lift/regions.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

LLVMValueRef cs_lift_alloca(struct cs_lift_function *f, LLVMTypeRef type, unsigned align) {
  LLVMValueRef made = LLVMBuildAlloca(f->allocas, type, "");
  if (align)
    LLVMSetAlignment(made, align);
  return made;
}

LLVMValueRef cs_lift_slot(struct cs_lift_function *f, struct cs_lift_symbol *symbol) {
  if (!symbol->value)
    symbol->value = cs_lift_alloca(f, cs_lift_integer(f->unit, symbol->bits), 0);
  return symbol->value;
}

/* --- Special registers --- */

static LLVMValueRef special_register(struct cs_lift_function *f, const char *name) {
  static const char *const split[] = {"lanemask_", "globaltimer_", "cluster_"};
  char full[128];
  if (strcmp(name, "WARP_SZ") == 0)
    return cs_lift_number(f->unit, 32, 32);
  snprintf(full, sizeof full, "llvm.nvvm.read.ptx.sreg.%s", name + 1);
  for (size_t i = 0; i < sizeof split / sizeof *split; i++)
    if (strncmp(name + 1, split[i], strlen(split[i])) == 0)
      full[strlen("llvm.nvvm.read.ptx.sreg.") + strlen(split[i]) - 1] = '.';
  unsigned id = *name == '%' ? LLVMLookupIntrinsicID(full, strlen(full)) : 0;
  if (id == 0 || LLVMIntrinsicIsOverloaded(id))
    return cs_lift_refuse_value(f, name, f->unit->i32);
  return cs_lift_intrinsic(f, full, NULL, 0, NULL, 0);
}

/* --- Addresses --- */

LLVMValueRef cs_lift_cast(struct cs_lift_function *f, LLVMValueRef pointer, unsigned space) {
  if (cs_ir_space_of(pointer) == space)
    return pointer;
  return LLVMBuildAddrSpaceCast(f->builder, pointer, cs_lift_pointer(f->unit, space), "");
}

LLVMValueRef cs_lift_moved(struct cs_lift_function *f, LLVMValueRef pointer, long long by) {
  LLVMValueRef distance = LLVMConstInt(f->unit->i64, (unsigned long long)by, 1);
  return by ? LLVMBuildGEP2(f->builder, f->unit->i8, pointer, &distance, 1, "") : pointer;
}

LLVMValueRef cs_lift_address_in_frame(struct cs_lift_function *f, const char *name, long long offset) {
  const struct cs_lift_region *r = cs_lift_region_of(f->frame, name, offset);
  return r ? cs_lift_moved(f, r->memory, offset - (long long)r->base) : NULL;
}

/* The pointer whose address the register holds: lift/infer.c finds where it comes from. */
static LLVMValueRef from_register(struct cs_lift_function *f, struct cs_lift_symbol *symbol, unsigned space) {
  LLVMValueRef number = LLVMBuildLoad2(f->builder, cs_lift_integer(f->unit, symbol->bits), cs_lift_slot(f, symbol), "");
  if (symbol->bits < 64)
    number = LLVMBuildZExt(f->builder, number, f->unit->i64, "");
  return LLVMBuildIntToPtr(f->builder, number, cs_lift_pointer(f->unit, space), "");
}

LLVMValueRef cs_lift_address(struct cs_lift_function *f, const struct cs_ptx_operand *o, unsigned space) {
  const struct cs_ptx_operand *base = o->kind == CS_PTX_ADDRESS && o->count == 1 ? &o->items[0] : NULL;
  LLVMTypeRef type = cs_lift_pointer(f->unit, space);
  if (!base || (base->kind != CS_PTX_NAME && base->kind != CS_PTX_INTEGER))
    return cs_lift_refuse_value(f, "an address of this form", type);
  if (base->kind == CS_PTX_INTEGER)
    return LLVMConstIntToPtr(cs_lift_number(f->unit, 64, base->value), type);
  LLVMValueRef in_frame = cs_lift_address_in_frame(f, base->name, base->offset);
  if (in_frame)
    return cs_lift_cast(f, in_frame, space);
  struct cs_lift_symbol *symbol = cs_lift_symbol(f, base->name);
  if (!symbol || (symbol->kind == CS_LIFT_REGISTER && symbol->bits != 64 && symbol->bits != 32))
    return cs_lift_refuse_value(f, base->name, type);
  LLVMValueRef pointer =
      symbol->kind == CS_LIFT_REGISTER ? from_register(f, symbol, space) : cs_lift_cast(f, symbol->value, space);
  return cs_lift_moved(f, pointer, base->offset);
}

/* --- Values --- */

static LLVMValueRef resized(struct cs_lift_function *f, LLVMValueRef value, unsigned bits) {
  return LLVMBuildIntCast2(f->builder, value, cs_lift_integer(f->unit, bits), 0, "");
}

static unsigned long long float_bits(const struct cs_ptx_operand *o, struct cs_ptx_type type) {
  double wide;
  float narrow;
  unsigned long long bits = o->value;
  unsigned narrow_bits = (unsigned)o->value;
  if (type.kind != 'f' || o->bits == type.bits)
    return bits;
  memcpy(&wide, &bits, sizeof wide);
  memcpy(&narrow, &narrow_bits, sizeof narrow);
  if (type.bits == 64) {
    wide = narrow;
    memcpy(&bits, &wide, sizeof bits);
    return bits;
  }
  narrow = (float)wide;
  memcpy(&narrow_bits, &narrow, sizeof narrow_bits);
  return narrow_bits;
}

/* An integer where a float is expected denotes its value. */
static unsigned long long integer_bits(const struct cs_ptx_operand *o, struct cs_ptx_type type) {
  struct cs_ptx_operand as_float = {.kind = CS_PTX_FLOAT, .bits = 64};
  double value = (double)(long long)o->value;
  if (type.kind != 'f')
    return o->value;
  memcpy(&as_float.value, &value, sizeof value);
  return float_bits(&as_float, type);
}

static LLVMValueRef named(struct cs_lift_function *f, const struct cs_ptx_operand *o, unsigned bits) {
  struct cs_lift_symbol *symbol = cs_lift_symbol(f, o->name);
  if (!symbol)
    return resized(f, special_register(f, o->name), bits);
  if (symbol->kind != CS_LIFT_REGISTER) {
    LLVMValueRef pointer = cs_lift_moved(f, symbol->value, o->offset);
    return resized(f, LLVMBuildPtrToInt(f->builder, pointer, f->unit->i64, ""), bits);
  }
  LLVMTypeRef type = cs_lift_integer(f->unit, symbol->bits);
  LLVMValueRef value = resized(f, LLVMBuildLoad2(f->builder, type, cs_lift_slot(f, symbol), ""), bits);
  if (o->offset)
    value = LLVMBuildAdd(f->builder, value, cs_lift_number(f->unit, bits, (unsigned long long)o->offset), "");
  return o->negated ? LLVMBuildNot(f->builder, value, "") : value;
}

LLVMValueRef cs_lift_value(struct cs_lift_function *f, const struct cs_ptx_operand *o, struct cs_ptx_type type) {
  unsigned bits = type.bits * type.lanes;
  switch (o->kind) {
  case CS_PTX_NAME:
    return named(f, o, bits);
  case CS_PTX_INTEGER:
    return cs_lift_number(f->unit, bits, integer_bits(o, type));
  case CS_PTX_FLOAT:
    return cs_lift_number(f->unit, bits, float_bits(o, type));
  default:
    return cs_lift_refuse_value(f, "an operand of this form", cs_lift_integer(f->unit, bits));
  }
}

LLVMValueRef cs_lift_float(struct cs_lift_function *f, const struct cs_ptx_operand *o, struct cs_ptx_type type) {
  LLVMTypeRef one =
      type.bits == 64 ? LLVMDoubleTypeInContext(f->unit->context) : LLVMFloatTypeInContext(f->unit->context);
  LLVMTypeRef to = type.lanes > 1 ? LLVMVectorType(one, type.lanes) : one;
  return LLVMBuildBitCast(f->builder, cs_lift_value(f, o, type), to, "");
}

LLVMValueRef cs_lift_predicate(struct cs_lift_function *f, const char *name, int negated) {
  const struct cs_ptx_operand o = {.kind = CS_PTX_NAME, .name = name, .negated = negated};
  return cs_lift_value(f, &o, (struct cs_ptx_type){'p', 1, 1});
}

void cs_lift_assign(struct cs_lift_function *f, const struct cs_ptx_operand *o, LLVMValueRef value, int is_signed) {
  if (o->kind == CS_PTX_NAME && strcmp(o->name, "_") == 0)
    return;
  struct cs_lift_symbol *symbol = o->kind == CS_PTX_NAME ? cs_lift_symbol(f, o->name) : NULL;
  if (!symbol || symbol->kind != CS_LIFT_REGISTER) {
    cs_lift_refuse(f->unit, f->line, o->name ? o->name : "a destination of this form");
    return;
  }
  LLVMTypeRef type = LLVMTypeOf(value), to = cs_lift_integer(f->unit, symbol->bits);
  if (LLVMGetTypeKind(type) != LLVMIntegerTypeKind)
    value = LLVMBuildBitCast(f->builder, value,
                             LLVMGetTypeKind(type) == LLVMFloatTypeKind ? f->unit->i32 : f->unit->i64, "");
  value = LLVMBuildIntCast2(f->builder, value, to, is_signed, "");
  LLVMBuildStore(f->builder, value, cs_lift_slot(f, symbol));
}
