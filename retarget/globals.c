/* globals.c: __device__ and __constant__ variables, shared memory, and the kernel that tells the host where variables are.
 *
 * SPIR-V has no initialisers that hold generic pointers or numbers of functions, so those places start as zero and the same
 * kernel, which the driver runs once after loading, stores them. */
#include "retarget/retarget.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { PTX_KERNEL = 71, SHARED = 3, CONSTANT = 4 };

static unsigned space_of(LLVMValueRef global) {
  return LLVMGetPointerAddressSpace(LLVMTypeOf(global));
}
static LLVMTypeRef generic(struct cs_unit *unit) {
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
  if (!length || cs_starts_with(name, "llvm.") || LLVMIsDeclaration(global) || space_of(global) == SHARED)
    return 0;
  if (LLVMIsExternallyInitialized(global) || is_external(global))
    return 1;
  return LLVMGetLinkage(global) == LLVMInternalLinkage && !LLVMIsGlobalConstant(global);
}

static void add_variable(struct cs_unit *unit, LLVMValueRef global) {
  size_t length;
  unit->variables = cs_grow(unit->variables, unit->variable_count, sizeof *unit->variables);
  unit->variables[unit->variable_count++] =
      (struct cs_variable){.name = strdup(LLVMGetValueName2(global, &length)),
                           .global = global,
                           .size = LLVMABISizeOfType(unit->layout, LLVMGlobalGetValueType(global)),
                           .is_constant = space_of(global) == CONSTANT};
}

/* --- The kernel --- */

struct fixer {
  struct cs_unit *unit;
  LLVMBuilderRef builder;
  unsigned stores;
};

static void begin_kernel(struct cs_unit *unit, LLVMBuilderRef builder) {
  LLVMTypeRef param = LLVMPointerTypeInContext(unit->context, 1);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(unit->context), &param, 1, 0);
  unit->globals_kernel = LLVMAddFunction(unit->module, CS_KERNEL_GLOBALS, type);
  LLVMSetFunctionCallConv(unit->globals_kernel, PTX_KERNEL);
  LLVMPositionBuilderAtEnd(builder, LLVMAppendBasicBlockInContext(unit->context, unit->globals_kernel, "entry"));
}

static void tell_address(struct cs_unit *unit, LLVMBuilderRef builder, unsigned index) {
  LLVMTypeRef word = LLVMInt64TypeInContext(unit->context);
  LLVMValueRef at = LLVMConstInt(word, index, 0), out = LLVMGetParam(unit->globals_kernel, 0);
  LLVMValueRef slot = LLVMBuildInBoundsGEP2(builder, word, out, &at, 1, "");
  LLVMBuildStore(builder, LLVMBuildPtrToInt(builder, unit->variables[index].global, word, ""), slot);
}

/* Leaves that SPIR-V cannot express. */
static int needs_store(LLVMValueRef leaf) {
  if (LLVMIsNull(leaf) || LLVMIsUndef(leaf))
    return 0;
  return LLVMIsAConstantExpr(leaf) || LLVMGetTypeKind(LLVMTypeOf(leaf)) == LLVMPointerTypeKind;
}

static void store_leaf(struct fixer *f, LLVMValueRef global, cs_u64 offset, LLVMValueRef leaf) {
  LLVMTypeRef byte = LLVMInt8TypeInContext(f->unit->context), word = LLVMInt64TypeInContext(f->unit->context);
  LLVMValueRef at = LLVMConstInt(word, offset, 0);
  LLVMValueRef place = LLVMBuildGEP2(f->builder, byte, global, &at, 1, "");
  LLVMValueRef store = LLVMBuildStore(f->builder, leaf, place);
  LLVMSetAlignment(store, 1);
  LLVMSetVolatile(store, 1); /* the optimiser would drop a store to constant memory */
  f->stores++;
}

/* The initialiser without its stored leaves. */
static LLVMValueRef strip(struct fixer *f, LLVMValueRef global, cs_u64 offset, LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value);
  if (needs_store(value)) {
    store_leaf(f, global, offset, value);
    return LLVMConstNull(type);
  }
  int is_struct = LLVMIsAConstantStruct(value) != NULL;
  if (!is_struct && !LLVMIsAConstantArray(value))
    return value;
  unsigned count = (unsigned)LLVMGetNumOperands(value);
  LLVMValueRef *elements = calloc(count + 1, sizeof *elements);
  cs_u64 step = is_struct ? 0 : LLVMABISizeOfType(f->unit->layout, LLVMGetElementType(type));
  for (unsigned i = 0; i < count; i++) {
    cs_u64 at = is_struct ? LLVMOffsetOfElement(f->unit->layout, type, i) : i * step;
    elements[i] = strip(f, global, offset + at, LLVMGetOperand(value, i));
  }
  LLVMValueRef made;
  if (!is_struct)
    made = LLVMConstArray2(LLVMGetElementType(type), elements, count);
  else if (LLVMGetStructName(type))
    made = LLVMConstNamedStruct(type, elements, count);
  else
    made = LLVMConstStructInContext(f->unit->context, elements, count, LLVMIsPackedStruct(type));
  free(elements);
  return made;
}

static void fix_initializer(struct fixer *f, LLVMValueRef global) {
  size_t length;
  LLVMValueRef value = LLVMGetInitializer(global);
  unsigned before = f->stores;
  if (!value || space_of(global) == SHARED || cs_starts_with(LLVMGetValueName2(global, &length), "llvm."))
    return;
  LLVMValueRef stripped = strip(f, global, 0, value);
  if (f->stores == before)
    return;
  LLVMSetInitializer(global, stripped);
  LLVMSetGlobalConstant(global, 0);
}

int cs_collect_variables(struct cs_unit *unit) {
  struct fixer fixer = {unit, LLVMCreateBuilderInContext(unit->context), 0};
  for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module); g; g = LLVMGetNextGlobal(g))
    if (is_visible(g) && (is_external(g) || LLVMGetFirstUse(g)))
      add_variable(unit, g);
  begin_kernel(unit, fixer.builder);
  for (unsigned i = 0; i < unit->variable_count; i++) {
    tell_address(unit, fixer.builder, i);
    LLVMSetGlobalConstant(unit->variables[i].global, 0); /* the host may write it */
  }
  for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module); g; g = LLVMGetNextGlobal(g))
    fix_initializer(&fixer, g);
  if (fixer.stores && !unit->variable_count) { /* a reason for the driver to run it */
    LLVMTypeRef byte = LLVMInt8TypeInContext(unit->context);
    LLVMValueRef marker = LLVMAddGlobalInAddressSpace(unit->module, byte, "__cusafe_fixups", 1);
    LLVMSetInitializer(marker, LLVMConstNull(byte));
    add_variable(unit, marker);
    tell_address(unit, fixer.builder, 0);
  }
  LLVMBuildRetVoid(fixer.builder);
  LLVMDisposeBuilder(fixer.builder);
  if (!unit->variable_count) {
    LLVMDeleteFunction(unit->globals_kernel);
    unit->globals_kernel = NULL;
  }
  return 0;
}

/* --- Before the move to SPIR-V --- */

/* Generic globals (string literals, vtables) become global ones. */
static void make_global(struct cs_unit *unit, LLVMValueRef old) {
  size_t length;
  LLVMTypeRef type = LLVMGlobalGetValueType(old);
  LLVMValueRef new = LLVMAddGlobalInAddressSpace(unit->module, type, "", 1);
  char *name = strdup(LLVMGetValueName2(old, &length));
  LLVMSetInitializer(new, LLVMGetInitializer(old));
  LLVMSetLinkage(new, LLVMGetLinkage(old));
  LLVMSetGlobalConstant(new, LLVMIsGlobalConstant(old));
  LLVMSetAlignment(new, LLVMGetAlignment(old));
  LLVMReplaceAllUsesWith(old, LLVMConstAddrSpaceCast(new, generic(unit)));
  for (unsigned i = 0; i < unit->variable_count; i++)
    if (unit->variables[i].global == old)
      unit->variables[i].global = new;
  LLVMDeleteGlobal(old);
  LLVMSetValueName2(new, name, strlen(name));
  free(name);
}

/* extern __shared__ arrays all name the launch's dynamic shared memory. */
static void use_dynamic(struct cs_unit *unit, LLVMValueRef global) {
  LLVMTypeRef type = LLVMFunctionType(generic(unit), NULL, 0, 0);
  LLVMValueRef function = cs_engine_function(unit, "__cr_dynamic", type, 0);
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  cs_bridge_expand_constants(global);
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

int cs_place_dynamic_shared(struct cs_unit *unit) {
  for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module); g; g = LLVMGetNextGlobal(g))
    if (space_of(g) == SHARED && LLVMIsDeclaration(g))
      use_dynamic(unit, g);
  return 0;
}

int cs_place_memory(struct cs_unit *unit) {
  for (LLVMValueRef g = LLVMGetFirstGlobal(unit->module), next; g; g = next) {
    next = LLVMGetNextGlobal(g);
    if (space_of(g) == 0 && !LLVMIsDeclaration(g))
      make_global(unit, g);
  }
  cs_bridge_local_allocas(unit->module);
  return 0;
}
