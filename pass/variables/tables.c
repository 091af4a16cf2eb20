/* tables.c: finds addresses of variables in constant initialisers, and gives them bounds. */
#include "pass/variables/tables.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "ir/names.h"
#include "pass/module/kernels.h"
#include "pass/variables/arrays.h"
#include "pass/variables/field.h"
#include "pass/variables/objects.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* String literals in tables use up numbers that variables may need later. */
enum { MAX_LITERALS = 256 };

/* ---- walking an initialiser ---- */

struct walk {
  LLVMTargetDataRef layout;
  void (*visit)(struct walk *walk, LLVMValueRef pointer, LLVMValueRef base, cs_u64 offset);
  void *with;
};

/* The variable that a constant pointer is an address in, or NULL. */
static LLVMValueRef base_of(LLVMValueRef pointer) {
  while (LLVMIsAConstantExpr(pointer)) {
    LLVMOpcode opcode = LLVMGetConstOpcode(pointer);
    if (opcode != LLVMGetElementPtr && opcode != LLVMAddrSpaceCast && opcode != LLVMBitCast)
      return NULL;
    pointer = LLVMGetOperand(pointer, 0);
  }
  return LLVMIsAGlobalVariable(pointer);
}

static void walk_constant(struct walk *walk, LLVMValueRef constant, cs_u64 offset);

static void walk_elements(struct walk *walk, LLVMValueRef aggregate,
                          cs_u64 offset) { // NOLINT(misc-no-recursion): nesting
  LLVMTypeRef type = LLVMTypeOf(aggregate);
  int is_struct = LLVMGetTypeKind(type) == LLVMStructTypeKind;
  cs_u64 stride = is_struct ? 0 : LLVMABISizeOfType(walk->layout, LLVMGetElementType(type));
  for (unsigned i = 0; i < (unsigned)LLVMGetNumOperands(aggregate); i++)
    walk_constant(walk, LLVMGetOperand(aggregate, i),
                  offset + (is_struct ? LLVMOffsetOfElement(walk->layout, type, i) : i * stride));
}

static void walk_constant(struct walk *walk, LLVMValueRef constant,
                          cs_u64 offset) { // NOLINT(misc-no-recursion): nesting
  LLVMTypeRef type = LLVMTypeOf(constant);
  if (LLVMIsAConstantArray(constant) || LLVMIsAConstantStruct(constant)) {
    walk_elements(walk, constant, offset);
    return;
  }
  if (LLVMIsAConstantExpr(constant) && LLVMGetConstOpcode(constant) == LLVMPtrToInt &&
      LLVMABISizeOfType(walk->layout, type) == 8) { /* an integer with the bits of the pointer */
    constant = LLVMGetOperand(constant, 0);
    type = LLVMTypeOf(constant);
  }
  if (LLVMGetTypeKind(type) != LLVMPointerTypeKind || LLVMGetPointerAddressSpace(type) != CS_IR_SPACE_GENERIC)
    return;
  LLVMValueRef base = base_of(constant);
  if (base != NULL)
    walk->visit(walk, constant, base, offset);
}

static int starts_with(LLVMValueRef value, const char *prefix) {
  return cs_ir_starts_with(cs_ir_name(value), prefix);
}

/* Neither a list of the compiler nor a table of virtual functions. */
static int is_program_table(LLVMValueRef global) {
  return !LLVMIsDeclaration(global) && !starts_with(global, "llvm.") && !starts_with(global, CS_IR_RUNTIME_PREFIX) &&
         !starts_with(global, "_ZT");
}

/* ---- shared variables: built by the function ---- */

static void find_shared(struct walk *walk, LLVMValueRef pointer, LLVMValueRef base, cs_u64 offset) {
  (void)pointer, (void)offset;
  if (cs_pass_memory_of(base) == CS_MEMORY_SHARED || cs_pass_memory_of(base) == CS_MEMORY_DYNAMIC_SHARED)
    *(int *)walk->with = 1;
}

static int holds_shared(LLVMTargetDataRef layout, LLVMValueRef global) {
  int found = 0;
  struct walk walk = {layout, find_shared, &found};
  if (is_program_table(global) && LLVMIsGlobalConstant(global))
    walk_constant(&walk, LLVMGetInitializer(global), 0);
  return found;
}

struct copy {
  LLVMBuilderRef builder;
  LLVMValueRef variable; /* the function's own */
};

static void store_pointer(struct walk *walk, LLVMValueRef pointer, LLVMValueRef base, cs_u64 offset) {
  const struct copy *copy = walk->with;
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(pointer));
  LLVMValueRef index = LLVMConstInt(LLVMInt64TypeInContext(context), offset, 0);
  (void)base;
  LLVMBuildStore(copy->builder, pointer,
                 LLVMBuildInBoundsGEP2(copy->builder, LLVMInt8TypeInContext(context), copy->variable, &index, 1, ""));
}

/* clang names the constant after the function and the variable that it initialises: "__const._Z1kv.rows". */
static const char *variable_name(LLVMValueRef global) {
  const char *name = cs_ir_name(global), *last = strrchr(name, '.');
  return last ? last + 1 : name;
}

/* At the function's entry: copies the constant, then stores each pointer again, so that it escapes with its bounds. */
static LLVMValueRef build_copy(LLVMTargetDataRef layout, LLVMValueRef global, LLVMValueRef function) {
  LLVMContextRef context = LLVMGetTypeContext(LLVMTypeOf(function));
  struct copy copy = {.builder = LLVMCreateBuilderInContext(context)};
  LLVMTypeRef type = LLVMGlobalGetValueType(global), i64 = LLVMInt64TypeInContext(context);
  unsigned align = LLVMGetAlignment(global);
  LLVMPositionBuilderBefore(copy.builder, cs_ir_first(function));
  copy.variable = LLVMBuildAlloca(copy.builder, type, variable_name(global));
  if (align)
    LLVMSetAlignment(copy.variable, align);
  LLVMBuildMemCpy(copy.builder, copy.variable, align, global, align,
                  LLVMConstInt(i64, LLVMABISizeOfType(layout, type), 0));
  struct walk walk = {layout, store_pointer, &copy};
  walk_constant(&walk, LLVMGetInitializer(global), 0);
  LLVMDisposeBuilder(copy.builder);
  return copy.variable;
}

struct use {
  LLVMValueRef user;
  unsigned operand;
};

/* The uses of the constant itself in instructions; its constant expressions are instructions by now. */
static struct use *uses_of(LLVMValueRef global, size_t *count) {
  struct use *uses = NULL;
  *count = 0;
  for (LLVMUseRef use = LLVMGetFirstUse(global); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    for (unsigned i = 0; LLVMIsAInstruction(user) && i < (unsigned)LLVMGetNumOperands(user); i++)
      if (LLVMGetOperand(user, i) == global)
        cs_ir_push(uses, *count, (struct use){user, i});
  }
  return uses;
}

static void build_in_functions(LLVMTargetDataRef layout, LLVMValueRef global) {
  struct cs_ir_map copies = {0}; /* function -> its copy */
  size_t count;
  cs_pass_expand_constants(global);
  struct use *uses = uses_of(global, &count);
  for (size_t i = 0; i < count; i++) {
    LLVMValueRef function = LLVMGetBasicBlockParent(LLVMGetInstructionParent(uses[i].user));
    LLVMValueRef copy = cs_ir_map_get(&copies, function);
    if (copy == NULL)
      cs_ir_map_set(&copies, function, copy = build_copy(layout, global, function));
    LLVMSetOperand(uses[i].user, uses[i].operand, copy);
  }
  free(uses);
  cs_ir_map_free(&copies);
}

int cs_pass_build_shared_tables(struct cs_pass *pass) {
  LLVMTargetDataRef layout = pass->layout;
  for (LLVMValueRef g = LLVMGetFirstGlobal(pass->module); g; g = LLVMGetNextGlobal(g))
    if (cs_ir_space_of(g) == CS_IR_SPACE_GENERIC && holds_shared(layout, g))
      build_in_functions(layout, g);
  return 0;
}

/* ---- module variables: listed for the host ---- */

struct listing {
  struct cs_pass *pass;
  LLVMValueRef holder;
  unsigned literals;
};

static int is_literal(LLVMValueRef global) {
  return LLVMGetLinkage(global) == LLVMPrivateLinkage && LLVMIsGlobalConstant(global);
}

static void list_slot(struct walk *walk, LLVMValueRef pointer, LLVMValueRef base, cs_u64 offset) {
  struct listing *l = walk->with;
  struct cs_pass_variable *v = cs_pass_variable_of(l->pass, base);
  if (v == NULL || (v->memory != CS_MEMORY_VARIABLE && v->memory != CS_MEMORY_CONSTANT) || starts_with(base, "_ZT"))
    return;
  if (!v->escapes && is_literal(base) && l->literals++ >= MAX_LITERALS)
    return;
  v->escapes = 1;
  cs_ir_push(l->pass->slots, l->pass->slot_count, (struct cs_pass_slot){l->holder, offset, pointer, v});
}

/* Descriptions of array indices, clang's and those of arrays.c, are removed together with the calls. */
static int is_used(LLVMValueRef constant) { // NOLINT(misc-no-recursion): constants in constants
  for (LLVMUseRef use = LLVMGetFirstUse(constant); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (LLVMIsAInstruction(user)
            ? !cs_pass_is_field_call(user)
            : !starts_with(user, CS_PASS_ARRAY_NAME) && (LLVMIsAGlobalVariable(user) || is_used(user)))
      return 1;
  }
  return 0;
}

/* Without kernels, those of other modules use the variables: the CPU device's driver loads a large PTX module in
 * parts. */
static int has_kernels(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (cs_ir_is_kernel(f) && !LLVMIsDeclaration(f))
      return 1;
  return 0;
}

/* Variables only: shared memory has no initialisers. */
int cs_pass_tables_collect(struct cs_pass *pass) {
  int lists_unused = !has_kernels(pass->module);
  struct listing listing = {.pass = pass};
  struct walk walk = {pass->layout, list_slot, &listing};
  for (LLVMValueRef g = LLVMGetFirstGlobal(pass->module); g; g = LLVMGetNextGlobal(g)) {
    listing.holder = g;
    if (is_program_table(g) && !starts_with(g, CS_PASS_ARRAY_NAME) && (lists_unused || is_used(g)) &&
        cs_ir_space_of(g) != CS_IR_SPACE_SHARED)
      walk_constant(&walk, LLVMGetInitializer(g), 0);
  }
  return 0;
}

/* The host finds the holder by its name, so the module must export it. */
static void export_holder(struct cs_pass *pass, LLVMValueRef holder) {
  char name[32];
  switch (LLVMGetLinkage(holder)) {
  case LLVMInternalLinkage:
  case LLVMPrivateLinkage:
    LLVMSetValueName2(holder, name, (size_t)snprintf(name, sizeof name, "__cs_table_%u", pass->holder_count++));
    LLVMSetLinkage(holder, LLVMExternalLinkage);
    break;
  case LLVMLinkOnceAnyLinkage:
  case LLVMLinkOnceODRLinkage:
    LLVMSetLinkage(holder, LLVMWeakODRLinkage);
    break;
  default:
    break;
  }
}

static cs_u32 name_for_host(struct cs_pass *pass, LLVMValueRef holder) {
  size_t length;
  export_holder(pass, holder);
  const char *name = LLVMGetValueName2(holder, &length);
  return cs_pass_sites_text(&pass->sites, name, length);
}

static LLVMValueRef entry_of(struct cs_pass *pass, const struct cs_pass_slot *slot) {
  LLVMValueRef fields[] = {
      slot->target,
      LLVMConstInt(pass->i64, slot->offset, 0),
      LLVMConstInt(pass->i32, slot->variable->number - 1, 0),
      LLVMConstInt(pass->i32, name_for_host(pass, slot->holder), 0),
  };
  LLVMSetGlobalConstant(slot->holder, 0); /* the host writes it */
  return LLVMConstStructInContext(pass->context, fields, 4, 0);
}

cs_u32 cs_pass_tables_emit(struct cs_pass *pass) {
  cs_u32 count = 0;
  LLVMValueRef *entries = cs_ir_allocate(pass->slot_count + 1, sizeof *entries);
  for (size_t i = 0; i < pass->slot_count; i++)
    if (pass->slots[i].variable->number)
      entries[count++] = entry_of(pass, &pass->slots[i]);
  if (count) {
    LLVMValueRef list = LLVMConstArray2(LLVMTypeOf(entries[0]), entries, count);
    LLVMSetInitializer(LLVMAddGlobalInAddressSpace(pass->module, LLVMTypeOf(list), CS_SYM_POINTERS, CS_IR_SPACE_GLOBAL),
                       list);
  }
  free(entries);
  return count;
}
