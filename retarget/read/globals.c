/* globals.c: __device__ and __constant__ variables, shared memory, and the kernel that tells the host where variables are.
 *
 * SPIR-V has no initialisers that hold generic pointers, so those places start as zero and the same kernel, which the driver
 * must run once before any other, stores them. Numbers of functions (tables, vtables) are plain integers. */
#include "retarget/retarget.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PTX_KERNEL = 71, SHARED = 3, CONSTANT = 4 };

static unsigned space_of(LLVMValueRef global) {
  return LLVMGetPointerAddressSpace(LLVMTypeOf(global));
}
static LLVMTypeRef generic(struct cs_rt_unit *unit) {
  return LLVMPointerTypeInContext(unit->context, 0);
}

/* --- Which variables the host may ask for by name --- */

static int is_external(LLVMValueRef global) {
  LLVMLinkage linkage = LLVMGetLinkage(global);
  return linkage == LLVMExternalLinkage || linkage == LLVMWeakAnyLinkage || linkage == LLVMWeakODRLinkage ||
         linkage == LLVMCommonLinkage;
}

static int is_visible(LLVMValueRef global) {
  size_t length;
  const char *name = LLVMGetValueName2(global, &length);
  if (!length || cs_rt_starts_with(name, "llvm.") || LLVMIsDeclaration(global) || space_of(global) == SHARED)
    return 0;
  if (LLVMIsExternallyInitialized(global) || is_external(global))
    return 1;
  return LLVMGetLinkage(global) == LLVMInternalLinkage && !LLVMIsGlobalConstant(global);
}

static void add_variable(struct cs_rt_unit *unit, LLVMValueRef global) {
  unit->variables = cs_rt_grow(unit->variables, unit->variable_count, sizeof *unit->variables);
  unit->variables[unit->variable_count++] =
      (struct cs_rt_variable){.name = cs_rt_name_of(global),
                              .global = global,
                              .size = LLVMABISizeOfType(unit->layout, LLVMGlobalGetValueType(global)),
                              .is_constant = space_of(global) == CONSTANT};
}

/* --- The kernel --- */

struct fixer {
  struct cs_rt_unit *unit;
  LLVMBuilderRef builder;
  unsigned stores;
};

static void begin_kernel(struct cs_rt_unit *unit, LLVMBuilderRef builder) {
  LLVMTypeRef param = LLVMPointerTypeInContext(unit->context, 1);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(unit->context), &param, 1, 0);
  unit->globals_kernel = LLVMAddFunction(unit->module, CS_KERNEL_GLOBALS, type);
  LLVMSetFunctionCallConv(unit->globals_kernel, PTX_KERNEL);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(unit->context, unit->globals_kernel, "entry"));
}

static void tell_address(struct cs_rt_unit *unit, LLVMBuilderRef builder, LLVMValueRef global, unsigned index) {
  LLVMTypeRef word = LLVMInt64TypeInContext(unit->context);
  LLVMValueRef at = LLVMConstInt(word, index, 0), out = LLVMGetParam(unit->globals_kernel, 0);
  LLVMValueRef slot = LLVMBuildInBoundsGEP2(builder, word, out, &at, 1, "");
  LLVMBuildStore(builder, LLVMBuildPtrToInt(builder, global, word, ""), slot);
}

void cs_rt_tell_address(struct cs_rt_unit *unit, LLVMValueRef global, unsigned index) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  if (!unit->globals_kernel) {
    begin_kernel(unit, builder);
    LLVMBuildRetVoid(builder);
  }
  LLVMPositionBuilderBefore(builder, LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(unit->globals_kernel)));
  tell_address(unit, builder, global, index);
  LLVMDisposeBuilder(builder);
}

/* --- Initialisers: pointers become integers of their size, which SPIR-V can express, or stores of the kernel --- */

static LLVMTypeRef integer_type(struct cs_rt_unit *unit, LLVMTypeRef type) {
  switch (LLVMGetTypeKind(type)) {
  case LLVMPointerTypeKind:
    return LLVMIntTypeInContext(unit->context, (unsigned)LLVMSizeOfTypeInBits(unit->layout, type));
  case LLVMArrayTypeKind:
    return LLVMArrayType2(integer_type(unit, LLVMGetElementType(type)), LLVMGetArrayLength2(type));
  case LLVMStructTypeKind: {
    unsigned count = LLVMCountStructElementTypes(type);
    LLVMTypeRef *elements = cs_rt_allocate(count + 1, sizeof *elements);
    for (unsigned i = 0; i < count; i++)
      elements[i] = integer_type(unit, LLVMStructGetTypeAtIndex(type, i));
    LLVMTypeRef made = LLVMStructTypeInContext(unit->context, elements, count, LLVMIsPackedStruct(type));
    free(elements);
    return made;
  }
  default:
    return type;
  }
}

static LLVMValueRef store_leaf(struct fixer *f, LLVMValueRef global, cs_u64 offset, LLVMValueRef leaf) {
  LLVMTypeRef byte = LLVMInt8TypeInContext(f->unit->context), word = LLVMInt64TypeInContext(f->unit->context);
  LLVMValueRef at = LLVMConstInt(word, offset, 0);
  LLVMValueRef store = LLVMBuildStore(f->builder, leaf, LLVMBuildGEP2(f->builder, byte, global, &at, 1, ""));
  LLVMSetAlignment(store, 1);
  LLVMSetVolatile(store, 1); /* the optimiser would drop a store to constant memory */
  f->stores++;
  return LLVMConstNull(integer_type(f->unit, LLVMTypeOf(leaf)));
}

static LLVMValueRef convert(struct fixer *f, LLVMValueRef global, cs_u64 offset, LLVMValueRef value);

static LLVMValueRef convert_elements(struct fixer *f, LLVMValueRef global, cs_u64 offset, LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value), made_type = integer_type(f->unit, type);
  int is_struct = LLVMIsAConstantStruct(value) != NULL;
  unsigned count = (unsigned)LLVMGetNumOperands(value);
  LLVMValueRef *elements = cs_rt_allocate(count + 1, sizeof *elements), made;
  cs_u64 step = is_struct ? 0 : LLVMABISizeOfType(f->unit->layout, LLVMGetElementType(type));
  for (unsigned i = 0; i < count; i++) {
    cs_u64 at = is_struct ? LLVMOffsetOfElement(f->unit->layout, type, i) : i * step;
    elements[i] = convert(f, global, offset + at, LLVMGetOperand(value, i));
  }
  if (is_struct)
    made = LLVMConstStructInContext(f->unit->context, elements, count, LLVMIsPackedStruct(type));
  else
    made = LLVMConstArray2(LLVMGetElementType(made_type), elements, count);
  free(elements);
  return made;
}

static LLVMValueRef convert(struct fixer *f, LLVMValueRef global, cs_u64 offset, LLVMValueRef value) {
  if (LLVMIsNull(value) || LLVMIsUndef(value))
    return LLVMConstNull(integer_type(f->unit, LLVMTypeOf(value)));
  if (LLVMIsAConstantStruct(value) || LLVMIsAConstantArray(value))
    return convert_elements(f, global, offset, value);
  if (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMIntToPtr &&
      LLVMIsAConstantInt(LLVMGetOperand(value, 0)))
    return LLVMGetOperand(value, 0); /* the number of a function */
  if (LLVMIsAConstantExpr(value) || LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind)
    return store_leaf(f, global, offset, value);
  return value;
}

/* An address as an integer is an expression, too. */
static int holds_expression(LLVMValueRef value) { // NOLINT(misc-no-recursion): nesting
  if (LLVMIsAConstantExpr(value))
    return 1;
  for (int i = 0; (LLVMIsAConstantStruct(value) || LLVMIsAConstantArray(value)) && i < LLVMGetNumOperands(value); i++)
    if (holds_expression(LLVMGetOperand(value, (unsigned)i)))
      return 1;
  return 0;
}

static int holds_pointers(struct cs_rt_unit *unit, LLVMValueRef global) {
  size_t length;
  LLVMTypeRef type = LLVMGlobalGetValueType(global);
  return !LLVMIsDeclaration(global) && space_of(global) != SHARED &&
         (integer_type(unit, type) != type || holds_expression(LLVMGetInitializer(global))) &&
         !cs_rt_starts_with(LLVMGetValueName2(global, &length), "llvm.");
}

/* The same variable with another type and initialiser, in another address space if need be. */
static void replace_global(struct cs_rt_unit *unit, LLVMValueRef old, LLVMTypeRef type, LLVMValueRef value,
                           unsigned space) {
  LLVMValueRef new = LLVMAddGlobalInAddressSpace(unit->module, type, "", space);
  char *name = cs_rt_name_of(old);
  LLVMSetInitializer(new, value);
  LLVMSetLinkage(new, LLVMGetLinkage(old));
  LLVMSetGlobalConstant(new, LLVMIsGlobalConstant(old));
  LLVMSetExternallyInitialized(new, LLVMIsExternallyInitialized(old));
  LLVMSetAlignment(new, LLVMGetAlignment(old));
  int moved = LLVMTypeOf(new) != LLVMTypeOf(old);
  LLVMReplaceAllUsesWith(old, moved ? LLVMConstAddrSpaceCast(new, LLVMTypeOf(old)) : new);
  for (unsigned i = 0; i < unit->variable_count; i++)
    if (unit->variables[i].global == old)
      unit->variables[i].global = new;
  LLVMDeleteGlobal(old);
  LLVMSetValueName2(new, name, strlen(name));
  free(name);
}

static void fix_initializer(struct fixer *f, LLVMValueRef global) {
  LLVMTypeRef type = integer_type(f->unit, LLVMGlobalGetValueType(global));
  unsigned before = f->stores;
  LLVMValueRef value = convert(f, global, 0, LLVMGetInitializer(global));
  if (f->stores != before)
    LLVMSetGlobalConstant(global, 0);
  unsigned align = LLVMGetAlignment(global);
  LLVMSetAlignment(global, align ? align : 8);
  replace_global(f->unit, global, type, value, space_of(global));
}

int cs_rt_collect_variables(struct cs_rt_unit *unit) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module); g; g = LLVMGetNextGlobal(g))
    if (is_visible(g) && (is_external(g) || LLVMGetFirstUse(g)))
      add_variable(unit, g);
  begin_kernel(unit, builder);
  for (unsigned i = 0; i < unit->variable_count; i++) {
    tell_address(unit, builder, unit->variables[i].global, i);
    LLVMSetGlobalConstant(unit->variables[i].global, 0); /* the host may write it */
  }
  LLVMBuildRetVoid(builder);
  LLVMDisposeBuilder(builder);
  return 0;
}

/* clang's threadIdx and its like are objects without contents, read through member functions: only their addresses are
 * ever used, and only where these are not inlined away. */
static void define_builtin_objects(struct cs_rt_unit *unit) {
  for (const char *const *name = (const char *const[]){"threadIdx", "blockIdx", "blockDim", "gridDim", NULL}; *name;
       name++) {
    LLVMValueRef object = LLVMGetNamedGlobal(unit->module, *name);
    if (!object || !LLVMIsDeclaration(object))
      continue;
    LLVMSetInitializer(object, LLVMConstNull(LLVMGlobalGetValueType(object)));
    LLVMSetLinkage(object, LLVMInternalLinkage);
  }
}

int cs_rt_fix_initializers(struct cs_rt_unit *unit) {
  define_builtin_objects(unit);
  struct fixer fixer = {unit, LLVMCreateBuilderInContext(unit->context), 0};
  LLVMPositionBuilderBefore(fixer.builder, LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(unit->globals_kernel)));
  for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module), next; g; g = next) {
    next = LLVMGetNextGlobal(g);
    if (holds_pointers(unit, g))
      fix_initializer(&fixer, g);
  }
  LLVMDisposeBuilder(fixer.builder);
  if (!unit->variable_count && !fixer.stores) {
    LLVMDeleteFunction(unit->globals_kernel);
    unit->globals_kernel = NULL;
  }
  return 0;
}

/* --- Before the move to SPIR-V --- */

/* extern __shared__ arrays all name the launch's dynamic shared memory. */
static void use_dynamic(struct cs_rt_unit *unit, LLVMValueRef global) {
  LLVMTypeRef type = LLVMFunctionType(generic(unit), NULL, 0, 0);
  LLVMValueRef function = cs_rt_engine_function(unit, "__cr_dynamic", type, 0);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  cs_rt_bridge_expand_constants(global);
  for (LLVMUseRef use; (use = LLVMGetFirstUse(global));) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!LLVMIsAInstruction(user))
      break;
    LLVMValueRef at = user;
    if (LLVMIsAPHINode(user)) /* in the block it comes from */
      for (unsigned i = 0; i < LLVMCountIncoming(user); i++)
        if (LLVMGetIncomingValue(user, i) == global)
          at = LLVMGetBasicBlockTerminator(LLVMGetIncomingBlock(user, i));
    LLVMPositionBuilderBefore(builder, at);
    LLVMValueRef base = LLVMBuildCall2(builder, type, function, NULL, 0, "");
    base = LLVMBuildAddrSpaceCast(builder, base, LLVMTypeOf(global), "");
    for (int i = 0; i < LLVMGetNumOperands(user); i++)
      if (LLVMGetOperand(user, (unsigned)i) == global)
        LLVMSetOperand(user, (unsigned)i, base);
  }
  LLVMDisposeBuilder(builder);
}

int cs_rt_place_dynamic_shared(struct cs_rt_unit *unit) {
  for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module); g; g = LLVMGetNextGlobal(g))
    if (space_of(g) == SHARED && LLVMIsDeclaration(g))
      use_dynamic(unit, g);
  return 0;
}

/* An instruction of SPIR-V has at most 65535 words: a longer constant is a structure of shorter ones. */
enum { LONGEST = 32768 };

static LLVMValueRef in_pieces(struct cs_rt_unit *unit, LLVMValueRef array, unsigned long long count) {
  unsigned pieces = (unsigned)((count + LONGEST - 1) / LONGEST), used = 0;
  LLVMValueRef *piece = cs_rt_allocate(pieces, sizeof *piece), *elements = cs_rt_allocate(LONGEST, sizeof *elements),
               made;
  LLVMTypeRef type = LLVMGetElementType(LLVMTypeOf(array));
  for (unsigned i = 0; i < pieces; i++, used = 0) {
    for (unsigned long long k = (unsigned long long)i * LONGEST; k < count && used < LONGEST; k++)
      elements[used++] = LLVMGetAggregateElement(array, (unsigned)k);
    piece[i] = LLVMConstArray2(type, elements, used);
  }
  made = LLVMConstStructInContext(unit->context, piece, pieces, 0);
  free(elements);
  free(piece);
  return made;
}

static void split_long_constant(struct cs_rt_unit *unit, LLVMValueRef global) {
  LLVMValueRef value = LLVMGetInitializer(global);
  LLVMTypeRef type = LLVMGlobalGetValueType(global);
  if (!value || LLVMGetTypeKind(type) != LLVMArrayTypeKind || LLVMIsNull(value) || LLVMIsUndef(value))
    return;
  unsigned long long count = LLVMGetArrayLength2(type);
  if (count <= LONGEST)
    return;
  value = in_pieces(unit, value, count);
  if (!LLVMGetAlignment(global))
    LLVMSetAlignment(global, LLVMABIAlignmentOfType(unit->layout, type));
  replace_global(unit, global, LLVMTypeOf(value), value, space_of(global));
}

int cs_rt_place_memory(struct cs_rt_unit *unit) {
  for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module), next; g; g = next) {
    next = LLVMGetNextGlobal(g);
    split_long_constant(unit, g);
  }
  for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module), next; g; g = next) {
    next = LLVMGetNextGlobal(g);
    if (space_of(g) == 0 && !LLVMIsDeclaration(g)) /* string literals, vtables */
      replace_global(unit, g, LLVMGlobalGetValueType(g), LLVMGetInitializer(g), 1);
  }
  cs_rt_bridge_local_allocas(unit->module);
  return 0;
}
