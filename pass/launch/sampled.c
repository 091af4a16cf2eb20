/* sampled.c: decides whether a bare copy may run among checked launches, and removes marks in it. */
#include "pass/launch/sampled.h"
#include "cusafe/ir.h"
#include "ir/instructions.h"
#include "ir/map.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "ir/names.h"
#include "pass/bridge/version.h"
#include "pass/module/build.h"
#include "pass/variables/objects.h"
#include <stdlib.h>
#include <string.h>

static int is_bare(LLVMValueRef function) {
  return cs_ir_starts_with(cs_ir_name(function), CS_PASS_BARE_PREFIX);
}

/* ---- pointers ---- */

/* Pointers in other spaces have 32 bits, or no bounds, and never a mark. */
static int is_wide_pointer(LLVMTypeRef type) {
  LLVMTypeKind kind = LLVMGetTypeKind(type);
  if (kind == LLVMVectorTypeKind)
    return is_wide_pointer(LLVMGetElementType(type));
  return kind == LLVMPointerTypeKind && LLVMGetPointerAddressSpace(type) <= CS_IR_SPACE_GLOBAL;
}

static LLVMValueRef root_of(LLVMValueRef pointer) {
  while (LLVMIsAGetElementPtrInst(pointer) || LLVMIsAAddrSpaceCastInst(pointer) || LLVMIsAConstantExpr(pointer))
    pointer = LLVMGetOperand(pointer, 0);
  return pointer;
}

/* No other launch sees this memory. */
static int is_of_launch(LLVMValueRef pointer) {
  LLVMValueRef root = root_of(pointer);
  unsigned space = cs_ir_space_of(root);
  return LLVMIsAAllocaInst(root) || space == CS_IR_SPACE_SHARED || space == CS_IR_SPACE_LOCAL;
}

/* ---- what may not run bare ---- */

/* Whether the integer, derived from a pointer, is only compared or measured. */
static int is_only_measured(LLVMValueRef integer) {
  for (LLVMUseRef use = LLVMGetFirstUse(integer); use; use = LLVMGetNextUse(use))
    switch (LLVMGetInstructionOpcode(LLVMGetUser(use))) {
    case LLVMICmp:
    case LLVMSub:
    case LLVMAnd:
    case LLVMLShr:
    case LLVMTrunc:
    case LLVMURem:
      break;
    default:
      return 0;
    }
  return 1;
}

/* Whether another launch may load the pointer from there. The addresses of variables and the program's own arguments
 * need no mark. */
static int stores_pointer(LLVMValueRef to, LLVMValueRef value) {
  int is_plain = LLVMIsConstant(value) || (LLVMIsAArgument(value) && cs_ir_is_kernel(LLVMGetParamParent(value)));
  return is_wide_pointer(LLVMTypeOf(value)) && !is_plain && !is_of_launch(to);
}

/* A variable that has pointers may be copied as a whole. */
static int copies_variable(LLVMValueRef call) {
  LLVMValueRef callee = cs_ir_callee(call);
  return callee &&
         (cs_ir_starts_with(cs_ir_name(callee), "llvm.memcpy") ||
          cs_ir_starts_with(cs_ir_name(callee), "llvm.memmove")) &&
         LLVMIsAAllocaInst(root_of(LLVMGetOperand(call, 1))) && !is_of_launch(LLVMGetOperand(call, 0));
}

/* Code whose pointers have no marks, and that does not expect any: the bare copies, LLVM's functions, and those of the
 * toolkit that print. */
static int may_call(LLVMValueRef call) {
  static const char *const prefixes[] = {"llvm.", "__nv", "vprintf", "__assertfail", "__assert_fail"};
  LLVMValueRef callee = LLVMGetCalledValue(call);
  if (LLVMIsAInlineAsm(callee))
    return 1;
  if (!LLVMIsAFunction(callee))
    return 0;
  if (!LLVMIsDeclaration(callee))
    return is_bare(callee);
  for (size_t i = 0; i < sizeof prefixes / sizeof *prefixes; i++)
    if (cs_ir_starts_with(cs_ir_name(callee), prefixes[i]))
      return 1;
  return 0;
}

static int may_run(LLVMValueRef i) {
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMStore:
    return !stores_pointer(LLVMGetOperand(i, 1), LLVMGetOperand(i, 0));
  case LLVMAtomicRMW:
    return !stores_pointer(LLVMGetOperand(i, 0), LLVMGetOperand(i, 1));
  case LLVMAtomicCmpXchg:
    return !stores_pointer(LLVMGetOperand(i, 0), LLVMGetOperand(i, 2));
  case LLVMPtrToInt:
    return is_only_measured(i);
  case LLVMCall:
    return may_call(i) && !copies_variable(i);
  default:
    return 1;
  }
}

/* Whether the function, and the copies that it calls, may run among checked launches. seen: those that were visited. */
static int all_may_run(LLVMValueRef function, struct cs_ir_map *seen) {
  if (cs_ir_map_get(seen, function))
    return 1;
  cs_ir_map_set(seen, function, function);
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i)) {
    LLVMValueRef callee = cs_ir_callee(i);
    if (!may_run(i) || (callee && !LLVMIsDeclaration(callee) && !all_may_run(callee, seen)))
      return 0;
  }
  return 1;
}

/* ---- marks ---- */

/* The host's values. */
static int is_parameter(LLVMValueRef pointer) {
  LLVMValueRef root = root_of(pointer);
  return LLVMIsAArgument(root) && cs_pass_parameter_attribute(root, "byval");
}

/* Whether another launch may have stored the pointer that this instruction results in. */
static int may_have_mark(LLVMValueRef i) {
  if (!is_wide_pointer(LLVMTypeOf(i)) || LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMVectorTypeKind)
    return 0;
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMLoad:
    return !is_of_launch(LLVMGetOperand(i, 0)) && !is_parameter(LLVMGetOperand(i, 0));
  case LLVMIntToPtr:
    return !LLVMIsAPtrToIntInst(LLVMGetOperand(i, 0));
  case LLVMExtractElement:
  case LLVMExtractValue:
  case LLVMAtomicRMW:
    return 1;
  default:
    return 0;
  }
}

/* cs_strip() of layout.h. */
static void remove_mark(struct cs_pass *pass, LLVMValueRef pointer) {
  LLVMBuilderRef b = pass->builder;
  LLVMTypeRef type = LLVMTypeOf(pointer);
  cs_pass_build_before(pass, LLVMGetNextInstruction(pointer), pointer);
  LLVMValueRef bits = LLVMBuildPtrToInt(b, pointer, pass->i64, "");
  LLVMValueRef upper = LLVMBuildLShr(b, bits, cs_pass_constant(pass->i64, CS_ADDRESS_BITS), "");
  LLVMValueRef ours =
      LLVMBuildAnd(b, upper, cs_pass_constant(pass->i64, (CS_MARK | CS_OBJECT_BIT) >> CS_ADDRESS_BITS), "");
  LLVMValueRef has = LLVMBuildICmp(b, LLVMIntNE, ours, cs_pass_constant(pass->i64, 0), "");
  LLVMValueRef native = LLVMBuildICmp(b, LLVMIntNE, upper, cs_pass_constant(pass->i64, ~0ull >> CS_ADDRESS_BITS), "");
  LLVMValueRef address = LLVMBuildAnd(b, bits, cs_pass_constant(pass->i64, CS_ADDRESS_MASK), "");
  LLVMValueRef plain = LLVMBuildSelect(b, LLVMBuildAnd(b, has, native, ""), address, bits, "");
  LLVMValueRef made = LLVMBuildIntToPtr(b, plain, type, "");
  LLVMReplaceAllUsesWith(pointer, made);
  LLVMSetOperand(bits, 0, pointer);
}

/* In the function, and in the copies that it calls. done: those in which it has. */
static void remove_marks(struct cs_pass *pass, LLVMValueRef function, struct cs_ir_map *done) {
  if (cs_ir_map_get(done, function))
    return;
  cs_ir_map_set(done, function, function);
  for (LLVMValueRef i = cs_ir_first(function), next; i; i = next) {
    next = cs_ir_next(i);
    LLVMValueRef callee = cs_ir_callee(i);
    if (callee && !LLVMIsDeclaration(callee))
      remove_marks(pass, callee, done);
    if (may_have_mark(i))
      remove_mark(pass, i);
  }
}

/* ---- the form ---- */

static void make_form(LLVMValueRef bare) {
  size_t length, prefix = sizeof CS_PASS_BARE_PREFIX - 1;
  const char *name = LLVMGetValueName2(bare, &length);
  char *made = cs_ir_allocate(1, length - prefix + sizeof CS_BARE_SUFFIX);
  memcpy(made, name + prefix, length - prefix);
  memcpy(made + length - prefix, CS_BARE_SUFFIX, sizeof CS_BARE_SUFFIX);
  LLVMSetValueName2(bare, made, strlen(made));
  LLVMSetLinkage(bare, LLVMExternalLinkage);
  free(made);
}

void cs_pass_sampled_make(struct cs_pass *pass) {
  struct cs_ir_map done = {0};
  LLVMValueRef *forms = NULL;
  size_t count = 0;
  for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f)) {
    struct cs_ir_map seen = {0};
    if (cs_ir_is_kernel(f) && is_bare(f) && all_may_run(f, &seen))
      cs_ir_push(forms, count, f);
    cs_ir_map_free(&seen);
  }
  for (size_t i = 0; i < count; i++) {
    remove_marks(pass, forms[i], &done);
    make_form(forms[i]);
  }
  cs_ir_map_free(&done);
  free(forms);
}
