/* globals.c: variables of the module and their initialisers. */
#include "lift/globals.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "lift/steps.h"
#include <stdlib.h>
#include <string.h>

unsigned cs_lift_element_bits(const struct cs_ptx_variable *v) {
  struct cs_ptx_type type = {0};
  return cs_ptx_type(v->type + 1, &type) ? type.bits * type.lanes : 0;
}

/* Saturates, so that the product of large dimensions is not a small number. */
unsigned long long cs_lift_length(const struct cs_ptx_variable *v) {
  unsigned long long length = v->lanes;
  for (unsigned i = 0; i < v->dimension_count; i++)
    if (__builtin_mul_overflow(length, v->dimensions[i], &length) || length > CS_LIFT_MAX_BYTES)
      return CS_LIFT_MAX_BYTES + 1;
  return length;
}

int cs_lift_is_too_large(struct cs_lift_unit *unit, const struct cs_ptx_variable *v) {
  unsigned bits = cs_lift_element_bits(v);
  if (cs_lift_length(v) <= CS_LIFT_MAX_BYTES / (bits / 8 ? bits / 8 : 1))
    return 0;
  cs_lift_reject(unit, v->line, v->name, "is larger than the memory of any device");
  return 1;
}

static unsigned space_of(const char *space) {
  return strcmp(space, ".shared") == 0  ? CS_IR_SPACE_SHARED
         : strcmp(space, ".const") == 0 ? CS_IR_SPACE_CONSTANT
                                        : CS_IR_SPACE_GLOBAL;
}

/* --- Initialisers --- */

/* Pieces of an initialiser: integers of the element's width, and pointers. A structure of them has the variable's
 * layout. */
struct pieces {
  struct cs_lift_unit *unit;
  LLVMValueRef *items;
  unsigned count, bits;
  const struct cs_ptx_variable *variable;
  int failed;
};

static void add_piece(struct pieces *p, LLVMValueRef value) {
  cs_ir_push(p->items, p->count, value);
}

/* x, generic(x), each plus an offset. */
static LLVMValueRef address(struct pieces *p, const struct cs_ptx_operand *o) {
  struct cs_lift_unit *unit = p->unit;
  int is_generic = o->kind == CS_PTX_APPLIED && strcmp(o->name, "generic") == 0;
  const struct cs_ptx_operand *named = is_generic ? &o->items[0] : o;
  struct cs_lift_symbol *symbol = named->kind == CS_PTX_NAME ? cs_ir_map_get_name(&unit->symbols, named->name) : NULL;
  if (!symbol)
    return NULL;
  LLVMValueRef pointer = symbol->value,
               by = LLVMConstInt(unit->i64, (unsigned long long)(o->offset + (is_generic ? named->offset : 0)), 1);
  if (!LLVMIsNull(by))
    pointer = LLVMConstGEP2(unit->i8, pointer, &by, 1);
  unsigned space = cs_ir_space_of(pointer);
  if (!is_generic && space != CS_IR_SPACE_GENERIC && space != CS_IR_SPACE_GLOBAL)
    return NULL; /* a number in a specific space */
  return space == CS_IR_SPACE_GENERIC ? pointer : LLVMConstAddrSpaceCast(pointer, unit->ptr);
}

/* 0xFF(x), 0xFF00(x), ... for eight elements of one byte: the address, byte by byte. Returns the elements that it
 * takes. */
static unsigned masked_address(struct pieces *p, const struct cs_ptx_operand *items, unsigned count) {
  if (p->bits != 8 || count < 8)
    return 0;
  for (unsigned i = 0; i < 8; i++)
    if (items[i].kind != CS_PTX_APPLIED || strtoull(items[i].name, NULL, 0) != 0xFFull << (8 * i))
      return 0;
  LLVMValueRef made = address(p, &items[0].items[0]);
  if (!made)
    return 0;
  add_piece(p, made);
  return 8;
}

static void read_items(struct pieces *p, const struct cs_ptx_operand *items, unsigned count);

static void read_item(struct pieces *p, const struct cs_ptx_operand *o) {
  struct cs_ptx_type type;
  cs_ptx_type(p->variable->type + 1, &type);
  if (o->kind == CS_PTX_VECTOR) {
    read_items(p, o->items, o->count);
  } else if (o->kind == CS_PTX_INTEGER || (o->kind == CS_PTX_FLOAT && o->bits == p->bits)) {
    add_piece(p, LLVMConstInt(cs_lift_integer(p->unit, p->bits), o->value, 0));
  } else {
    LLVMValueRef made = p->bits == 64 ? address(p, o) : NULL;
    if (made)
      add_piece(p, made);
    else
      p->failed = 1;
  }
}

static void read_items(struct pieces *p, const struct cs_ptx_operand *items, unsigned count) {
  for (unsigned i = 0; i < count && !p->failed;) {
    unsigned taken = masked_address(p, items + i, count - i);
    if (!taken)
      read_item(p, &items[i]);
    i += taken ? taken : 1;
  }
}

/* The run of integers before a piece becomes an array. */
static void end_run(struct pieces *p, LLVMValueRef **runs, unsigned *run_count, unsigned end, unsigned *used) {
  if (*used == 0)
    return;
  cs_ir_push(*runs, *run_count, LLVMConstArray2(cs_lift_integer(p->unit, p->bits), p->items + end - *used, *used));
  *used = 0;
}

/* Without pointers an array; with them a packed structure of arrays and pointers. */
static LLVMValueRef joined(struct pieces *p) {
  LLVMTypeRef integer = cs_lift_integer(p->unit, p->bits);
  LLVMValueRef *runs = NULL;
  unsigned run_count = 0, used = 0;
  for (unsigned i = 0; i < p->count; i++) {
    if (LLVMTypeOf(p->items[i]) == integer) {
      used++;
      continue;
    }
    end_run(p, &runs, &run_count, i, &used);
    cs_ir_push(runs, run_count, p->items[i]);
  }
  end_run(p, &runs, &run_count, p->count, &used);
  LLVMValueRef made = run_count == 1 ? runs[0] : LLVMConstStructInContext(p->unit->context, runs, run_count, 1);
  free(runs);
  return made;
}

/* Elements that are not given are zero: few as numbers, many as one piece, which takes no memory here. Returns 0 if too
 * many are given. */
static int pad(struct pieces *p, unsigned long long bytes) {
  enum { MAX_NUMBERS = 1 << 12 };
  unsigned long long filled = 0;
  LLVMTypeRef integer = cs_lift_integer(p->unit, p->bits);
  for (unsigned i = 0; i < p->count; i++)
    filled += LLVMTypeOf(p->items[i]) == integer ? p->bits / 8 : 8;
  if (filled > bytes || (bytes - filled) % (p->bits / 8))
    return 0;
  unsigned long long missing = (bytes - filled) / (p->bits / 8);
  if (missing > MAX_NUMBERS)
    add_piece(p, LLVMConstNull(LLVMArrayType2(integer, missing)));
  for (; missing && missing <= MAX_NUMBERS; missing--)
    add_piece(p, LLVMConstNull(integer));
  return 1;
}

/* PTX and images contain every byte of an initialised variable, also those that the text does not give. */
enum { MAX_INITIALISED_BYTES = 256 << 20 };

/* The variable has to have the type of its initialiser: it is declared again. */
static void initialise(struct cs_lift_unit *unit, const struct cs_ptx_variable *v) {
  struct cs_lift_symbol *symbol = cs_ir_map_get_name(&unit->symbols, v->name);
  struct pieces p = {.unit = unit, .bits = cs_lift_element_bits(v), .variable = v};
  if (!symbol || symbol->variable != v || p.bits < 8 || unit->refused)
    return;
  unsigned long long bytes = cs_lift_length(v) * (p.bits / 8);
  if (bytes > MAX_INITIALISED_BYTES) {
    cs_lift_refuse(unit, v->line, "an initialiser of more than 256 MiB");
    return;
  }
  read_items(&p, v->initial->kind == CS_PTX_VECTOR ? v->initial->items : v->initial,
             v->initial->kind == CS_PTX_VECTOR ? v->initial->count : 1);
  LLVMValueRef value = p.failed || !pad(&p, bytes) ? NULL : joined(&p);
  free(p.items);
  if (!value) {
    cs_lift_refuse(unit, v->line, "an initialiser of this form");
    return;
  }
  if (LLVMTypeOf(value) == symbol->type) {
    LLVMSetInitializer(symbol->value, value);
    return;
  }
  LLVMValueRef old = symbol->value,
               made = LLVMAddGlobalInAddressSpace(unit->module, LLVMTypeOf(value), "", cs_ir_space_of(old));
  LLVMSetInitializer(made, value);
  LLVMSetLinkage(made, LLVMGetLinkage(old));
  LLVMSetAlignment(made, LLVMGetAlignment(old));
  LLVMSetExternallyInitialized(made, LLVMIsExternallyInitialized(old));
  LLVMSetGlobalConstant(made, LLVMIsGlobalConstant(old));
  LLVMReplaceAllUsesWith(old, made);
  LLVMDeleteGlobal(old);
  LLVMSetValueName2(made, v->name, strlen(v->name));
  symbol->value = made;
  symbol->type = LLVMTypeOf(value);
}

int cs_lift_initialise(struct cs_lift_unit *unit) {
  for (unsigned i = 0; i < unit->ptx->item_count; i++) {
    const struct cs_ptx_item *item = &unit->ptx->items[i];
    if (item->kind == CS_PTX_VARIABLE && item->variable->initial)
      initialise(unit, item->variable);
  }
  return 0;
}

/* --- Declarations --- */

/* String literals of nvcc: constants, which no host code can name. */
static int is_literal(const struct cs_ptx_variable *v) {
  return v->linkage == NULL && strncmp(v->name, "$str", 4) == 0;
}

static int is_managed(const struct cs_ptx_variable *v) {
  return v->attribute && strcmp(v->attribute, ".managed") == 0;
}

/* For PTX that is written from the IR. On the CPU device every variable has one address for host and kernels. */
static void mark_managed(struct cs_lift_unit *unit, LLVMValueRef variable) {
  LLVMMetadataRef fields[] = {LLVMValueAsMetadata(variable), LLVMMDStringInContext2(unit->context, "managed", 7),
                              LLVMValueAsMetadata(LLVMConstInt(unit->i32, 1, 0))};
  LLVMMetadataRef node = LLVMMDNodeInContext2(unit->context, fields, sizeof fields / sizeof *fields);
  LLVMAddNamedMetadataOperand(unit->module, "nvvm.annotations", LLVMMetadataAsValue(unit->context, node));
}

struct cs_lift_symbol *cs_lift_declare_variable(struct cs_lift_unit *unit, const struct cs_ptx_variable *v) {
  struct cs_lift_symbol *symbol = cs_ptx_allocate(&unit->arena, sizeof *symbol);
  unsigned bits = cs_lift_element_bits(v), space = space_of(v->space);
  LLVMTypeRef element = cs_lift_integer(unit, bits ? bits : 64);
  int is_external = v->linkage && strcmp(v->linkage, ".extern") == 0;
  if (bits == 0 || (v->attribute && !is_managed(v)))
    cs_lift_refuse(unit, v->line, v->attribute ? v->attribute : v->type);
  symbol->kind = CS_LIFT_VARIABLE;
  symbol->variable = v;
  symbol->type = LLVMArrayType2(element, cs_lift_is_too_large(unit, v) ? 0 : cs_lift_length(v));
  symbol->value = LLVMAddGlobalInAddressSpace(unit->module, symbol->type, v->name, space);
  LLVMSetAlignment(symbol->value, v->align ? v->align : bits / 8);
  if (is_managed(v))
    mark_managed(unit, symbol->value);
  if (is_external)
    return symbol;
  LLVMSetInitializer(symbol->value,
                     space == CS_IR_SPACE_SHARED ? LLVMGetUndef(symbol->type) : LLVMConstNull(symbol->type));
  if (space == CS_IR_SPACE_SHARED)
    LLVMSetLinkage(symbol->value, LLVMInternalLinkage);
  else
    LLVMSetExternallyInitialized(symbol->value, !is_literal(v));
  if (is_literal(v)) {
    LLVMSetLinkage(symbol->value, LLVMInternalLinkage);
    LLVMSetGlobalConstant(symbol->value, 1);
  }
  return symbol;
}

/* --- Unoptimised code --- */

int cs_lift_keep_variables(struct cs_lift_unit *unit) {
  LLVMValueRef *kept = NULL;
  unsigned count = 0;
  if (!cs_lift_is_for_debugging(unit))
    return 0;
  for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module); g; g = LLVMGetNextGlobal(g)) {
    if (LLVMIsDeclaration(g))
      continue;
    cs_ir_push(kept, count, LLVMConstAddrSpaceCast(g, unit->ptr));
  }
  if (count) {
    LLVMValueRef list = LLVMAddGlobal(unit->module, LLVMArrayType2(unit->ptr, count), "llvm.compiler.used");
    LLVMSetInitializer(list, LLVMConstArray2(unit->ptr, kept, count));
    LLVMSetLinkage(list, LLVMAppendingLinkage);
    LLVMSetSection(list, "llvm.metadata");
  }
  free(kept);
  return 0;
}
