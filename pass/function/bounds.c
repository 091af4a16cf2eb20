/* bounds.c: the bounds of a root, as code at the builder's position computes them. */
#include "pass/function/bounds.h"
#include "cusafe/check.h"
#include "pass/module/build.h"
#include "pass/module/runtime.h"

/* Where kernels free, a size holds only for the access that follows. */
struct cs_pass_bounds cs_pass_bounds_read(struct cs_pass *pass, LLVMValueRef pointer) {
  int is_virtual = cs_pass_is_virtual_pointer(pointer);
  struct cs_pass_bounds b;
  b.address = LLVMBuildPtrToInt(pass->builder, cs_pass_generic(pass, pointer), pass->i64, "");
  b.start = is_virtual ? cs_pass_constant(pass->i64, CS_NULL_BYTES)
                       : cs_pass_runtime_call(pass, CS_PASS_RUNTIME_START, &b.address);
  b.size = cs_pass_runtime_call(pass,
                                is_virtual        ? CS_PASS_RUNTIME_SIZE_VIRTUAL
                                : pass->uses_heap ? CS_PASS_RUNTIME_SIZE_NOW
                                                  : CS_PASS_RUNTIME_SIZE,
                                &b.address);
  return b;
}

LLVMValueRef cs_pass_bounds_limit(struct cs_pass *pass, LLVMValueRef size, cs_u64 bytes) {
  LLVMValueRef arguments[] = {size, cs_pass_constant(pass->i64, bytes)};
  if (!LLVMIsAConstantInt(size))
    return cs_pass_runtime_call(pass, CS_PASS_RUNTIME_LIMIT, arguments);
  cs_u64 known = LLVMConstIntGetZExtValue(size);
  return cs_pass_constant(pass->i64, known >= bytes ? known - (bytes - 1) : 0);
}

LLVMValueRef cs_pass_bounds_aligned(struct cs_pass *pass, LLVMValueRef limit, LLVMValueRef address, unsigned align) {
  LLVMValueRef arguments[] = {limit, address, cs_pass_constant(pass->i64, align)};
  return cs_pass_runtime_call(pass, CS_PASS_RUNTIME_ALIGNED, arguments);
}

LLVMValueRef cs_pass_bounds_index(struct cs_pass *pass, const struct cs_pass_bounds *bounds, LLVMValueRef limit,
                                  const struct cs_pass_index *index) {
  LLVMValueRef arguments[] = {
      bounds->address,
      bounds->start,
      cs_pass_constant(pass->i64, (cs_u64)index->offset),
      cs_pass_constant(pass->i32, index->shift),
      cs_pass_constant(pass->i64, index->is_unsigned ? CS_INDEX_UNSIGNED_END : CS_INDEX_END),
      limit,
  };
  return cs_pass_runtime_call(pass, CS_PASS_RUNTIME_INDEX_BOUND, arguments);
}
