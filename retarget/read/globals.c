/* globals.c: __device__ and __constant__ variables, and CS_KERNEL_GLOBALS, the kernel that stores their addresses for
 * the host.
 *
 * SPIR-V has no initialisers that hold generic pointers, so such fields start as zero and the same kernel, which the
 * driver runs once before any other, stores them. Numbers of functions (tables, vtables) are plain integers. */
#include "retarget/read/globals.h"
#include "cusafe/abi.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "ir/names.h"
#include "retarget/read/steps.h"
#include "retarget/unit/instructions.h"
#include <stdlib.h>
#include <string.h>

/* --- Variables that the host may look up by name --- */

static int is_external(LLVMValueRef global) {
  LLVMLinkage linkage = LLVMGetLinkage(global);
  return linkage == LLVMExternalLinkage || linkage == LLVMWeakAnyLinkage || linkage == LLVMWeakODRLinkage ||
         linkage == LLVMCommonLinkage;
}

static int is_visible(LLVMValueRef global) {
  size_t length;
  const char *name = LLVMGetValueName2(global, &length);
  if (!length || cs_ir_starts_with(name, "llvm.") || LLVMIsDeclaration(global) ||
      cs_ir_space_of(global) == CS_IR_SPACE_SHARED)
    return 0;
  if (LLVMIsExternallyInitialized(global) || is_external(global))
    return 1;
  return LLVMGetLinkage(global) == LLVMInternalLinkage && !LLVMIsGlobalConstant(global);
}

/* A variable of the module that this one is a part of. */
static int is_of_whole(const struct cs_rt_unit *unit, LLVMValueRef global) {
  return unit->part && LLVMIsDeclaration(global) && LLVMGetFirstUse(global) &&
         cs_ir_space_of(global) != CS_IR_SPACE_SHARED && !cs_ir_starts_with(cs_ir_name(global), "llvm.");
}

static void add_variable(struct cs_rt_unit *unit, LLVMValueRef global) {
  struct cs_rt_variable variable = {.name = cs_rt_name_of(global),
                                    .global = global,
                                    .size = LLVMABISizeOfType(unit->layout, LLVMGlobalGetValueType(global)),
                                    .is_constant = cs_ir_space_of(global) == CS_IR_SPACE_CONSTANT};
  cs_ir_push(unit->variables, unit->variable_count, variable);
}

/* --- CS_KERNEL_GLOBALS --- */

static void begin_kernel(struct cs_rt_unit *unit, LLVMBuilderRef builder) {
  LLVMTypeRef param = LLVMPointerTypeInContext(unit->context, 1);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(unit->context), &param, 1, 0);
  unit->globals_kernel = LLVMAddFunction(unit->module, CS_KERNEL_GLOBALS, type);
  LLVMSetFunctionCallConv(unit->globals_kernel, CS_IR_KERNEL);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(unit->context, unit->globals_kernel, "entry"));
}

static void report_address(struct cs_rt_unit *unit, LLVMBuilderRef builder, LLVMValueRef global, unsigned index) {
  LLVMTypeRef i64 = LLVMInt64TypeInContext(unit->context);
  LLVMValueRef at = LLVMConstInt(i64, index, 0), out = LLVMGetParam(unit->globals_kernel, 0);
  LLVMValueRef slot = LLVMBuildInBoundsGEP2(builder, i64, out, &at, 1, "");
  LLVMBuildStore(builder, LLVMBuildPtrToInt(builder, global, i64, ""), slot);
}

void cs_rt_report_address(struct cs_rt_unit *unit, LLVMValueRef global, unsigned index) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  if (!unit->globals_kernel) {
    begin_kernel(unit, builder);
    LLVMBuildRetVoid(builder);
  }
  LLVMPositionBuilderBefore(builder, LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(unit->globals_kernel)));
  report_address(unit, builder, global, index);
  LLVMDisposeBuilder(builder);
}

/* --- Initialisers: pointers become integers of their size, which SPIR-V can express, or stores of CS_KERNEL_GLOBALS
 * --- */

struct lowering {
  struct cs_rt_unit *unit;
  LLVMBuilderRef builder; /* in CS_KERNEL_GLOBALS */
  unsigned stores;
};

static LLVMTypeRef integer_type(struct cs_rt_unit *unit, LLVMTypeRef type) {
  switch (LLVMGetTypeKind(type)) {
  case LLVMPointerTypeKind:
    return LLVMIntTypeInContext(unit->context, (unsigned)LLVMSizeOfTypeInBits(unit->layout, type));
  case LLVMArrayTypeKind:
    return LLVMArrayType2(integer_type(unit, LLVMGetElementType(type)), LLVMGetArrayLength2(type));
  case LLVMStructTypeKind: {
    unsigned count = LLVMCountStructElementTypes(type);
    LLVMTypeRef *elements = cs_ir_allocate(count + 1, sizeof *elements);
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

static LLVMValueRef store_leaf(struct lowering *l, LLVMValueRef global, cs_u64 offset, LLVMValueRef leaf) {
  LLVMTypeRef byte = LLVMInt8TypeInContext(l->unit->context), i64 = LLVMInt64TypeInContext(l->unit->context);
  LLVMValueRef at = LLVMConstInt(i64, offset, 0);
  LLVMValueRef store = LLVMBuildStore(l->builder, leaf, LLVMBuildGEP2(l->builder, byte, global, &at, 1, ""));
  LLVMSetAlignment(store, 1);
  LLVMSetVolatile(store, 1); /* the optimiser would remove a store to constant memory */
  l->stores++;
  return LLVMConstNull(integer_type(l->unit, LLVMTypeOf(leaf)));
}

static LLVMValueRef convert(struct lowering *l, LLVMValueRef global, cs_u64 offset, LLVMValueRef value);

static LLVMValueRef convert_elements(struct lowering *l, LLVMValueRef global, cs_u64 offset, LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value), made_type = integer_type(l->unit, type);
  int is_struct = LLVMIsAConstantStruct(value) != NULL;
  unsigned count = (unsigned)LLVMGetNumOperands(value);
  LLVMValueRef *elements = cs_ir_allocate(count + 1, sizeof *elements), made;
  cs_u64 step = is_struct ? 0 : LLVMABISizeOfType(l->unit->layout, LLVMGetElementType(type));
  for (unsigned i = 0; i < count; i++) {
    cs_u64 at = is_struct ? LLVMOffsetOfElement(l->unit->layout, type, i) : i * step;
    elements[i] = convert(l, global, offset + at, LLVMGetOperand(value, i));
  }
  if (is_struct)
    made = LLVMConstStructInContext(l->unit->context, elements, count, LLVMIsPackedStruct(type));
  else
    made = LLVMConstArray2(LLVMGetElementType(made_type), elements, count);
  free(elements);
  return made;
}

static LLVMValueRef convert(struct lowering *l, LLVMValueRef global, cs_u64 offset, LLVMValueRef value) {
  if (LLVMIsNull(value) || LLVMIsUndef(value))
    return LLVMConstNull(integer_type(l->unit, LLVMTypeOf(value)));
  if (LLVMIsAConstantStruct(value) || LLVMIsAConstantArray(value))
    return convert_elements(l, global, offset, value);
  if (LLVMIsAConstantExpr(value) && LLVMGetConstOpcode(value) == LLVMIntToPtr &&
      LLVMIsAConstantInt(LLVMGetOperand(value, 0)))
    return LLVMGetOperand(value, 0); /* the number of a function */
  if (LLVMIsAConstantExpr(value) || LLVMGetTypeKind(LLVMTypeOf(value)) == LLVMPointerTypeKind)
    return store_leaf(l, global, offset, value);
  return value;
}

/* An address cast to an integer is a constant expression. */
static int holds_expression(LLVMValueRef value) { // NOLINT(misc-no-recursion): nesting
  if (LLVMIsAConstantExpr(value))
    return 1;
  for (int i = 0; (LLVMIsAConstantStruct(value) || LLVMIsAConstantArray(value)) && i < LLVMGetNumOperands(value); i++)
    if (holds_expression(LLVMGetOperand(value, (unsigned)i)))
      return 1;
  return 0;
}

static int holds_pointers(struct cs_rt_unit *unit, LLVMValueRef global) {
  LLVMTypeRef type = LLVMGlobalGetValueType(global);
  return !LLVMIsDeclaration(global) && cs_ir_space_of(global) != CS_IR_SPACE_SHARED &&
         (integer_type(unit, type) != type || holds_expression(LLVMGetInitializer(global))) &&
         !cs_ir_starts_with(cs_ir_name(global), "llvm.");
}

void cs_rt_replace_global(struct cs_rt_unit *unit, LLVMValueRef old, LLVMTypeRef type, LLVMValueRef value,
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

static void lower_initializer(struct lowering *l, LLVMValueRef global) {
  LLVMTypeRef type = integer_type(l->unit, LLVMGlobalGetValueType(global));
  unsigned before = l->stores;
  LLVMValueRef value = convert(l, global, 0, LLVMGetInitializer(global));
  if (l->stores != before)
    LLVMSetGlobalConstant(global, 0);
  unsigned align = LLVMGetAlignment(global);
  LLVMSetAlignment(global, align ? align : 8);
  cs_rt_replace_global(l->unit, global, type, value, cs_ir_space_of(global));
}

static void add_if_visible(struct cs_rt_unit *unit, LLVMValueRef global) {
  if ((is_visible(global) && (is_external(global) || LLVMGetFirstUse(global))) || is_of_whole(unit, global))
    add_variable(unit, global);
}

/* The variables that failing checks use are the first in every table (engine_quirks/failing_path.c). Alone, the runtime
 * uses those of other programs. */
static void add_shared(struct cs_rt_unit *unit, LLVMValueRef global) {
  if (global && unit->makes_failing)
    LLVMSetInitializer(global, NULL);
  if (global)
    add_if_visible(unit, global);
}

int cs_rt_collect_variables(struct cs_rt_unit *unit) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  LLVMValueRef state = LLVMGetNamedGlobal(unit->module, CS_SYM_STATE);
  LLVMValueRef counts = LLVMGetNamedGlobal(unit->module, CS_SYM_COUNTS);
  add_shared(unit, state);
  add_shared(unit, counts);
  for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module); g; g = LLVMGetNextGlobal(g))
    if (g != state && g != counts && !unit->makes_failing)
      add_if_visible(unit, g);
  begin_kernel(unit, builder);
  for (unsigned i = 0; i < unit->variable_count; i++) {
    if (!LLVMIsDeclaration(unit->variables[i].global))
      report_address(unit, builder, unit->variables[i].global, i);
    LLVMSetGlobalConstant(unit->variables[i].global, 0); /* the host may write it */
  }
  LLVMBuildRetVoid(builder);
  LLVMDisposeBuilder(builder);
  return 0;
}

/* clang's threadIdx and similar are empty objects, read through member functions: only their addresses are used, and
 * only where the member functions are not inlined. */
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

int cs_rt_lower_initializers(struct cs_rt_unit *unit) {
  define_builtin_objects(unit);
  struct lowering lowering = {unit, LLVMCreateBuilderInContext(unit->context), 0};
  LLVMPositionBuilderBefore(lowering.builder,
                            LLVMGetBasicBlockTerminator(LLVMGetEntryBasicBlock(unit->globals_kernel)));
  for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module), next; g; g = next) {
    next = LLVMGetNextGlobal(g);
    if (holds_pointers(unit, g))
      lower_initializer(&lowering, g);
  }
  LLVMDisposeBuilder(lowering.builder);
  if (!unit->variable_count && !lowering.stores) {
    LLVMDeleteFunction(unit->globals_kernel);
    unit->globals_kernel = NULL;
  }
  return 0;
}
