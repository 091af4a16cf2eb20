/* access.c: reads a function's instructions and lists the operands that the pass rewrites. */
#include "pass/function/access.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "ir/names.h"
#include "pass/function/detector.h"
#include "pass/function/numbers.h"
#include "pass/function/ptx.h"
#include "pass/module/marks.h"
#include "pass/variables/lent.h"
#include "pass/variables/markers.h"
#include <stdlib.h>
#include <string.h>

static int is_flat_pointer(LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value);
  return LLVMGetTypeKind(type) == LLVMPointerTypeKind && LLVMGetPointerAddressSpace(type) <= 1;
}

unsigned cs_pass_argument_align(LLVMValueRef call, unsigned argument) {
  unsigned kind = cs_ir_attribute_kind("align");
  LLVMAttributeRef align = LLVMGetCallSiteEnumAttribute(call, argument + 1, kind);
  return align ? (unsigned)LLVMGetEnumAttributeValue(align) : 1;
}

/* The alignment that the instruction requires of one of its pointers: loads, stores and atomics state it, copies by an
 * attribute of the argument. */
static unsigned align_of(LLVMValueRef i, unsigned operand) {
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMLoad:
  case LLVMStore:
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
    return LLVMGetAlignment(i);
  case LLVMCall:
    return cs_pass_argument_align(i, operand);
  default:
    return 1;
  }
}

/* LLVM may know a larger alignment than a GPU requires, which is the size of the access, and at most that of its widest
 * access. Only what the hardware would trap on is an error. */
#define MAX_ACCESS 16
static unsigned needed_align(unsigned known, cs_u64 bytes) {
  cs_u64 needed = bytes == 0 || bytes > MAX_ACCESS ? MAX_ACCESS : bytes;
  while (known > needed)
    known /= 2;
  return known;
}

static void add_number(struct cs_pass_collected *c, struct cs_pass *pass, LLVMValueRef i, unsigned operand) {
  LLVMValueRef pointer = LLVMGetOperand(i, operand);
  if (is_flat_pointer(pointer) && !LLVMIsConstant(pointer) && !cs_pass_ptx_is_checked(pass, pointer))
    cs_ir_push(c->numbers, c->number_count, (struct cs_pass_pointer_use){i, operand, NULL, NULL});
}

/* In code that the user leaves unchecked, an access needs a plain address, as in code that is not instrumented. */
static void add_access(struct cs_pass_collected *c, struct cs_pass *pass, LLVMValueRef i, unsigned operand,
                       enum cs_access access, cs_u64 bytes, LLVMValueRef length) {
  if (LLVMGetTypeKind(LLVMTypeOf(LLVMGetOperand(i, operand))) != LLVMPointerTypeKind || (bytes == 0 && length == NULL))
    return;
  if (cs_pass_ignored(&pass->ignore, i)) {
    c->ignored++;
    add_number(c, pass, i, operand);
    return;
  }
  unsigned align = pass->options->skips & 1u << CS_PASS_SKIP_ALIGNMENT ? 1 : needed_align(align_of(i, operand), bytes);
  cs_ir_push(
      c->accesses, c->access_count,
      (struct cs_pass_access_item){
          .instruction = i, .operand = operand, .access = access, .bytes = bytes, .align = align, .length = length});
}

void cs_pass_add_escape(struct cs_pass_collected *c, LLVMValueRef i, unsigned operand) {
  if (is_flat_pointer(LLVMGetOperand(i, operand)))
    cs_ir_push(c->escapes, c->escape_count, (struct cs_pass_pointer_use){i, operand, NULL, NULL});
}

static cs_u64 bytes_of(struct cs_pass *pass, LLVMTypeRef type) {
  return LLVMStoreSizeOfType(pass->layout, type);
}

/* memcpy, memmove and memset. A constant length is treated as the size of an access if the sink is large enough for it.
 * An operand in shared or local memory comes last: contain-in-spaces changes an access that follows its check. */
static void collect_memory_intrinsic(struct cs_pass_collected *c, struct cs_pass *pass, LLVMValueRef call,
                                     int has_source) {
  LLVMValueRef length = LLVMGetOperand(call, 2);
  cs_u64 bytes = 0;
  if (LLVMIsAConstantInt(length)) {
    bytes = LLVMConstIntGetZExtValue(length);
    length = bytes > 0 && bytes <= CS_SINK_BYTES / 2 ? NULL : bytes > 0 ? length : NULL;
  }
  cs_u64 fixed = length == NULL ? bytes : 0;
  int source_first = has_source && fixed && !is_flat_pointer(LLVMGetOperand(call, 0));
  if (source_first)
    add_access(c, pass, call, 1, CS_ACCESS_READ, fixed, length);
  add_access(c, pass, call, 0, CS_ACCESS_WRITE, fixed, length);
  if (has_source && !source_first)
    add_access(c, pass, call, 1, CS_ACCESS_READ, fixed, length);
}

static int has_argument_attribute(LLVMValueRef call, unsigned argument, const char *name) {
  return LLVMGetCallSiteEnumAttribute(call, argument + 1, cs_ir_attribute_kind(name)) != NULL;
}

/* Instrumented code takes pointers in their escaping form, any other code plain addresses. A structure passed by value
 * is copied, the memory for a result is the caller's, and a lent variable is known to the callee: none needs
 * rewriting. */
static void collect_arguments(struct cs_pass_collected *c, struct cs_pass *pass, LLVMValueRef call, int instrumented) {
  for (unsigned a = 0; a < LLVMGetNumArgOperands(call); a++) {
    if (has_argument_attribute(call, a, "byval") || has_argument_attribute(call, a, "sret") || cs_pass_is_lent(call, a))
      continue;
    if (instrumented)
      cs_pass_add_escape(c, call, a);
    else
      add_number(c, pass, call, a);
  }
}

/* cp.async.XX.shared.global.16 copies from global to shared memory; with ".s" it may read fewer bytes and writes zeros
 * for the rest. */
static int collect_copy(struct cs_pass_collected *c, struct cs_pass *pass, LLVMValueRef call, const char *name) {
  static const char *const prefixes[] = {"llvm.nvvm.cp.async.ca.shared.global.",
                                         "llvm.nvvm.cp.async.cg.shared.global."};
  if (!cs_ir_starts_with(name, prefixes[0]) && !cs_ir_starts_with(name, prefixes[1]))
    return 0;
  char *end;
  cs_u64 bytes = strtoull(name + strlen(prefixes[0]), &end, 10);
  if (*end == '\0')
    add_access(c, pass, call, 1, CS_ACCESS_READ, bytes, NULL);
  else
    add_number(c, pass, call, 1);
  add_access(c, pass, call, 0, CS_ACCESS_WRITE, bytes, NULL);
  return 1;
}

static void collect_intrinsic(struct cs_pass_collected *c, struct cs_pass *pass, LLVMValueRef call, const char *name) {
  if (cs_ir_starts_with(name, "llvm.memcpy.") || cs_ir_starts_with(name, "llvm.memmove."))
    collect_memory_intrinsic(c, pass, call, 1);
  else if (cs_ir_starts_with(name, "llvm.memset."))
    collect_memory_intrinsic(c, pass, call, 0);
  else if (cs_ir_starts_with(name, "llvm.nvvm.atomic."))
    add_access(c, pass, call, 0, CS_ACCESS_ATOMIC, bytes_of(pass, LLVMTypeOf(call)), NULL);
  else if (cs_ir_starts_with(name, "llvm.nvvm.ldg.") || cs_ir_starts_with(name, "llvm.nvvm.ldu."))
    add_access(c, pass, call, 0, CS_ACCESS_READ, bytes_of(pass, LLVMTypeOf(call)), NULL);
  else if (!collect_copy(c, pass, call, name) && !cs_ir_starts_with(name, "llvm.ptrmask") &&
           !cs_ir_starts_with(name, "llvm.launder") && !cs_ir_starts_with(name, "llvm.strip"))
    collect_arguments(c, pass, call, 0);
}

static int is_claimed(struct cs_pass_collected *c, struct cs_pass *pass, LLVMValueRef call) {
  for (size_t i = 0; pass->detectors[i]; i++)
    if (pass->detectors[i]->collect && pass->detectors[i]->collect(pass, &c->found[i], call))
      return 1;
  return 0;
}

static void collect_call(struct cs_pass_collected *c, struct cs_pass *pass, LLVMValueRef call) {
  LLVMValueRef callee = LLVMGetCalledValue(call), function = LLVMIsAFunction(callee);
  const char *name = function ? cs_ir_name(function) : "";
  LLVMValueRef run_time_length;
  enum cs_access access;
  cs_u64 bytes;
  if (cs_pass_marker_of(call) != CS_PASS_NO_MARKER || cs_ir_starts_with(name, "llvm.dbg.") ||
      cs_ir_starts_with(name, "llvm.assume"))
    return;
  if (is_claimed(c, pass, call))
    return;
  if (cs_pass_ptx_access(pass, call, &access, &bytes, &run_time_length))
    add_access(c, pass, call, 0, access, bytes, run_time_length);
  else if (cs_ir_starts_with(name, "llvm."))
    collect_intrinsic(c, pass, call, name);
  else
    collect_arguments(c, pass, call, !LLVMIsAInlineAsm(callee) && !(function && LLVMIsDeclaration(function)));
}

/* Null or another constant of the program that is not the address of a variable. */
static int is_sentinel(LLVMValueRef value) {
  if (!LLVMIsConstant(value))
    return 0;
  while (LLVMIsAConstantExpr(value))
    value = LLVMGetOperand(value, 0);
  return !LLVMIsAGlobalVariable(value);
}

/* No marked pointer is null, and sentinels of the program are tested for equality unchanged. Whether a pointer is below
 * or above a constant concerns its address: LLVM writes a test of the upper bits so. */
static void collect_comparison(struct cs_pass_collected *c, struct cs_pass *pass, LLVMValueRef compare) {
  int is_equality = LLVMGetICmpPredicate(compare) == LLVMIntEQ || LLVMGetICmpPredicate(compare) == LLVMIntNE;
  int constants[] = {is_sentinel(LLVMGetOperand(compare, 0)), is_sentinel(LLVMGetOperand(compare, 1))};
  for (unsigned k = 0; k < 2 && !(is_equality && (constants[0] || constants[1])); k++)
    if (!constants[k])
      add_number(c, pass, compare, k);
}

/* Sentinels of the program are compared unchanged, even where LLVM has converted the pointers to integers. */
static int only_meets_constants(LLVMValueRef number) {
  for (LLVMUseRef use = LLVMGetFirstUse(number); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    int compares =
        LLVMIsAICmpInst(user) && (LLVMIsConstant(LLVMGetOperand(user, 0)) || LLVMIsConstant(LLVMGetOperand(user, 1)));
    if (!compares && !LLVMIsASwitchInst(user))
      return 0;
  }
  return 1;
}

static int only_concerns_addresses(LLVMValueRef number) {
  for (LLVMUseRef use = LLVMGetFirstUse(number); use; use = LLVMGetNextUse(use))
    if (!cs_pass_concerns_addresses(LLVMGetUser(use)))
      return 0;
  return 1;
}

static void collect_number(struct cs_pass_collected *c, struct cs_pass *pass, LLVMValueRef number) {
  if (only_concerns_addresses(number))
    add_number(c, pass, number, 0);
  else if (only_meets_constants(number))
    return;
  else
    cs_pass_add_escape(c, number, 0);
}

static void collect_instruction(struct cs_pass_collected *c, struct cs_pass *pass, LLVMValueRef i) {
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMLoad:
    add_access(c, pass, i, 0, CS_ACCESS_READ, bytes_of(pass, LLVMTypeOf(i)), NULL);
    break;
  case LLVMStore:
    add_access(c, pass, i, 1, CS_ACCESS_WRITE, bytes_of(pass, LLVMTypeOf(LLVMGetOperand(i, 0))), NULL);
    cs_pass_add_escape(c, i, 0);
    break;
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
    add_access(c, pass, i, 0, CS_ACCESS_ATOMIC, bytes_of(pass, LLVMTypeOf(LLVMGetOperand(i, 1))), NULL);
    cs_pass_add_escape(c, i, 1);
    if (LLVMGetInstructionOpcode(i) == LLVMAtomicCmpXchg)
      cs_pass_add_escape(c, i, 2);
    break;
  case LLVMCall:
    collect_call(c, pass, i);
    break;
  case LLVMRet:
    if (LLVMGetNumOperands(i) > 0)
      cs_pass_add_escape(c, i, 0);
    break;
  case LLVMInsertValue:
  case LLVMInsertElement:
    cs_pass_add_escape(c, i, 1);
    break;
  case LLVMICmp:
    collect_comparison(c, pass, i);
    break;
  case LLVMPtrToInt:
    if (!cs_pass_is_own(pass, i))
      collect_number(c, pass, i);
    break;
  case LLVMAddrSpaceCast:
    if (!is_flat_pointer(i)) /* the program converts a generic pointer to a shared or local address */
      add_number(c, pass, i, 0);
    break;
  default:
    break;
  }
}

static size_t detector_count(const struct cs_pass *pass) {
  size_t count = 0;
  while (pass->detectors[count])
    count++;
  return count;
}

void cs_pass_collect(struct cs_pass_collected *c, struct cs_pass *pass, LLVMValueRef function) {
  c->found = cs_ir_allocate(detector_count(pass) + 1, sizeof *c->found);
  c->found_count = detector_count(pass);
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i))
    collect_instruction(c, pass, i);
}

void cs_pass_collected_free(struct cs_pass_collected *c) {
  for (size_t i = 0; i < c->found_count; i++)
    free(c->found[i].calls), free(c->found[i].ignored);
  free(c->found);
  free(c->accesses);
  free(c->escapes);
  free(c->numbers);
  *c = (struct cs_pass_collected){0};
}
