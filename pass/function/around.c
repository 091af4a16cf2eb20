/* around.c: recognises accesses of libcu++ to the aligned word around a smaller atomic object. */
#include "pass/function/around.h"
#include "ir/instructions.h"
#include "ir/names.h"
#include <stdio.h>
#include <string.h>

enum { MAX_STEPS = 8 }; /* between an address and what it is derived from */

/* clang writes the whole path as the name, cusafe-lift divides it. */
static int is_atomic_header(LLVMMetadataRef scope) {
  unsigned name_length = 0, directory_length = 0;
  LLVMMetadataRef file = scope ? LLVMDIScopeGetFile(scope) : NULL;
  const char *name = file ? LLVMDIFileGetFilename(file, &name_length) : "";
  const char *directory = file ? LLVMDIFileGetDirectory(file, &directory_length) : "";
  char path[4096];
  snprintf(path, sizeof path, "%.*s/%.*s", (int)directory_length, directory ? directory : "", (int)name_length,
           name ? name : "");
  return strstr(path, "cuda/std/__atomic/") != NULL;
}

/* -2 for accesses of 2 bytes, -4 for those of 4. */
static int rounds_to(LLVMValueRef mask, unsigned bytes) {
  return LLVMIsAConstantInt(mask) && LLVMConstIntGetSExtValue(mask) == -(long long)bytes;
}

static int is_mask_call(LLVMValueRef value) {
  LLVMValueRef callee = cs_ir_callee(value);
  return callee && cs_ir_starts_with(cs_ir_name(callee), "llvm.ptrmask.");
}

/* Without optimisation, a local variable may hold a rounded address. */
static int is_loaded_from_local(LLVMValueRef load) {
  LLVMValueRef from = LLVMGetOperand(load, 0);
  while (LLVMIsAGetElementPtrInst(from) || LLVMIsAAddrSpaceCastInst(from))
    from = LLVMGetOperand(from, 0);
  return LLVMIsAAllocaInst(from) != NULL;
}

static enum cs_pass_around trace(LLVMValueRef value, unsigned bytes, LLVMValueRef *from, int depth);

/* One of several values: classified only where none of them is rounded. */
static enum cs_pass_around trace_all(LLVMValueRef value, unsigned first, unsigned count, unsigned bytes, int depth) {
  LLVMValueRef unused;
  for (unsigned i = first; i < first + count; i++) {
    LLVMValueRef one = LLVMIsAPHINode(value) ? LLVMGetIncomingValue(value, i) : LLVMGetOperand(value, i);
    if (one != value && trace(one, bytes, &unused, depth) != CS_PASS_AROUND_NOT)
      return CS_PASS_AROUND_UNKNOWN;
  }
  return CS_PASS_AROUND_NOT;
}

/* An offset may undo or complete the rounding. */
static enum cs_pass_around trace_moved(LLVMValueRef value, unsigned bytes, int depth) {
  LLVMValueRef unused;
  return trace(LLVMGetOperand(value, 0), bytes, &unused, depth) == CS_PASS_AROUND_NOT ? CS_PASS_AROUND_NOT
                                                                                      : CS_PASS_AROUND_UNKNOWN;
}

static enum cs_pass_around trace_instruction(LLVMValueRef value, unsigned bytes, LLVMValueRef *from, int depth) {
  switch (LLVMGetInstructionOpcode(value)) {
  case LLVMAnd:
    *from = LLVMGetOperand(value, 0);
    return rounds_to(LLVMGetOperand(value, 1), bytes) ? CS_PASS_AROUND_ROUNDED : CS_PASS_AROUND_UNKNOWN;
  case LLVMCall:
    *from = LLVMGetOperand(value, 0);
    return is_mask_call(value) && rounds_to(LLVMGetOperand(value, 1), bytes) ? CS_PASS_AROUND_ROUNDED
                                                                             : CS_PASS_AROUND_UNKNOWN;
  case LLVMIntToPtr:
  case LLVMPtrToInt:
  case LLVMAddrSpaceCast:
  case LLVMFreeze:
    return trace(LLVMGetOperand(value, 0), bytes, from, depth);
  case LLVMGetElementPtr:
    return trace_moved(value, bytes, depth);
  case LLVMPHI:
    return trace_all(value, 0, LLVMCountIncoming(value), bytes, depth);
  case LLVMSelect:
    return trace_all(value, 1, 2, bytes, depth);
  case LLVMLoad:
    return is_loaded_from_local(value) ? CS_PASS_AROUND_UNKNOWN : CS_PASS_AROUND_NOT;
  case LLVMAlloca:
    return CS_PASS_AROUND_NOT;
  default:
    return CS_PASS_AROUND_UNKNOWN;
  }
}

static enum cs_pass_around trace(LLVMValueRef value, unsigned bytes, LLVMValueRef *from, int depth) {
  if (depth == 0)
    return CS_PASS_AROUND_UNKNOWN;
  if (LLVMIsAInstruction(value))
    return trace_instruction(value, bytes, from, depth - 1);
  if (LLVMIsAArgument(value))
    return is_atomic_header(LLVMGetSubprogram(LLVMGetParamParent(value))) ? CS_PASS_AROUND_UNKNOWN : CS_PASS_AROUND_NOT;
  return LLVMIsAGlobalVariable(value) ? CS_PASS_AROUND_NOT : CS_PASS_AROUND_UNKNOWN;
}

enum cs_pass_around cs_pass_word_around(LLVMValueRef instruction, LLVMValueRef address, unsigned bytes,
                                        LLVMValueRef *from) {
  LLVMMetadataRef line = LLVMInstructionGetDebugLoc(instruction);
  if ((bytes != 2 && bytes != 4) || !line || !is_atomic_header(LLVMDILocationGetScope(line)))
    return CS_PASS_AROUND_NOT;
  return trace(address, bytes, from, MAX_STEPS);
}
