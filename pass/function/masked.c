/* masked.c: splits vector accesses under a constant mask, into which LLVM merges neighbouring accesses with gaps. */
#include "pass/function/masked.h"
#include "ir/instructions.h"
#include "ir/names.h"
#include "pass/function/access.h"
#include <llvm-c/Target.h>

struct masked {
  LLVMValueRef call, pointer, mask;
  LLVMValueRef value; /* the stored vector, or the result of lanes that are off */
  LLVMTypeRef element;
  int stores;
};

static int is_mask(LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value);
  return LLVMGetTypeKind(type) == LLVMVectorTypeKind &&
         LLVMGetTypeKind(LLVMGetElementType(type)) == LLVMIntegerTypeKind &&
         LLVMGetIntTypeWidth(LLVMGetElementType(type)) == 1;
}

static int recognise(LLVMValueRef call, struct masked *m) {
  LLVMValueRef callee = cs_ir_callee(call);
  const char *name = callee ? cs_ir_name(callee) : "";
  int loads = cs_ir_starts_with(name, "llvm.masked.load.");
  int stores = cs_ir_starts_with(name, "llvm.masked.store.");
  if ((!loads && !stores) || LLVMGetNumArgOperands(call) < 3)
    return 0;
  *m = (struct masked){.call = call, .stores = stores};
  m->pointer = LLVMGetOperand(call, stores ? 1 : 0);
  m->mask = LLVMGetOperand(call, stores ? 2 : 1);
  m->value = LLVMGetOperand(call, stores ? 0 : 2);
  m->element = LLVMGetElementType(LLVMTypeOf(m->value));
  return is_mask(m->mask) && LLVMIsConstant(m->mask);
}

static int is_on(const struct masked *m, unsigned lane) {
  LLVMValueRef bit = LLVMGetAggregateElement(m->mask, lane);
  return bit != NULL && !LLVMIsNull(bit);
}

/* The alignment of an address at this offset from an aligned one. */
static unsigned align_at(unsigned align, unsigned long long offset) {
  unsigned long long both = align | offset;
  return (unsigned)(both & (~both + 1));
}

static LLVMValueRef number(const struct masked *m, unsigned value) {
  return LLVMConstInt(LLVMInt32TypeInContext(LLVMGetTypeContext(m->element)), value, 0);
}

/* Lanes first ... first + count - 1 of the vector. */
static LLVMValueRef pack(const struct masked *m, LLVMBuilderRef builder, unsigned first, unsigned count) {
  LLVMValueRef part = LLVMGetPoison(LLVMVectorType(m->element, count));
  if (count == 1)
    return LLVMBuildExtractElement(builder, m->value, number(m, first), "");
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef lane = LLVMBuildExtractElement(builder, m->value, number(m, first + i), "");
    part = LLVMBuildInsertElement(builder, part, lane, number(m, i), "");
  }
  return part;
}

static LLVMValueRef unpack(const struct masked *m, LLVMBuilderRef builder, LLVMValueRef into, LLVMValueRef part,
                           unsigned first, unsigned count) {
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef lane = count == 1 ? part : LLVMBuildExtractElement(builder, part, number(m, i), "");
    into = LLVMBuildInsertElement(builder, into, lane, number(m, first + i), "");
  }
  return into;
}

static LLVMValueRef access_run(const struct masked *m, LLVMBuilderRef builder, LLVMValueRef result, unsigned first,
                               unsigned count) {
  LLVMTargetDataRef layout = LLVMGetModuleDataLayout(LLVMGetGlobalParent(LLVMGetCalledValue(m->call)));
  unsigned align =
      align_at(cs_pass_argument_align(m->call, m->stores ? 1 : 0), first * LLVMStoreSizeOfType(layout, m->element));
  LLVMValueRef index = number(m, first);
  LLVMValueRef address = LLVMBuildInBoundsGEP2(builder, m->element, m->pointer, &index, 1, "");
  if (m->stores) {
    LLVMSetAlignment(LLVMBuildStore(builder, pack(m, builder, first, count), address), align);
    return result;
  }
  LLVMTypeRef type = count == 1 ? m->element : LLVMVectorType(m->element, count);
  LLVMValueRef part = LLVMBuildLoad2(builder, type, address, "");
  LLVMSetAlignment(part, align);
  return unpack(m, builder, result, part, first, count);
}

static void expand(const struct masked *m, LLVMBuilderRef builder) {
  unsigned lanes = LLVMGetVectorSize(LLVMTypeOf(m->value));
  LLVMValueRef result = m->value;
  LLVMPositionBuilderBefore(builder, m->call);
  for (unsigned first = 0, end; first < lanes; first = end) {
    for (end = first; end < lanes && is_on(m, end);)
      end++;
    if (end == first)
      end++;
    else
      result = access_run(m, builder, result, first, end - first);
  }
  if (!m->stores)
    LLVMReplaceAllUsesWith(m->call, result);
  LLVMInstructionEraseFromParent(m->call);
}

int cs_pass_expand_masked(struct cs_pass_function *f) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(f->value)));
  for (LLVMValueRef i = cs_ir_first(f->value), next; i; i = next) {
    struct masked m;
    next = cs_ir_next(i);
    if (recognise(i, &m))
      expand(&m, builder);
  }
  LLVMDisposeBuilder(builder);
  return 0;
}
