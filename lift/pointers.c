/* pointers.c: rewrites the integers that are proven to be addresses as pointers, and their sums as element
 * addresses. */
#include "lift/pointers.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/module.h"
#include <stdlib.h>

struct writer {
  struct cs_lift_web *web;
  LLVMBuilderRef builder;
};

static LLVMValueRef form_of(struct writer *w, LLVMValueRef value);

static void build_before(struct writer *w, LLVMValueRef instruction) {
  LLVMPositionBuilderBefore(w->builder, instruction);
  LLVMSetCurrentDebugLocation2(w->builder, LLVMInstructionGetDebugLoc(instruction));
}

/* After an instruction; phis stay together. */
static void build_after(struct writer *w, LLVMValueRef instruction) {
  LLVMValueRef next = LLVMGetNextInstruction(instruction);
  while (next && LLVMIsAPHINode(next))
    next = LLVMGetNextInstruction(next);
  LLVMPositionBuilderBefore(w->builder, next);
  LLVMSetCurrentDebugLocation2(w->builder, LLVMInstructionGetDebugLoc(instruction));
}

/* --- Distances --- */

static LLVMTypeRef element_type(struct writer *w, unsigned long long bytes) {
  struct cs_lift_unit *unit = w->web->unit;
  return bytes == 1 || bytes == 2 || bytes == 4 || bytes == 8 ? cs_lift_integer(unit, (unsigned)bytes * 8)
                                                              : LLVMArrayType2(unit->i8, bytes);
}

/* x << 2 and x * 4 are x elements of four bytes; 0: the value is not of that form. In 32 bits, the form of shared
 * addresses, the product could overflow where that of 64 bits does not: only the address of a large element would, by
 * an index that no shared array has. */
static unsigned long long scale_of(LLVMValueRef value, int is_wide) {
  unsigned long long max_element = is_wide ? 1 << 16 : 1 << 10;
  LLVMValueRef by = LLVMIsABinaryOperator(value) ? LLVMGetOperand(value, 1) : NULL;
  unsigned long long number = by && LLVMIsAConstantInt(by) ? LLVMConstIntGetZExtValue(by) : 0;
  if (!number)
    return 0;
  LLVMOpcode opcode = LLVMGetInstructionOpcode(value);
  number = opcode == LLVMShl && number <= 16 ? 1ull << number : opcode == LLVMMul ? number : 0;
  return number <= max_element ? number : 0;
}

static LLVMValueRef moved(struct writer *w, LLVMValueRef pointer, LLVMValueRef by, unsigned depth) {
  LLVMTypeRef i64 = w->web->unit->i64;
  unsigned long long bytes = scale_of(by, LLVMTypeOf(by) == i64);
  if (depth && LLVMTypeOf(by) == i64 && LLVMIsABinaryOperator(by) && LLVMGetInstructionOpcode(by) == LLVMAdd)
    return moved(w, moved(w, pointer, LLVMGetOperand(by, 0), depth - 1), LLVMGetOperand(by, 1), depth - 1);
  LLVMValueRef index = LLVMBuildSExt(w->builder, bytes ? LLVMGetOperand(by, 0) : by, i64, "");
  return LLVMBuildGEP2(w->builder, element_type(w, bytes ? bytes : 1), pointer, &index, 1, "");
}

static LLVMValueRef sum_form(struct writer *w, const struct cs_lift_node *node) {
  enum { DEPTH = 4 };
  LLVMValueRef base = cs_lift_base(w->web, node), pointer = form_of(w, base);
  LLVMValueRef by = cs_lift_operand(node, cs_lift_operand(node, 0) == base);
  if (LLVMIsConstant(node->value))
    return LLVMConstGEP2(w->web->unit->i8, pointer, &by, 1);
  build_before(w, node->value);
  if (LLVMGetInstructionOpcode(node->value) == LLVMSub)
    return moved(w, pointer, LLVMBuildNeg(w->builder, by, ""), 0);
  return moved(w, pointer, by, DEPTH);
}

/* --- Forms --- */

static LLVMValueRef cast(struct writer *w, LLVMValueRef pointer, unsigned space) {
  if (cs_ir_space_of(pointer) == space)
    return pointer;
  LLVMTypeRef type = cs_lift_pointer(w->web->unit, space);
  return LLVMIsConstant(pointer) ? LLVMConstAddrSpaceCast(pointer, type)
                                 : LLVMBuildAddrSpaceCast(w->builder, pointer, type, "");
}

static LLVMValueRef pointer_form(struct writer *w, const struct cs_lift_node *node) {
  LLVMValueRef pointer = LLVMGetOperand(node->value, 0);
  if (LLVMIsAInstruction(node->value))
    build_before(w, node->value);
  return cast(w, pointer, node->space);
}

static LLVMValueRef leaf_form(struct writer *w, const struct cs_lift_node *node) {
  LLVMValueRef value = node->value;
  LLVMTypeRef type = cs_lift_pointer(w->web->unit, node->space);
  if (LLVMIsAArgument(value)) {
    build_before(w, cs_ir_after_allocas(w->web->function));
  } else if (LLVMIsALoadInst(value)) {
    build_before(w, value);
    LLVMValueRef made = LLVMBuildLoad2(w->builder, type, LLVMGetOperand(value, 0), "");
    LLVMSetAlignment(made, LLVMGetAlignment(value));
    LLVMSetVolatile(made, LLVMGetVolatile(value));
    return made;
  } else {
    build_after(w, value);
  }
  return LLVMBuildIntToPtr(w->builder, value, type, "");
}

static LLVMValueRef phi_form(struct writer *w, struct cs_lift_node *node) {
  build_before(w, node->value);
  LLVMValueRef phi = node->form = LLVMBuildPhi(w->builder, cs_lift_pointer(w->web->unit, node->space), "");
  for (unsigned k = 0; k < cs_lift_operand_count(node); k++) {
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(node->value, k);
    LLVMValueRef operand = cs_lift_operand(node, k);
    LLVMValueRef given = cs_lift_is_nothing(operand) ? LLVMConstNull(LLVMTypeOf(phi)) : form_of(w, operand);
    LLVMAddIncoming(phi, &given, &from, 1);
  }
  return phi;
}

static LLVMValueRef select_form(struct writer *w, const struct cs_lift_node *node) {
  LLVMTypeRef type = cs_lift_pointer(w->web->unit, node->space);
  LLVMValueRef sides[2];
  for (unsigned k = 0; k < 2; k++) {
    LLVMValueRef operand = cs_lift_operand(node, k);
    sides[k] = cs_lift_is_nothing(operand) ? LLVMConstNull(type) : form_of(w, operand);
  }
  build_before(w, node->value);
  return LLVMBuildSelect(w->builder, LLVMGetOperand(node->value, 0), sides[0], sides[1], "");
}

static LLVMValueRef form_of(struct writer *w, LLVMValueRef value) { // NOLINT(misc-no-recursion): phis
  struct cs_lift_node *node = cs_lift_node(w->web, value);
  if (node->form)
    return node->form;
  switch (node->step) {
  case CS_LIFT_POINTER:
    return node->form = pointer_form(w, node);
  case CS_LIFT_SUM:
    return node->form = sum_form(w, node);
  case CS_LIFT_COPY:
    return node->form = form_of(w, cs_lift_operand(node, 0));
  case CS_LIFT_JOIN:
    return node->form = LLVMIsAPHINode(value) ? phi_form(w, node) : select_form(w, node);
  default:
    return node->form = leaf_form(w, node);
  }
}

/* --- Uses --- */

/* Users are collected first, each once: rewriting changes the list of uses. */
static unsigned users_of(LLVMValueRef value, LLVMValueRef **users) {
  unsigned count = 0;
  for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use)) {
    unsigned known = 0;
    while (known < count && (*users)[known] != LLVMGetUser(use))
      known++;
    if (known < count)
      continue;
    cs_ir_push(*users, count, LLVMGetUser(use));
  }
  return count;
}

/* A generic pointer is stored as a pointer: the pass may add its mark. */
static void store_pointer(struct writer *w, LLVMValueRef store, LLVMValueRef pointer) {
  build_before(w, store);
  LLVMValueRef made = LLVMBuildStore(w->builder, pointer, LLVMGetOperand(store, 1));
  LLVMSetAlignment(made, LLVMGetAlignment(store));
  LLVMSetVolatile(made, LLVMGetVolatile(store));
  LLVMInstructionEraseFromParent(store);
}

/* Where only the number matters: a comparison, a difference, a call. */
static LLVMValueRef number_before(struct writer *w, LLVMValueRef user, LLVMValueRef value, LLVMValueRef pointer) {
  build_before(w, user);
  LLVMValueRef number = LLVMBuildPtrToInt(w->builder, pointer, w->web->unit->i64, "");
  return LLVMBuildIntCast2(w->builder, number, LLVMTypeOf(value), 0, "");
}

static void rewrite_user(struct writer *w, const struct cs_lift_node *node, LLVMValueRef user) {
  const struct cs_lift_node *other = cs_lift_node(w->web, user);
  LLVMValueRef value = node->value;
  if (LLVMIsAIntToPtrInst(user)) {
    if (user == node->form)
      return;
    build_before(w, user);
    LLVMReplaceAllUsesWith(user, cast(w, node->form, cs_ir_space_of(user)));
    LLVMInstructionEraseFromParent(user);
  } else if (other && other->is_pointer) {
    return; /* has its own form */
  } else if (LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) == value && node->space == CS_IR_SPACE_GENERIC &&
             LLVMTypeOf(value) == w->web->unit->i64) {
    store_pointer(w, user, node->form);
  } else if (node->step != CS_LIFT_POINTER && !LLVMIsAPHINode(user)) {
    LLVMValueRef number = number_before(w, user, value, node->form);
    for (int k = 0; k < LLVMGetNumOperands(user); k++)
      if (LLVMGetOperand(user, (unsigned)k) == value)
        LLVMSetOperand(user, (unsigned)k, number);
  }
}

/* --- Vectors --- */

/* The value that a chain of insertions gives a lane; NULL: none. */
static LLVMValueRef lane_of(LLVMValueRef vector, unsigned lane) {
  for (; LLVMIsAInsertElementInst(vector); vector = LLVMGetOperand(vector, 0))
    if (LLVMIsAConstantInt(LLVMGetOperand(vector, 2)) && LLVMConstIntGetZExtValue(LLVMGetOperand(vector, 2)) == lane)
      return LLVMGetOperand(vector, 1);
  return NULL;
}

/* Whether a pointer may be outside what it belongs to, and then has a mark in memory. Not a pointer to a local
 * variable: LLVM would see through the table that holds it, and remove invalid accesses. */
static int is_moved(const struct cs_lift_web *web, LLVMValueRef value) {
  const struct cs_lift_node *node = cs_lift_node(web, value);
  int moved = 0;
  while (node && (node->step == CS_LIFT_SUM || node->step == CS_LIFT_COPY)) {
    moved |= node->step == CS_LIFT_SUM;
    node = cs_lift_node(web, node->step == CS_LIFT_SUM ? cs_lift_base(web, node) : cs_lift_operand(node, 0));
  }
  if (node && node->step == CS_LIFT_POINTER)
    return moved && !LLVMIsAAllocaInst(LLVMGetOperand(node->value, 0));
  return moved || (node && node->step == CS_LIFT_JOIN);
}

static int is_pointer_lane(const struct cs_lift_web *web, LLVMValueRef lane) {
  const struct cs_lift_node *node = cs_lift_node(web, lane);
  return node && node->is_pointer && node->space == CS_IR_SPACE_GENERIC && is_moved(web, lane);
}

static int has_pointer_lane(const struct cs_lift_web *web, LLVMValueRef vector) {
  LLVMTypeRef type = LLVMTypeOf(vector);
  int found = 0;
  if (LLVMGetTypeKind(type) != LLVMVectorTypeKind || LLVMGetElementType(type) != web->unit->i64)
    return 0;
  for (unsigned k = 0; k < LLVMGetVectorSize(type); k++) {
    LLVMValueRef lane = lane_of(vector, k);
    if (!lane)
      return 0;
    found |= is_pointer_lane(web, lane);
  }
  return found;
}

/* st.v2.u64 of a structure with a pointer: each lane has its own store. The first has the alignment of the whole. */
static void split_store(struct writer *w, LLVMValueRef store) {
  enum { LANE_BYTES = 8 };
  LLVMValueRef vector = LLVMGetOperand(store, 0), address = LLVMGetOperand(store, 1);
  build_before(w, store);
  for (unsigned k = 0; k < LLVMGetVectorSize(LLVMTypeOf(vector)); k++) {
    LLVMValueRef by = cs_lift_number(w->web->unit, 64, (unsigned long long)k * LANE_BYTES);
    LLVMValueRef at = k ? LLVMBuildGEP2(w->builder, w->web->unit->i8, address, &by, 1, "") : address;
    LLVMValueRef made = LLVMBuildStore(w->builder, lane_of(vector, k), at);
    LLVMSetAlignment(made, k == 0 || LLVMGetAlignment(store) < LANE_BYTES ? LLVMGetAlignment(store) : LANE_BYTES);
    LLVMSetVolatile(made, LLVMGetVolatile(store));
  }
  LLVMInstructionEraseFromParent(store);
}

static void split_stores(struct writer *w) {
  for (LLVMValueRef i = cs_ir_first(w->web->function), next; i; i = next) {
    next = cs_ir_next(i);
    if (LLVMIsAStoreInst(i) && has_pointer_lane(w->web, LLVMGetOperand(i, 0)))
      split_store(w, i);
  }
}

/* --- All --- */

/* An integer that was loaded has the same bits as the pointer: one load is enough. */
static void replace_load(struct writer *w, const struct cs_lift_node *node) {
  build_after(w, node->form);
  LLVMReplaceAllUsesWith(node->value, LLVMBuildPtrToInt(w->builder, node->form, w->web->unit->i64, ""));
  LLVMInstructionEraseFromParent(node->value);
}

void cs_lift_write_pointers(struct cs_lift_web *web) {
  struct writer w = {web, LLVMCreateBuilderInContext(web->unit->context)};
  LLVMValueRef *users = NULL;
  split_stores(&w);
  for (unsigned i = 0; i < web->count; i++)
    if (web->nodes[i]->is_pointer)
      form_of(&w, web->nodes[i]->value);
  for (unsigned i = 0; i < web->count; i++) {
    const struct cs_lift_node *node = web->nodes[i];
    if (!node->is_pointer || LLVMIsConstant(node->value))
      continue;
    free(users);
    users = NULL;
    unsigned count = users_of(node->value, &users);
    for (unsigned k = 0; k < count; k++)
      rewrite_user(&w, node, users[k]);
  }
  for (unsigned i = 0; i < web->count; i++)
    if (web->nodes[i]->is_pointer && LLVMIsALoadInst(web->nodes[i]->value))
      replace_load(&w, web->nodes[i]);
  free(users);
  LLVMDisposeBuilder(w.builder);
}
