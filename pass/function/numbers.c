/* numbers.c: separates integers that are used as addresses from those that are used as pointers. */
#include "pass/function/numbers.h"
#include "cusafe/layout.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/module.h"
#include <stdlib.h>

/* --- Uses --- */

static int is_difference(LLVMValueRef user) {
  return LLVMIsABinaryOperator(user) && LLVMGetInstructionOpcode(user) == LLVMSub;
}

/* Whether some, but not all, of the bits above an address are set. */
static int is_mixed(unsigned long long bits) {
  unsigned long long upper = bits >> CS_ADDRESS_BITS;
  return upper != 0 && upper != ~0ull >> CS_ADDRESS_BITS;
}

/* 3 << 48, or n << 48: a counter above the address. */
static int is_above_address(LLVMValueRef value) {
  enum { MIN_SHIFT = 32 };
  if (LLVMIsAConstantInt(value))
    return is_mixed(LLVMConstIntGetZExtValue(value));
  LLVMValueRef by = LLVMIsABinaryOperator(value) && LLVMGetInstructionOpcode(value) == LLVMShl
                        ? LLVMIsAConstantInt(LLVMGetOperand(value, 1))
                        : NULL;
  return by && LLVMConstIntGetZExtValue(by) >= MIN_SHIFT;
}

/* Whether the user keeps or sets some of the bits above the address: p << 16, p & (2^48 - 1), p | n << 48, p >> 48, p <
 * 2^48. A pointer to a variable has bits of its own there, which would not come back whole. */
static int packs_bits(LLVMValueRef user) {
  if (LLVMIsATruncInst(user))
    return LLVMGetIntTypeWidth(LLVMTypeOf(user)) > CS_ADDRESS_BITS;
  if (LLVMIsAICmpInst(user))
    return LLVMGetICmpPredicate(user) != LLVMIntEQ && LLVMGetICmpPredicate(user) != LLVMIntNE &&
           LLVMIsAConstantInt(LLVMGetOperand(user, 1)) &&
           LLVMGetIntTypeWidth(LLVMTypeOf(LLVMGetOperand(user, 1))) == 64;
  if (!LLVMIsABinaryOperator(user) || LLVMGetTypeKind(LLVMTypeOf(user)) != LLVMIntegerTypeKind ||
      LLVMGetIntTypeWidth(LLVMTypeOf(user)) != 64)
    return 0;
  LLVMValueRef other = LLVMGetOperand(user, 1);
  switch (LLVMGetInstructionOpcode(user)) {
  case LLVMShl:
    return 1;
  case LLVMLShr:
  case LLVMAShr:
    return LLVMIsAConstantInt(other) && LLVMConstIntGetZExtValue(other) >= CS_ADDRESS_BITS;
  case LLVMAnd:
    return LLVMIsAConstantInt(other) && is_mixed(LLVMConstIntGetZExtValue(other));
  case LLVMOr:
  case LLVMXor:
  case LLVMAdd:
    return is_above_address(other) || is_above_address(LLVMGetOperand(user, 0));
  default:
    return 0;
  }
}

static int has_pointer(LLVMValueRef user) {
  return LLVMIsAPtrToIntInst(LLVMGetOperand(user, 0)) ||
         (LLVMGetNumOperands(user) > 1 && LLVMIsAPtrToIntInst(LLVMGetOperand(user, 1)));
}

int cs_pass_concerns_addresses(LLVMValueRef user) {
  if (packs_bits(user))
    return has_pointer(user);
  if (!LLVMIsAICmpInst(user) && !is_difference(user))
    return 0;
  return LLVMIsAPtrToIntInst(LLVMGetOperand(user, 0)) && LLVMIsAPtrToIntInst(LLVMGetOperand(user, 1));
}

/* --- Integers that meet converted pointers --- */

enum { MAX_STEPS = 3 }; /* sums that are followed */

/* Whether the upper bits may be those of a pointer. A number that meets an address, such as one that a shift has
 * unpacked, is an address too. */
static int may_be_pointer(LLVMValueRef value) {
  return !LLVMIsConstant(value) && !LLVMIsAZExtInst(value) && !LLVMIsASExtInst(value) &&
         LLVMGetIntTypeWidth(LLVMTypeOf(value)) > CS_ADDRESS_BITS;
}

static int has_pointer_side(LLVMValueRef join, int steps);

/* A converted pointer, one plus a constant, or a join in which one is. Generic and global addresses are the same
 * numbers. */
static int is_from_pointer(LLVMValueRef value, int steps) { // NOLINT(misc-no-recursion): steps decreases
  for (int k = 0; k < MAX_STEPS && LLVMIsABinaryOperator(value) && LLVMGetInstructionOpcode(value) == LLVMAdd &&
                  LLVMIsAConstantInt(LLVMGetOperand(value, 1));
       k++)
    value = LLVMGetOperand(value, 0);
  if (LLVMIsAPHINode(value) || LLVMIsASelectInst(value))
    return steps && has_pointer_side(value, steps - 1);
  return LLVMIsAPtrToIntInst(value) && cs_ir_space_of(LLVMGetOperand(value, 0)) <= CS_IR_SPACE_GLOBAL;
}

static int has_pointer_side(LLVMValueRef join, int steps) { // NOLINT(misc-no-recursion): steps decreases
  enum { MAX_SIDES = 8 };
  unsigned count = LLVMIsAPHINode(join) ? LLVMCountIncoming(join) : 2;
  for (unsigned k = 0; k < count && k < MAX_SIDES; k++)
    if (is_from_pointer(LLVMIsAPHINode(join) ? LLVMGetIncomingValue(join, k) : LLVMGetOperand(join, k + 1), steps))
      return 1;
  return 0;
}

/* p - x is an address minus a distance, unless it is used as a number; x - p is a difference. */
static int is_meeting(LLVMValueRef user) {
  if (!LLVMIsAICmpInst(user) && !is_difference(user))
    return 0;
  LLVMValueRef left = LLVMGetOperand(user, 0), right = LLVMGetOperand(user, 1);
  if (LLVMGetTypeKind(LLVMTypeOf(left)) != LLVMIntegerTypeKind)
    return 0;
  int from_left = is_from_pointer(left, MAX_STEPS), from_right = is_from_pointer(right, MAX_STEPS);
  return (from_left || from_right) && may_be_pointer(left) && may_be_pointer(right) &&
         (from_right || LLVMIsAICmpInst(user) || cs_ir_is_used_as_number(user, MAX_STEPS));
}

static void convert_operand(LLVMBuilderRef builder, LLVMValueRef user, unsigned operand) {
  LLVMValueRef value = LLVMGetOperand(user, operand);
  LLVMTypeRef type = LLVMTypeOf(value), generic = LLVMPointerTypeInContext(LLVMGetTypeContext(type), 0);
  if (LLVMIsAPtrToIntInst(value))
    return;
  LLVMPositionBuilderBefore(builder, user);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(user));
  LLVMSetOperand(user, operand, LLVMBuildPtrToInt(builder, LLVMBuildIntToPtr(builder, value, generic, ""), type, ""));
}

static void convert_operands(LLVMBuilderRef builder, LLVMValueRef function) {
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i)) {
    int packs = packs_bits(i);
    for (int k = 0; packs && k < LLVMGetNumOperands(i); k++)
      if (is_from_pointer(LLVMGetOperand(i, (unsigned)k), MAX_STEPS))
        convert_operand(builder, i, (unsigned)k);
    for (unsigned k = 0, meets = (unsigned)is_meeting(i); meets && k < 2; k++)
      convert_operand(builder, i, k);
  }
}

/* --- Integers with uses of both kinds --- */

static void split(LLVMBuilderRef builder, LLVMValueRef number) {
  LLVMValueRef *users = NULL, address = NULL;
  size_t count = 0, others = 0;
  for (LLVMUseRef use = LLVMGetFirstUse(number); use; use = LLVMGetNextUse(use)) {
    if (cs_pass_concerns_addresses(LLVMGetUser(use)))
      cs_ir_push(users, count, LLVMGetUser(use));
    else
      others++;
  }
  if (count && others) {
    address = LLVMInstructionClone(number);
    LLVMPositionBuilderBefore(builder, number);
    LLVMInsertIntoBuilder(builder, address);
  }
  for (size_t i = 0; address && i < count; i++)
    for (unsigned operand = 0; operand < (unsigned)LLVMGetNumOperands(users[i]); operand++)
      if (LLVMGetOperand(users[i], operand) == number)
        LLVMSetOperand(users[i], operand, address);
  free(users);
}

void cs_pass_split_numbers(LLVMValueRef function) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetTypeContext(LLVMTypeOf(function)));
  convert_operands(builder, function);
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i))
    if (LLVMIsAPtrToIntInst(i))
      split(builder, i);
  LLVMDisposeBuilder(builder);
}
