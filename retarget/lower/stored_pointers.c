/* stored_pointers.c: in memory, pointers are integers.
 *
 * SPIR-V's pointers have pointee types, which the back end has to guess. It guesses wrong where the pointee is a
 * pointer itself: it takes elements of one byte, and stores one byte. An integer of the pointer's size leaves nothing
 * to guess. */
#include "ir/instructions.h"
#include "ir/memory.h"
#include "retarget/lower/steps.h"
#include <stdlib.h>

static LLVMTypeRef integer_for(struct cs_rt_unit *unit, LLVMTypeRef type) {
  if (LLVMGetTypeKind(type) != LLVMPointerTypeKind)
    return NULL;
  return LLVMIntTypeInContext(unit->context, (unsigned)LLVMSizeOfTypeInBits(unit->layout, type));
}

static LLVMTypeRef without_pointers(struct cs_rt_unit *unit, LLVMTypeRef type);

static LLVMTypeRef struct_without_pointers(struct cs_rt_unit *unit, LLVMTypeRef type) {
  unsigned count = LLVMCountStructElementTypes(type);
  LLVMTypeRef *parts = cs_ir_allocate(count + 1, sizeof *parts);
  for (unsigned i = 0; i < count; i++)
    parts[i] = without_pointers(unit, LLVMStructGetTypeAtIndex(type, i));
  LLVMTypeRef made = LLVMStructTypeInContext(unit->context, parts, count, LLVMIsPackedStruct(type));
  free(parts);
  return made;
}

/* The type of the same layout with integers instead of pointers. */
static LLVMTypeRef without_pointers(struct cs_rt_unit *unit, LLVMTypeRef type) {
  switch (LLVMGetTypeKind(type)) {
  case LLVMPointerTypeKind:
    return integer_for(unit, type);
  case LLVMArrayTypeKind:
    return LLVMArrayType2(without_pointers(unit, LLVMGetElementType(type)), LLVMGetArrayLength2(type));
  case LLVMStructTypeKind:
    return LLVMIsOpaqueStruct(type) ? type : struct_without_pointers(unit, type);
  default:
    return type;
  }
}

static void rewrite_gep(struct cs_rt_unit *unit, LLVMBuilderRef builder, LLVMValueRef gep) {
  LLVMTypeRef type = LLVMGetGEPSourceElementType(gep), plain = without_pointers(unit, type);
  unsigned count = (unsigned)LLVMGetNumIndices(gep);
  if (plain == type)
    return;
  LLVMValueRef *indices = cs_ir_allocate(count, sizeof *indices);
  for (unsigned i = 0; i < count; i++)
    indices[i] = LLVMGetOperand(gep, i + 1);
  LLVMPositionBuilderBefore(builder, gep);
  LLVMValueRef made = LLVMBuildGEPWithNoWrapFlags(builder, plain, LLVMGetOperand(gep, 0), indices, count, "",
                                                  LLVMGEPGetNoWrapFlags(gep));
  LLVMReplaceAllUsesWith(gep, made);
  LLVMInstructionEraseFromParent(gep);
  free(indices);
}

static void rewrite_alloca(struct cs_rt_unit *unit, LLVMBuilderRef builder, LLVMValueRef variable) {
  LLVMTypeRef type = LLVMGetAllocatedType(variable), plain = without_pointers(unit, type);
  if (plain == type)
    return;
  LLVMPositionBuilderBefore(builder, variable);
  LLVMValueRef made = LLVMBuildArrayAlloca(builder, plain, LLVMGetOperand(variable, 0), "");
  LLVMSetAlignment(made, LLVMGetAlignment(variable));
  LLVMReplaceAllUsesWith(variable, made);
  LLVMInstructionEraseFromParent(variable);
}

static void rewrite_load(struct cs_rt_unit *unit, LLVMBuilderRef builder, LLVMValueRef load) {
  LLVMTypeRef type = LLVMTypeOf(load), integer = integer_for(unit, type);
  if (integer == NULL)
    return;
  LLVMPositionBuilderBefore(builder, load);
  LLVMValueRef made = LLVMBuildLoad2(builder, integer, LLVMGetOperand(load, 0), "");
  LLVMSetAlignment(made, LLVMGetAlignment(load));
  LLVMSetVolatile(made, LLVMGetVolatile(load));
  LLVMSetOrdering(made, LLVMGetOrdering(load));
  LLVMReplaceAllUsesWith(load, LLVMBuildIntToPtr(builder, made, type, ""));
  LLVMInstructionEraseFromParent(load);
}

static void rewrite_store(struct cs_rt_unit *unit, LLVMBuilderRef builder, LLVMValueRef store) {
  LLVMValueRef value = LLVMGetOperand(store, 0);
  LLVMTypeRef integer = integer_for(unit, LLVMTypeOf(value));
  if (integer == NULL)
    return;
  LLVMPositionBuilderBefore(builder, store);
  value = LLVMBuildPtrToInt(builder, value, integer, "");
  LLVMValueRef made = LLVMBuildStore(builder, value, LLVMGetOperand(store, 1));
  LLVMSetAlignment(made, LLVMGetAlignment(store));
  LLVMSetVolatile(made, LLVMGetVolatile(store));
  LLVMSetOrdering(made, LLVMGetOrdering(store));
  LLVMInstructionEraseFromParent(store);
}

int cs_rt_pointers_as_integers(struct cs_rt_unit *unit) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(unit->context);
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f; f = LLVMGetNextFunction(f))
    for (LLVMValueRef i = cs_ir_first(f), next; i; i = next) {
      next = cs_ir_next(i);
      if (LLVMIsALoadInst(i))
        rewrite_load(unit, builder, i);
      else if (LLVMIsAStoreInst(i))
        rewrite_store(unit, builder, i);
      else if (LLVMIsAGetElementPtrInst(i))
        rewrite_gep(unit, builder, i);
      else if (LLVMIsAAllocaInst(i))
        rewrite_alloca(unit, builder, i);
    }
  LLVMDisposeBuilder(builder);
  return 0;
}
