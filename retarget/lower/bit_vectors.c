/* bit_vectors.c: vectors of bits, which SPIR-V has neither in memory nor as an integer. LLVM makes them of neighbouring
 * `bool`s, and of comparisons of vectors: element k is bit k of an integer. */
#include "ir/instructions.h"
#include "retarget/lower/steps.h"

struct bits {
  struct cs_rt_unit *unit;
  LLVMBuilderRef builder;
};

/* How many bits the vector has; 0 if it is not one of bits. */
static unsigned bits_of(LLVMTypeRef type) {
  if (LLVMGetTypeKind(type) != LLVMVectorTypeKind)
    return 0;
  LLVMTypeRef element = LLVMGetElementType(type);
  return LLVMGetTypeKind(element) == LLVMIntegerTypeKind && LLVMGetIntTypeWidth(element) == 1 ? LLVMGetVectorSize(type)
                                                                                              : 0;
}

static LLVMTypeRef integer(const struct bits *b, unsigned bits) {
  return LLVMIntTypeInContext(b->unit->context, bits);
}

static LLVMValueRef index_of(const struct bits *b, unsigned k) {
  return LLVMConstInt(integer(b, 32), k, 0);
}

static LLVMValueRef vector_of(const struct bits *b, LLVMValueRef number, LLVMTypeRef type) {
  LLVMTypeRef whole = LLVMTypeOf(number);
  LLVMValueRef vector = LLVMGetPoison(type);
  for (unsigned k = 0; k < bits_of(type); k++) {
    LLVMValueRef shifted = LLVMBuildLShr(b->builder, number, LLVMConstInt(whole, k, 0), "");
    LLVMValueRef bit = LLVMBuildTrunc(b->builder, shifted, integer(b, 1), "");
    vector = LLVMBuildInsertElement(b->builder, vector, bit, index_of(b, k), "");
  }
  return vector;
}

static LLVMValueRef number_of(const struct bits *b, LLVMValueRef vector, unsigned width) {
  LLVMTypeRef whole = integer(b, width);
  LLVMValueRef number = LLVMConstInt(whole, 0, 0);
  for (unsigned k = 0; k < bits_of(LLVMTypeOf(vector)); k++) {
    LLVMValueRef bit = LLVMBuildExtractElement(b->builder, vector, index_of(b, k), "");
    LLVMValueRef wide = LLVMBuildZExt(b->builder, bit, whole, "");
    number = LLVMBuildOr(b->builder, number, LLVMBuildShl(b->builder, wide, LLVMConstInt(whole, k, 0), ""), "");
  }
  return number;
}

/* In memory, they take whole bytes. */
static unsigned stored_bits(unsigned bits) {
  return (bits + 7) / 8 * 8;
}

static LLVMValueRef split_load(const struct bits *b, LLVMValueRef load, unsigned bits) {
  LLVMValueRef number = LLVMBuildLoad2(b->builder, integer(b, stored_bits(bits)), LLVMGetOperand(load, 0), "");
  LLVMSetAlignment(number, LLVMGetAlignment(load));
  LLVMSetVolatile(number, LLVMGetVolatile(load));
  return vector_of(b, number, LLVMTypeOf(load));
}

static void split_store(const struct bits *b, LLVMValueRef store, unsigned bits) {
  LLVMValueRef number = number_of(b, LLVMGetOperand(store, 0), stored_bits(bits));
  LLVMValueRef split = LLVMBuildStore(b->builder, number, LLVMGetOperand(store, 1));
  LLVMSetAlignment(split, LLVMGetAlignment(store));
  LLVMSetVolatile(split, LLVMGetVolatile(store));
}

static LLVMValueRef split_cast(const struct bits *b, LLVMValueRef cast, unsigned bits_from, unsigned bits_to) {
  LLVMValueRef value = LLVMGetOperand(cast, 0);
  LLVMValueRef number = bits_from ? number_of(b, value, bits_from) : value;
  LLVMTypeRef to = LLVMTypeOf(cast);
  if (!bits_to)
    return LLVMBuildBitCast(b->builder, number, to, "");
  return vector_of(b, LLVMBuildBitCast(b->builder, number, integer(b, bits_to), ""), to);
}

static void split(const struct bits *b, LLVMValueRef i) {
  unsigned bits = bits_of(LLVMTypeOf(LLVMIsAStoreInst(i) ? LLVMGetOperand(i, 0) : i)), from = 0;
  if (LLVMIsABitCastInst(i))
    from = bits_of(LLVMTypeOf(LLVMGetOperand(i, 0)));
  if (!bits && !from)
    return;
  LLVMPositionBuilderBefore(b->builder, i);
  if (LLVMIsAStoreInst(i))
    split_store(b, i, bits);
  else if (LLVMIsALoadInst(i))
    LLVMReplaceAllUsesWith(i, split_load(b, i, bits));
  else if (LLVMIsABitCastInst(i))
    LLVMReplaceAllUsesWith(i, split_cast(b, i, from, bits));
  else
    return;
  LLVMInstructionEraseFromParent(i);
}

int cs_rt_split_bit_vectors(struct cs_rt_unit *unit) {
  struct bits b = {unit, LLVMCreateBuilderInContext(unit->context)};
  for (LLVMValueRef f = LLVMGetFirstFunction(unit->module); f; f = LLVMGetNextFunction(f))
    for (LLVMValueRef i = cs_ir_first(f), next; i; i = next) {
      next = cs_ir_next(i);
      split(&b, i);
    }
  LLVMDisposeBuilder(b.builder);
  return 0;
}
