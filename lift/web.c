/* web.c: decides which integers of a function are addresses (decision 32).
 *
 * The sets are fixpoints over the function's integers: numbers, which no address reaches; pointers by definition;
 * demanded values, found from the accesses backwards, also through slots of local memory; and what is derived from
 * those, forwards. */
#include "lift/web.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "lift/slots.h"
#include <stdlib.h>

/* --- Nodes --- */

static LLVMOpcode opcode_of(LLVMValueRef value) {
  if (LLVMIsAInstruction(value))
    return LLVMGetInstructionOpcode(value);
  return LLVMIsAConstantExpr(value) ? LLVMGetConstOpcode(value) : 0;
}

static unsigned width_of(LLVMValueRef value) {
  LLVMTypeRef type = LLVMTypeOf(value);
  return LLVMGetTypeKind(type) == LLVMIntegerTypeKind ? LLVMGetIntTypeWidth(type) : 0;
}

int cs_lift_is_nothing(LLVMValueRef value) {
  return (LLVMIsAConstantInt(value) && LLVMIsNull(value)) || LLVMIsUndef(value) || LLVMIsPoison(value);
}

/* Whether a number is the address of a shared variable, or one plus a distance: its upper half is zero. */
static int is_in_shared(LLVMValueRef value, unsigned depth) { // NOLINT(misc-no-recursion): depth decreases
  LLVMOpcode opcode = opcode_of(value);
  if (opcode == LLVMPtrToInt)
    return cs_ir_space_of(LLVMGetOperand(value, 0)) == CS_IR_SPACE_SHARED;
  if (depth == 0)
    return 0;
  if (opcode == LLVMPHI)
    return is_in_shared(LLVMGetIncomingValue(value, 0), depth - 1);
  if (opcode == LLVMSelect)
    return is_in_shared(LLVMGetOperand(value, 1), depth - 1);
  int is_sum = opcode == LLVMAdd, is_step = is_sum || opcode == LLVMSub || opcode == LLVMZExt || opcode == LLVMTrunc;
  return is_step && (is_in_shared(LLVMGetOperand(value, 0), depth - 1) ||
                     (is_sum && is_in_shared(LLVMGetOperand(value, 1), depth - 1)));
}

static enum cs_lift_step step_of(LLVMValueRef value) {
  enum { DEPTH = 8 };
  unsigned bits = width_of(value);
  switch (opcode_of(value)) {
  case LLVMPtrToInt:
    return CS_LIFT_POINTER;
  case LLVMAdd:
    return CS_LIFT_SUM;
  case LLVMSub:
    return LLVMIsConstant(value) ? CS_LIFT_NUMBER : CS_LIFT_SUM;
  case LLVMPHI:
  case LLVMSelect:
    return CS_LIFT_JOIN;
  case LLVMFreeze:
    return CS_LIFT_COPY;
  case LLVMZExt:
    return width_of(LLVMGetOperand(value, 0)) == 32 ? CS_LIFT_COPY : CS_LIFT_NUMBER;
  case LLVMTrunc:
    return bits == 32 && is_in_shared(LLVMGetOperand(value, 0), DEPTH) ? CS_LIFT_COPY : CS_LIFT_NUMBER;
  case LLVMLoad:
  case LLVMCall:
  case LLVMExtractValue:
  case LLVMExtractElement:
    return bits == 64 ? CS_LIFT_LEAF : CS_LIFT_NUMBER;
  default:
    return bits == 64 && LLVMIsAArgument(value) ? CS_LIFT_LEAF : CS_LIFT_NUMBER;
  }
}

struct cs_lift_node *cs_lift_node(const struct cs_lift_web *web, LLVMValueRef value) {
  return cs_ir_map_get(&web->by_value, value);
}

unsigned cs_lift_operand_count(const struct cs_lift_node *node) {
  switch (node->step) {
  case CS_LIFT_SUM:
    return 2;
  case CS_LIFT_COPY:
    return 1;
  case CS_LIFT_JOIN:
    return LLVMIsAPHINode(node->value) ? LLVMCountIncoming(node->value) : 2;
  default:
    return 0;
  }
}

LLVMValueRef cs_lift_operand(const struct cs_lift_node *node, unsigned index) {
  if (LLVMIsAPHINode(node->value))
    return LLVMGetIncomingValue(node->value, index);
  return LLVMGetOperand(node->value, index + (node->step == CS_LIFT_JOIN));
}

/* Constant expressions are operands only: they are found from their users. */
static void add_node(struct cs_lift_web *web, LLVMValueRef value) {
  unsigned bits = width_of(value);
  if ((bits != 64 && bits != 32) || cs_lift_node(web, value) || LLVMIsAConstantInt(value) || LLVMIsUndef(value))
    return;
  struct cs_lift_node *node = cs_ir_allocate(1, sizeof *node);
  node->value = value;
  node->step = step_of(value);
  cs_ir_push(web->nodes, web->count, node);
  cs_ir_map_set(&web->by_value, value, node);
  for (unsigned i = 0; i < cs_lift_operand_count(node); i++)
    if (LLVMIsAConstantExpr(cs_lift_operand(node, i)))
      add_node(web, cs_lift_operand(node, i));
}

static void add_all(struct cs_lift_web *web) {
  for (unsigned i = 0; i < LLVMCountParams(web->function); i++)
    add_node(web, LLVMGetParam(web->function, i));
  for (LLVMValueRef i = cs_ir_first(web->function); i; i = cs_ir_next(i)) {
    add_node(web, i);
    for (int k = 0; k < LLVMGetNumOperands(i); k++)
      if (LLVMIsAConstantExpr(LLVMGetOperand(i, (unsigned)k)))
        add_node(web, LLVMGetOperand(i, (unsigned)k));
  }
}

/* --- Numbers --- */

static int is_number(const struct cs_lift_web *web, LLVMValueRef value) {
  const struct cs_lift_node *node = cs_lift_node(web, value);
  return node == NULL || node->is_number;
}

/* The largest set in which every step has numbers as operands. */
static void find_numbers(struct cs_lift_web *web) {
  for (unsigned i = 0; i < web->count; i++)
    web->nodes[i]->is_number = web->nodes[i]->step != CS_LIFT_POINTER && web->nodes[i]->step != CS_LIFT_LEAF;
  for (int changed = 1; changed;) {
    changed = 0;
    for (unsigned i = 0; i < web->count; i++) {
      struct cs_lift_node *node = web->nodes[i];
      for (unsigned k = 0; node->is_number && k < cs_lift_operand_count(node); k++)
        if (!is_number(web, cs_lift_operand(node, k))) {
          node->is_number = 0;
          changed = 1;
        }
    }
  }
}

/* --- Differences --- */

/* A pointer minus what may be another one is a number if it is used as one. */
static void ban_differences(struct cs_lift_web *web) {
  enum { DEPTH = 3 };
  for (unsigned i = 0; i < web->count; i++) {
    struct cs_lift_node *node = web->nodes[i];
    if (node->step == CS_LIFT_SUM && opcode_of(node->value) == LLVMSub && !is_number(web, cs_lift_operand(node, 1)) &&
        LLVMIsAInstruction(node->value) && LLVMGetFirstUse(node->value) && cs_ir_is_used_as_number(node->value, DEPTH))
      node->is_banned = 1;
  }
}

/* --- Pointers, forwards --- */

static int is_pointer(const struct cs_lift_web *web, LLVMValueRef value) {
  const struct cs_lift_node *node = cs_lift_node(web, value);
  return node != NULL && node->is_pointer;
}

/* Whether a step gives a pointer if its operands are as they are marked now. */
static int gives_pointer(const struct cs_lift_web *web, const struct cs_lift_node *node) {
  unsigned count = cs_lift_operand_count(node);
  if (node->step == CS_LIFT_SUM) {
    int left = is_pointer(web, cs_lift_operand(node, 0)), right = is_pointer(web, cs_lift_operand(node, 1));
    return opcode_of(node->value) == LLVMSub ? left && !right : left != right;
  }
  for (unsigned k = 0; k < count; k++)
    if (!is_pointer(web, cs_lift_operand(node, k)) && !cs_lift_is_nothing(cs_lift_operand(node, k)))
      return 0;
  return 1;
}

static int touches_pointer(const struct cs_lift_web *web, const struct cs_lift_node *node) {
  for (unsigned k = 0; k < cs_lift_operand_count(node); k++)
    if (is_pointer(web, cs_lift_operand(node, k)))
      return 1;
  return 0;
}

static int is_origin(const struct cs_lift_node *node) {
  return node->step == CS_LIFT_POINTER || (node->step == CS_LIFT_LEAF && node->is_demanded);
}

/* Everything that an origin reaches, less what does not give a pointer: joins with numbers, sums of two pointers. */
static void derive_pointers(struct cs_lift_web *web) {
  int changed = 1;
  for (unsigned i = 0; i < web->count; i++)
    web->nodes[i]->is_pointer = is_origin(web->nodes[i]) && !web->nodes[i]->is_banned;
  while (changed) {
    changed = 0;
    for (unsigned i = 0; i < web->count; i++) {
      struct cs_lift_node *node = web->nodes[i];
      if (!node->is_pointer && !node->is_banned && !node->is_number && touches_pointer(web, node))
        node->is_pointer = changed = 1;
    }
  }
  for (changed = 1; changed;) {
    changed = 0;
    for (unsigned i = 0; i < web->count; i++) {
      struct cs_lift_node *node = web->nodes[i];
      if (node->is_pointer && !is_origin(node) && !gives_pointer(web, node)) {
        node->is_pointer = 0;
        changed = 1;
      }
    }
  }
}

LLVMValueRef cs_lift_base(const struct cs_lift_web *web, const struct cs_lift_node *sum) {
  LLVMValueRef left = cs_lift_operand(sum, 0), right = cs_lift_operand(sum, 1);
  if (opcode_of(sum->value) == LLVMSub)
    return left;
  if (is_pointer(web, left) != is_pointer(web, right))
    return is_pointer(web, left) ? left : right;
  if (is_number(web, left) != is_number(web, right))
    return is_number(web, left) ? right : left;
  return NULL;
}

/* --- Demand, backwards from the accesses --- */

static int demand_node(struct cs_lift_web *web, struct cs_lift_node *node);

static int demand(struct cs_lift_web *web, LLVMValueRef value) {
  struct cs_lift_node *node = cs_lift_node(web, value);
  return cs_lift_is_nothing(value) || (node && demand_node(web, node));
}

/* 1 if all that the value comes from may be an address. A value that is being demanded counts as one: the cycle that
 * leads back to it is being inspected. */
static int demand_node(struct cs_lift_web *web, struct cs_lift_node *node) { // NOLINT(misc-no-recursion): phis
  if (node->is_number || node->is_banned)
    return 0;
  if (node->is_demanded || node->step == CS_LIFT_POINTER)
    return 1;
  node->is_demanded = 1;
  cs_ir_push(web->marked, web->marked_count, node);
  if (node->step == CS_LIFT_SUM) {
    LLVMValueRef base = cs_lift_base(web, node);
    return base != NULL && !cs_lift_is_nothing(base) && demand(web, base);
  }
  for (unsigned k = 0; k < cs_lift_operand_count(node); k++)
    if (!demand(web, cs_lift_operand(node, k)))
      return 0;
  return 1;
}

/* Demands the value, or takes back what was marked on the way. */
static void demand_for_access(struct cs_lift_web *web, LLVMValueRef value) {
  int proven = demand(web, value);
  for (unsigned i = 0; !proven && i < web->marked_count; i++)
    web->marked[i]->is_demanded = 0;
  free(web->marked);
  web->marked = NULL;
  web->marked_count = 0;
}

static unsigned demanded_count(const struct cs_lift_web *web) {
  unsigned count = 0;
  for (unsigned i = 0; i < web->count; i++)
    count += web->nodes[i]->is_demanded != 0;
  return count;
}

static void demand_accesses(struct cs_lift_web *web) {
  for (LLVMValueRef i = cs_ir_first(web->function); i; i = cs_ir_next(i)) {
    struct cs_lift_node *node = LLVMIsAIntToPtrInst(i) ? cs_lift_node(web, LLVMGetOperand(i, 0)) : NULL;
    if (node && !node->is_demanded)
      demand_for_access(web, node->value);
  }
}

static int is_demanded(const struct cs_lift_web *web, LLVMValueRef value) {
  const struct cs_lift_node *node = cs_lift_node(web, value);
  return node == NULL || node->is_demanded;
}

/* Demands what is stored in a slot, or loaded from it, if one load is demanded: parameters of kernels, which the host
 * has passed. A pointer that another device function passes or returns may be outside its buffer and have no mark,
 * because nothing proves it there; the access that its number decides is then no false alarm. */
static void demand_slot(struct cs_lift_web *web, const struct cs_lift_slots *slots, unsigned first, unsigned count) {
  int proven = 0;
  for (unsigned i = first; i < first + count; i++)
    proven |= cs_lift_slot_is_load(slots, i) && is_demanded(web, cs_lift_slot_value(slots, i));
  for (unsigned i = first; proven && i < first + count; i++)
    if (!is_demanded(web, cs_lift_slot_value(slots, i)) &&
        cs_lift_is_from_parameter(slots, cs_lift_slot_value(slots, i)))
      demand_for_access(web, cs_lift_slot_value(slots, i));
}

/* Again while something changes: a slot may hold what another slot has held. */
static void demand_slots(struct cs_lift_web *web, const struct cs_lift_slots *slots) {
  unsigned before, n;
  do {
    before = demanded_count(web);
    for (unsigned i = 0; i < slots->count; i += n) {
      n = cs_lift_slot_length(slots, i);
      demand_slot(web, slots, i, n);
    }
  } while (demanded_count(web) != before);
}

/* --- Spaces --- */

static unsigned space_of_origin(const struct cs_lift_node *node) {
  unsigned space = node->step == CS_LIFT_POINTER ? cs_ir_space_of(LLVMGetOperand(node->value, 0)) : CS_IR_SPACE_GENERIC;
  return space == CS_IR_SPACE_GLOBAL ? CS_IR_SPACE_GENERIC : space;
}

enum { UNKNOWN_SPACE = ~0u };

/* The space of a step's operands; bans the step if they differ: the numbers of different spaces cannot be compared. */
static int join_spaces(struct cs_lift_web *web, struct cs_lift_node *node) {
  unsigned space = node->space;
  for (unsigned k = 0; k < cs_lift_operand_count(node); k++) {
    const struct cs_lift_node *operand = cs_lift_node(web, cs_lift_operand(node, k));
    if (!operand || !operand->is_pointer || operand->space == UNKNOWN_SPACE)
      continue;
    if (space != UNKNOWN_SPACE && space != operand->space)
      node->is_banned = 1;
    space = operand->space;
  }
  int changed = space != node->space;
  node->space = space;
  return changed;
}

/* Returns 0 if a node was banned. */
static int find_spaces(struct cs_lift_web *web) {
  int changed = 1, banned = 0;
  for (unsigned i = 0; i < web->count; i++)
    web->nodes[i]->space = is_origin(web->nodes[i]) ? space_of_origin(web->nodes[i]) : UNKNOWN_SPACE;
  while (changed && !banned) {
    changed = 0;
    for (unsigned i = 0; i < web->count; i++)
      if (web->nodes[i]->is_pointer && !is_origin(web->nodes[i])) {
        changed |= join_spaces(web, web->nodes[i]);
        banned |= web->nodes[i]->is_banned;
      }
  }
  return !banned;
}

/* --- The web --- */

void cs_lift_web_read(struct cs_lift_web *web, struct cs_lift_unit *unit, LLVMValueRef function) {
  *web = (struct cs_lift_web){.unit = unit, .function = function};
  struct cs_lift_slots slots = {0};
  add_all(web);
  find_numbers(web);
  ban_differences(web);
  if (cs_ir_is_kernel(function))
    cs_lift_slots_read(&slots, unit, function);
  do {
    for (unsigned i = 0; i < web->count; i++)
      web->nodes[i]->is_demanded = 0;
    derive_pointers(web);
    demand_accesses(web);
    demand_slots(web, &slots);
    derive_pointers(web);
  } while (!find_spaces(web));
  cs_lift_slots_free(&slots);
}

void cs_lift_web_free(struct cs_lift_web *web) {
  for (unsigned i = 0; i < web->count; i++)
    free(web->nodes[i]);
  free(web->nodes);
  cs_ir_map_free(&web->by_value);
}
