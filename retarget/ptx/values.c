/* values.c: the operands of inline PTX as values: registers, immediates, special registers, addresses. */
#include "retarget/ptx/values.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/names.h"
#include "retarget/unit/library.h"
#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

LLVMTypeRef cs_rt_asm_integer(struct cs_rt_asm *a, unsigned bits) {
  return LLVMIntTypeInContext(a->unit->context, bits);
}

LLVMValueRef cs_rt_asm_bits(struct cs_rt_asm *a, LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value);
  if (LLVMGetTypeKind(type) == LLVMIntegerTypeKind)
    return value;
  LLVMTypeRef bits = cs_rt_asm_integer(a, (unsigned)LLVMSizeOfTypeInBits(a->unit->layout, type));
  return LLVMGetTypeKind(type) == LLVMPointerTypeKind ? LLVMBuildPtrToInt(a->builder, value, bits, "")
                                                      : LLVMBuildBitCast(a->builder, value, bits, "");
}

LLVMValueRef cs_rt_asm_float(struct cs_rt_asm *a, LLVMValueRef value) {
  LLVMTypeRef type = LLVMGetIntTypeWidth(LLVMTypeOf(value)) == 64 ? LLVMDoubleTypeInContext(a->unit->context)
                                                                  : LLVMFloatTypeInContext(a->unit->context);
  return LLVMBuildBitCast(a->builder, value, type, "");
}

/* --- Names --- */

static struct cs_rt_register *register_named(struct cs_rt_asm *a, const char *name) {
  for (unsigned i = 0; i < a->register_count; i++)
    if (strcmp(a->registers[i].name, name) == 0)
      return &a->registers[i];
  cs_ir_push(a->registers, a->register_count, (struct cs_rt_register){.name = name});
  return &a->registers[a->register_count - 1];
}

/* "$3": an operand of the asm statement; outputs come first. */
static int operand_number(const char *text) {
  return text[0] == '$' && isdigit((unsigned char)text[1]) ? atoi(text + 1) : -1;
}

struct cs_rt_register *cs_rt_asm_register(struct cs_rt_asm *a, const char *name) {
  return operand_number(name) >= 0 || strcmp(name, "_") == 0 ? NULL : register_named(a, name);
}

int cs_rt_asm_assign(struct cs_rt_asm *a, const struct cs_ptx_operand *o, LLVMValueRef value) {
  if (o->kind != CS_PTX_NAME || o->negated || o->has_offset)
    return 0;
  if (strcmp(o->name, "_") == 0)
    return 1;
  int number = operand_number(o->name);
  if (!value || (number >= 0 && (unsigned)number >= a->outputs))
    return 0;
  LLVMValueRef bits = cs_rt_asm_bits(a, value);
  *(number >= 0 ? &a->output[number] : &register_named(a, o->name)->value) = bits;
  return 1;
}

/* --- Immediates and special registers --- */

static LLVMValueRef float_bits(struct cs_rt_asm *a, double value, struct cs_ptx_type type) {
  float narrow = (float)value;
  unsigned long long bits = 0;
  if (type.kind != 'f')
    return NULL;
  if (type.bits == 64)
    memcpy(&bits, &value, 8);
  else
    memcpy(&bits, &narrow, 4);
  return LLVMConstInt(cs_rt_asm_integer(a, type.bits), bits, 0);
}

/* 0f3F800000 or 0d3FF0000000000000, as opposed to 1.5. */
static int is_hexadecimal(const struct cs_ptx_operand *o) {
  const char *digits = o->name + (*o->name == '-');
  return digits[0] == '0' && digits[1] && strchr("fFdD", digits[1]);
}

static LLVMValueRef immediate(struct cs_rt_asm *a, const struct cs_ptx_operand *o, struct cs_ptx_type type) {
  double real;
  if (o->kind == CS_PTX_INTEGER)
    return type.kind == 'f' ? float_bits(a, (double)(long long)o->value, type)
                            : LLVMConstInt(cs_rt_asm_integer(a, 64), o->value, 0);
  if (o->bits == 32 || (type.kind != 'f' && is_hexadecimal(o)))
    return LLVMConstInt(cs_rt_asm_integer(a, o->bits), o->value, 0);
  memcpy(&real, &o->value, sizeof real);
  return float_bits(a, real, type);
}

LLVMValueRef cs_rt_asm_intrinsic(struct cs_rt_asm *a, const char *name, LLVMValueRef *args, unsigned count) {
  unsigned id = LLVMLookupIntrinsicID(name, strlen(name));
  if (!id || LLVMIntrinsicIsOverloaded(id))
    return NULL;
  LLVMValueRef function = LLVMGetIntrinsicDeclaration(a->unit->module, id, NULL, 0);
  return LLVMBuildCall2(a->builder, LLVMGlobalGetValueType(function), function, args, count, "");
}

/* As an intrinsic: later steps lower it or refuse it. */
static LLVMValueRef special_register(struct cs_rt_asm *a, const char *name) {
  char full[128];
  if (strcmp(name, "WARP_SZ") == 0)
    return LLVMConstInt(cs_rt_asm_integer(a, 32), 32, 0);
  if (strcmp(name, "%reserved_smem_offset_1") == 0)
    return cs_rt_asm_call(a, "reserved_shared", NULL, 0);
  snprintf(full, sizeof full, "llvm.nvvm.read.ptx.sreg.%s", name + 1);
  if (strcmp(name, "%is_explicit_cluster") == 0)
    return cs_rt_asm_intrinsic(a, "llvm.nvvm.is_explicit_cluster", NULL, 0);
  for (const char *const *split = (const char *const[]){"lanemask_", "globaltimer_", "cluster_", NULL}; *split; split++)
    if (cs_ir_starts_with(name + 1, *split))
      full[strlen("llvm.nvvm.read.ptx.sreg.") + strlen(*split) - 1] = '.';
  return cs_rt_asm_intrinsic(a, full, NULL, 0);
}

/* The name or number, without its sign and offset. */
static LLVMValueRef plain_value(struct cs_rt_asm *a, const struct cs_ptx_operand *o, struct cs_ptx_type type) {
  if (o->kind == CS_PTX_INTEGER || o->kind == CS_PTX_FLOAT)
    return immediate(a, o, type);
  if (o->kind != CS_PTX_NAME)
    return NULL;
  const char *text = o->name;
  int number = operand_number(text);
  if (number >= 0) {
    if ((unsigned)number < a->outputs)
      return a->output[number];
    unsigned index = (unsigned)number - a->outputs;
    return index < LLVMGetNumArgOperands(a->call) ? LLVMGetOperand(a->call, index) : NULL;
  }
  for (unsigned i = 0; i < a->register_count; i++)
    if (strcmp(a->registers[i].name, text) == 0)
      return a->registers[i].value;
  return text[0] == '%' || strcmp(text, "WARP_SZ") == 0 ? special_register(a, text) : NULL;
}

LLVMValueRef cs_rt_asm_value(struct cs_rt_asm *a, const struct cs_ptx_operand *o, struct cs_ptx_type type) {
  int is_plain = !o->has_offset && (!o->negated || type.kind == 'p');
  LLVMValueRef value = is_plain ? plain_value(a, o, type) : NULL;
  if (!value)
    return NULL;
  value = LLVMBuildIntCast2(a->builder, cs_rt_asm_bits(a, value), cs_rt_asm_integer(a, type.bits * type.lanes), 0, "");
  return o->negated ? LLVMBuildNot(a->builder, value, "") : value;
}

LLVMValueRef cs_rt_asm_slot(struct cs_rt_asm *a, LLVMTypeRef type) {
  LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(a->call));
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(a->unit->context);
  LLVMPositionBuilderBefore(builder, cs_ir_first(function));
  LLVMValueRef slot = LLVMBuildAlloca(builder, type, "");
  LLVMDisposeBuilder(builder);
  return slot;
}

/* --- Addresses --- */

LLVMValueRef cs_rt_asm_address(struct cs_rt_asm *a, const struct cs_ptx_operand *o, int shared) {
  const struct cs_ptx_type any = {'b', 64, 1};
  const struct cs_ptx_operand *base = cs_ptx_base(o);
  LLVMValueRef value = base ? plain_value(a, base, any) : NULL;
  if (!value)
    return NULL;
  value = cs_rt_asm_bits(a, value);
  unsigned bits = LLVMGetIntTypeWidth(LLVMTypeOf(value));
  if (bits != 64 && !(shared && bits == 32))
    return NULL;
  if (shared) {
    value = LLVMBuildZExt(a->builder, value, cs_rt_asm_integer(a, 64), "");
    value = cs_rt_asm_call(a, "shared_address", &value, 1);
  }
  value =
      LLVMBuildAdd(a->builder, value, LLVMConstInt(cs_rt_asm_integer(a, 64), (unsigned long long)base->offset, 1), "");
  return LLVMBuildIntToPtr(a->builder, value, LLVMPointerTypeInContext(a->unit->context, 0), "");
}

/* --- The support library --- */

LLVMValueRef cs_rt_asm_call(struct cs_rt_asm *a, const char *name, LLVMValueRef *args, unsigned count) {
  LLVMValueRef function = cs_rt_library_function(a->unit, name), converted[16];
  LLVMTypeRef params[16], type = function ? LLVMGlobalGetValueType(function) : NULL;
  if (!function || count > 16 || LLVMCountParamTypes(type) != count)
    return NULL;
  LLVMGetParamTypes(type, params);
  for (unsigned i = 0; i < count; i++) {
    LLVMTypeKind kind = LLVMGetTypeKind(params[i]);
    LLVMValueRef value = cs_rt_asm_bits(a, args[i]);
    unsigned bits = (unsigned)LLVMSizeOfTypeInBits(a->unit->layout, params[i]);
    value = LLVMBuildIntCast2(a->builder, value, cs_rt_asm_integer(a, bits), 0, "");
    converted[i] = kind == LLVMPointerTypeKind ? LLVMBuildIntToPtr(a->builder, value, params[i], "")
                                               : LLVMBuildBitCast(a->builder, value, params[i], "");
  }
  LLVMValueRef made = LLVMBuildCall2(a->builder, type, function, converted, count, "");
  LLVMTypeKind result = LLVMGetTypeKind(LLVMTypeOf(made));
  return result == LLVMVoidTypeKind || result == LLVMStructTypeKind ? made : cs_rt_asm_bits(a, made);
}

int cs_rt_asm_call_on_halves(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, const char *name, unsigned bits) {
  const struct cs_ptx_type pair = {'b', bits, 2};
  LLVMTypeRef half = cs_rt_asm_integer(a, bits), whole = cs_rt_asm_integer(a, 2 * bits);
  LLVMValueRef by = LLVMConstInt(whole, bits, 0), made[2], args[3];
  if (s->operand_count < 2 || s->operand_count > 4)
    return 0;
  for (int high = 0; high < 2; high++) {
    for (unsigned i = 1; i < s->operand_count; i++) {
      LLVMValueRef value = cs_rt_asm_value(a, &s->operands[i], pair);
      if (!value)
        return 0;
      args[i - 1] = LLVMBuildTrunc(a->builder, high ? LLVMBuildLShr(a->builder, value, by, "") : value, half, "");
    }
    if (!(made[high] = cs_rt_asm_call(a, name, args, s->operand_count - 1)))
      return 0;
    made[high] = LLVMBuildZExt(a->builder, LLVMBuildIntCast2(a->builder, made[high], half, 0, ""), whole, "");
  }
  LLVMValueRef high = LLVMBuildShl(a->builder, made[1], by, "");
  return cs_rt_asm_assign(a, &s->operands[0], LLVMBuildOr(a->builder, made[0], high, ""));
}
