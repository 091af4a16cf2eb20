/* signatures.c: functions of the module: their types, parameters and attributes. */
#include "lift/signatures.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "lift/globals.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

int cs_lift_is_block(const struct cs_ptx_variable *v) {
  return v->dimension_count > 0 || v->lanes > 1;
}

unsigned cs_lift_parameter_align(const struct cs_ptx_variable *v) {
  unsigned natural = cs_lift_element_bits(v) / 8 * v->lanes;
  return v->align ? v->align : natural ? natural : 1;
}

/* A kernel has at most 32,764 bytes of parameters; a function's are limited by the memory of a thread. */
enum { MAX_PARAMETER_BYTES = 1 << 20 };

/* Capped, as cs_lift_check_parameter has rejected the others. */
static unsigned long long bytes_of(const struct cs_ptx_variable *v) {
  unsigned long long bytes = cs_lift_length(v) * (cs_lift_element_bits(v) / 8);
  return bytes > MAX_PARAMETER_BYTES ? MAX_PARAMETER_BYTES : bytes;
}

void cs_lift_check_parameter(struct cs_lift_unit *unit, const struct cs_ptx_variable *v) {
  unsigned bits = cs_lift_element_bits(v);
  int is_register = strcmp(v->space, ".reg") == 0;
  if (bits == 0 || (bits < 8 && !is_register) || (is_register && (v->registers || cs_lift_is_block(v))))
    cs_lift_refuse(unit, v->line, v->type);
  else if (!is_register && strcmp(v->space, ".param") != 0)
    cs_lift_refuse(unit, v->line, v->space);
  else if (cs_lift_length(v) > MAX_PARAMETER_BYTES)
    cs_lift_reject(unit, v->line, v->name, "is larger than any parameter");
}

void cs_lift_check_head(struct cs_lift_unit *unit, const struct cs_ptx_function *ptx) {
  if (ptx->result_count > 1)
    cs_lift_refuse(unit, ptx->line, "a function with several results");
  for (unsigned i = 0; i < ptx->parameter_count; i++)
    cs_lift_check_parameter(unit, &ptx->parameters[i]);
  for (unsigned i = 0; i < ptx->result_count; i++)
    cs_lift_check_parameter(unit, &ptx->results[i]);
}

/* A block is an array of integers as wide as its alignment: a result of that type is returned in few registers. */
LLVMTypeRef cs_lift_parameter_type(struct cs_lift_unit *unit, const struct cs_ptx_variable *v) {
  unsigned width = cs_lift_parameter_align(v);
  unsigned long long bytes = bytes_of(v);
  if (!cs_lift_is_block(v))
    return cs_lift_integer(unit, cs_lift_element_bits(v) ? cs_lift_element_bits(v) : 8);
  while (width > 8 || bytes % width)
    width /= 2;
  return LLVMArrayType2(cs_lift_integer(unit, width * 8), bytes / width);
}

/* --- Functions that CUDA provides: their pointers are known --- */

static const struct {
  const char *name, *types;
} provided[] = {
#define CS_PTX_PROVIDED(name, types) {name, types},
#include "ptx/provided.inc"
#undef CS_PTX_PROVIDED
};

static LLVMTypeRef type_of_letter(struct cs_lift_unit *unit, char letter) {
  return letter == 'p'   ? unit->ptr
         : letter == 'i' ? unit->i32
         : letter == 'l' ? unit->i64
                         : LLVMVoidTypeInContext(unit->context);
}

static LLVMTypeRef provided_type(struct cs_lift_unit *unit, const char *name) {
  for (size_t i = 0; i < sizeof provided / sizeof *provided; i++)
    if (strcmp(provided[i].name, name) == 0) {
      LLVMTypeRef types[8];
      unsigned count = (unsigned)strlen(provided[i].types) - 1;
      for (unsigned k = 0; k < count; k++)
        types[k] = type_of_letter(unit, provided[i].types[k + 1]);
      return LLVMFunctionType(type_of_letter(unit, provided[i].types[0]), types, count, 0);
    }
  return NULL;
}

LLVMTypeRef cs_lift_type_of(struct cs_lift_unit *unit, const struct cs_ptx_function *ptx) {
  LLVMTypeRef known = ptx->name && !ptx->is_defined ? provided_type(unit, ptx->name) : NULL;
  if (known)
    return known;
  LLVMTypeRef *types = cs_ir_allocate(ptx->parameter_count, sizeof *types);
  for (unsigned i = 0; i < ptx->parameter_count; i++)
    types[i] = cs_lift_is_block(&ptx->parameters[i]) ? unit->ptr : cs_lift_parameter_type(unit, &ptx->parameters[i]);
  LLVMTypeRef result =
      ptx->result_count ? cs_lift_parameter_type(unit, &ptx->results[0]) : LLVMVoidTypeInContext(unit->context);
  LLVMTypeRef made = LLVMFunctionType(result, types, ptx->parameter_count, 0);
  free(types);
  return made;
}

/* --- Attributes --- */

static void add_attribute(LLVMValueRef to, int is_call, LLVMAttributeIndex index, LLVMAttributeRef attribute) {
  if (is_call)
    LLVMAddCallSiteAttribute(to, index, attribute);
  else
    LLVMAddAttributeAtIndex(to, index, attribute);
}

void cs_lift_set_by_value(struct cs_lift_unit *unit, LLVMValueRef to, int is_call, unsigned index,
                          const struct cs_ptx_variable *v) {
  unsigned by_value = cs_ir_attribute_kind("byval"), align = cs_ir_attribute_kind("align");
  add_attribute(to, is_call, index + 1,
                LLVMCreateTypeAttribute(unit->context, by_value, cs_lift_parameter_type(unit, v)));
  add_attribute(to, is_call, index + 1, LLVMCreateEnumAttribute(unit->context, align, cs_lift_parameter_align(v)));
}

/* ".maxntid 128, 2" is the attribute nvvm.maxntid="128,2,1". */
static const struct {
  const char *directive, *attribute;
  int is_triple;
} limits[] = {
    {".maxntid", "nvvm.maxntid", 1},
    {".reqntid", "nvvm.reqntid", 1},
    {".minnctapersm", "nvvm.minctasm", 0},
    {".maxnreg", "nvvm.maxnreg", 0},
    {".maxclusterrank", "nvvm.maxclusterrank", 0},
    {".reqnctapercluster", "nvvm.cluster_dim", 1},
};

static void set_limit(struct cs_lift_unit *unit, LLVMValueRef function, const struct cs_ptx_directive *d) {
  char text[80];
  unsigned long long y = d->count > 1 ? d->values[1] : 1, z = d->count > 2 ? d->values[2] : 1;
  for (size_t i = 0; i < sizeof limits / sizeof *limits; i++)
    if (strcmp(limits[i].directive, d->name) == 0 && d->count) {
      if (limits[i].is_triple)
        snprintf(text, sizeof text, "%llu,%llu,%llu", d->values[0], y, z);
      else
        snprintf(text, sizeof text, "%llu", d->values[0]);
      LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                              LLVMCreateStringAttribute(unit->context, limits[i].attribute,
                                                        (unsigned)strlen(limits[i].attribute), text,
                                                        (unsigned)strlen(text)));
    }
}

/* The compiler that wrote the PTX has inlined what it wanted to, and inlining gives a function's local memory scopes
 * that the program's variables in it do not have. It has also made the tables that it wanted for switches: a table of
 * addresses in shared memory would be a constant that the CPU device cannot initialise. A null pointer in PTX is an
 * address like any other: LLVM must not remove an access through it, or the side of a choice that is null. */
static void set_attributes(struct cs_lift_unit *unit, LLVMValueRef function, const struct cs_ptx_function *ptx) {
  static const char *const names[] = {"nounwind", "convergent", "noinline", "null_pointer_is_valid"};
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            cs_ir_attribute(unit->context, names[i]));
  LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                          LLVMCreateStringAttribute(unit->context, "no-jump-tables", 14, "true", 4));
  for (unsigned i = 0; i < ptx->directive_count; i++)
    set_limit(unit, function, &ptx->directives[i]);
  for (unsigned i = 0; i < ptx->parameter_count && LLVMCountParams(function) == ptx->parameter_count; i++)
    if (cs_lift_is_block(&ptx->parameters[i]))
      cs_lift_set_by_value(unit, function, 0, i, &ptx->parameters[i]);
}

/* Another declaration of a function: at most one has a body, and all have one type. */
static void redeclare(struct cs_lift_unit *unit, struct cs_lift_symbol *symbol, const struct cs_ptx_function *ptx) {
  if (symbol->kind != CS_LIFT_FUNCTION || (symbol->function->is_defined && ptx->is_defined))
    cs_lift_reject(unit, ptx->line, ptx->name, "is declared twice");
  else if (symbol->function->is_entry != ptx->is_entry || symbol->type != cs_lift_type_of(unit, ptx))
    cs_lift_reject(unit, ptx->line, ptx->name, "is declared twice, with different types");
  else if (ptx->is_defined)
    symbol->function = ptx;
}

struct cs_lift_symbol *cs_lift_declare_function(struct cs_lift_unit *unit, const struct cs_ptx_function *ptx) {
  struct cs_lift_symbol *symbol = cs_ir_map_get_name(&unit->symbols, ptx->name);
  if (symbol) {
    redeclare(unit, symbol, ptx);
    return symbol;
  }
  symbol = cs_ptx_allocate(&unit->arena, sizeof *symbol);
  symbol->kind = CS_LIFT_FUNCTION;
  cs_lift_check_head(unit, ptx);
  symbol->type = cs_lift_type_of(unit, ptx);
  symbol->function = ptx;
  symbol->value = LLVMAddFunction(unit->module, ptx->name, symbol->type);
  if (ptx->is_entry)
    LLVMSetFunctionCallConv(symbol->value, CS_IR_KERNEL);
  set_attributes(unit, symbol->value, ptx);
  cs_ir_map_set_name(&unit->symbols, ptx->name, symbol);
  return symbol;
}
