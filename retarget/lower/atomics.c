/* atomics.c: atomic operations in the forms that the engine supports, and atomic loads and stores. */
#include "retarget/lower/steps.h"
#include "retarget/unit/instructions.h"
#include "retarget/unit/library.h"
#include "retarget/unit/refuse.h"
#include <stdio.h>
#include <string.h>

struct rewriter {
  struct cs_rt_unit *unit;
  LLVMBuilderRef builder;
};

static unsigned bits_of(struct rewriter *r, LLVMValueRef value) {
  return (unsigned)LLVMSizeOfTypeInBits(r->unit->layout, LLVMTypeOf(value));
}

/* The name of the support library's loop for an operation; NULL if the engine supports it for 32 and 64 bits. */
static const char *loop_name(LLVMAtomicRMWBinOp op) {
  switch (op) {
  case LLVMAtomicRMWBinOpNand:
    return "nand";
  case LLVMAtomicRMWBinOpUIncWrap:
    return "uinc";
  case LLVMAtomicRMWBinOpUDecWrap:
    return "udec";
  case LLVMAtomicRMWBinOpFAdd:
    return "fadd";
  case LLVMAtomicRMWBinOpFSub:
    return "fsub";
  case LLVMAtomicRMWBinOpFMax:
    return "fmax";
  case LLVMAtomicRMWBinOpFMin:
    return "fmin";
  default:
    return NULL;
  }
}
static const char *narrow_name(LLVMAtomicRMWBinOp op) {
  switch (op) {
  case LLVMAtomicRMWBinOpXchg:
    return "xchg";
  case LLVMAtomicRMWBinOpAdd:
    return "add";
  case LLVMAtomicRMWBinOpSub:
    return "sub";
  case LLVMAtomicRMWBinOpAnd:
    return "and";
  case LLVMAtomicRMWBinOpOr:
    return "or";
  case LLVMAtomicRMWBinOpXor:
    return "xor";
  case LLVMAtomicRMWBinOpMax:
    return "max";
  case LLVMAtomicRMWBinOpMin:
    return "min";
  case LLVMAtomicRMWBinOpUMax:
    return "umax";
  case LLVMAtomicRMWBinOpUMin:
    return "umin";
  default:
    return loop_name(op);
  }
}

static void call_loop(struct rewriter *r, LLVMValueRef atomic, const char *op, const char *kind) {
  char name[32];
  LLVMValueRef args[] = {LLVMGetOperand(atomic, 0), LLVMGetOperand(atomic, 1)};
  snprintf(name, sizeof name, "atomic_%s_%s%u", op, kind, bits_of(r, args[1]));
  LLVMValueRef made = cs_rt_call_library(r->unit, r->builder, name, args, 2, LLVMTypeOf(atomic));
  if (!made) {
    cs_rt_refuse(r->unit, atomic, name + strlen("atomic_"));
    return;
  }
  LLVMReplaceAllUsesWith(atomic, made);
  LLVMInstructionEraseFromParent(atomic);
}

/* Floats and pointers are exchanged as integers. */
static void exchange_bits(struct rewriter *r, LLVMValueRef atomic) {
  LLVMValueRef value = LLVMGetOperand(atomic, 1);
  LLVMTypeRef type = LLVMTypeOf(value), bits = LLVMIntTypeInContext(r->unit->context, bits_of(r, value));
  int is_pointer = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
  value = is_pointer ? LLVMBuildPtrToInt(r->builder, value, bits, "") : LLVMBuildBitCast(r->builder, value, bits, "");
  LLVMValueRef made = LLVMBuildAtomicRMW(r->builder, LLVMAtomicRMWBinOpXchg, LLVMGetOperand(atomic, 0), value,
                                         LLVMAtomicOrderingSequentiallyConsistent, 0);
  LLVMReplaceAllUsesWith(atomic, is_pointer ? LLVMBuildIntToPtr(r->builder, made, type, "")
                                            : LLVMBuildBitCast(r->builder, made, type, ""));
  LLVMInstructionEraseFromParent(atomic);
}

static void rewrite_rmw(struct rewriter *r, LLVMValueRef atomic) {
  LLVMAtomicRMWBinOp op = LLVMGetAtomicRMWBinOp(atomic);
  LLVMTypeKind kind = LLVMGetTypeKind(LLVMTypeOf(atomic));
  unsigned bits = bits_of(r, LLVMGetOperand(atomic, 1));
  if (op == LLVMAtomicRMWBinOpXchg && kind != LLVMIntegerTypeKind && bits >= 32)
    exchange_bits(r, atomic);
  else if (kind == LLVMHalfTypeKind || kind == LLVMFloatTypeKind || kind == LLVMDoubleTypeKind)
    call_loop(r, atomic, narrow_name(op) ? narrow_name(op) : "unknown", "f");
  else if (kind != LLVMIntegerTypeKind || bits > 64)
    cs_rt_refuse(r->unit, atomic, "atomic operation of this type");
  else if (bits < 32)
    call_loop(r, atomic, narrow_name(op) ? narrow_name(op) : "unknown", "");
  else if (loop_name(op))
    call_loop(r, atomic, loop_name(op), "");
  else if (!narrow_name(op))
    cs_rt_refuse(r->unit, atomic, "atomic operation of this kind");
}

static void rewrite_cmpxchg(struct rewriter *r, LLVMValueRef atomic) {
  LLVMValueRef args[] = {LLVMGetOperand(atomic, 0), LLVMGetOperand(atomic, 1), LLVMGetOperand(atomic, 2)};
  LLVMTypeRef type = LLVMTypeOf(args[1]), integer = LLVMIntTypeInContext(r->unit->context, bits_of(r, args[1]));
  int is_pointer = LLVMGetTypeKind(type) == LLVMPointerTypeKind;
  unsigned bits = bits_of(r, args[1]);
  const LLVMAtomicOrdering order = LLVMAtomicOrderingSequentiallyConsistent;
  char name[16];
  if (bits > 64) {
    cs_rt_refuse(r->unit, atomic, "128-bit compare-and-swap");
    return;
  }
  if (bits >= 32 && !is_pointer)
    return;
  LLVMValueRef old;
  if (is_pointer) {
    for (int i = 1; i < 3; i++)
      args[i] = LLVMBuildPtrToInt(r->builder, args[i], integer, "");
    LLVMValueRef pair = LLVMBuildAtomicCmpXchg(r->builder, args[0], args[1], args[2], order, order, 0);
    old = LLVMBuildExtractValue(r->builder, pair, 0, "");
  } else {
    snprintf(name, sizeof name, "cas_%u", bits);
    old = cs_rt_call_library(r->unit, r->builder, name, args, 3, type);
  }
  LLVMValueRef same = LLVMBuildICmp(r->builder, LLVMIntEQ, old, args[1], "");
  if (is_pointer)
    old = LLVMBuildIntToPtr(r->builder, old, type, "");
  LLVMValueRef pair = LLVMBuildInsertValue(r->builder, LLVMGetPoison(LLVMTypeOf(atomic)), old, 0, "");
  LLVMReplaceAllUsesWith(atomic, LLVMBuildInsertValue(r->builder, pair, same, 1, ""));
  LLVMInstructionEraseFromParent(atomic);
}

/* A naturally aligned access is atomic on the CPU; fences order it. */
static void rewrite_access(struct rewriter *r, LLVMValueRef access) {
  if (LLVMGetOrdering(access) == LLVMAtomicOrderingNotAtomic)
    return;
  const LLVMAtomicOrdering order = LLVMAtomicOrderingSequentiallyConsistent;
  int ordered = LLVMGetOrdering(access) > LLVMAtomicOrderingMonotonic;
  LLVMSetOrdering(access, LLVMAtomicOrderingNotAtomic);
  LLVMSetVolatile(access, 1);
  if (!ordered)
    return;
  LLVMBuildFence(r->builder, order, 0, "");
  LLVMPositionBuilderBefore(r->builder, LLVMGetNextInstruction(access));
  LLVMBuildFence(r->builder, order, 0, "");
}

static void rewrite(LLVMValueRef instruction, void *with) {
  struct rewriter *r = with;
  LLVMPositionBuilderBefore(r->builder, instruction);
  switch (LLVMGetInstructionOpcode(instruction)) {
  case LLVMAtomicRMW:
    rewrite_rmw(r, instruction);
    break;
  case LLVMAtomicCmpXchg:
    rewrite_cmpxchg(r, instruction);
    break;
  case LLVMLoad:
  case LLVMStore:
    rewrite_access(r, instruction);
    break;
  default:
    break;
  }
}

int cs_rt_lower_atomics(struct cs_rt_unit *unit) {
  struct rewriter rewriter = {unit, LLVMCreateBuilderInContext(unit->context)};
  cs_rt_each_instruction(unit->module, rewrite, &rewriter);
  LLVMDisposeBuilder(rewriter.builder);
  return 0;
}
