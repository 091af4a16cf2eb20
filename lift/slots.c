/* slots.c: follows addresses through local memory. nvcc -G keeps structures, and variables whose address is taken, in a
 * function's frame; there a pointer is stored by one instruction and loaded by another that shows what it is. */
#include "lift/slots.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include <llvm-c/Target.h>
#include <stdlib.h>

struct cs_lift_slot_access {
  LLVMValueRef instruction; /* a load or a store */
  LLVMValueRef frame;       /* the alloca */
  long long offset;
  unsigned long long bytes;
  unsigned order; /* in the function */
};

static LLVMValueRef value_of(const struct cs_lift_slot_access *a) {
  return LLVMIsAStoreInst(a->instruction) ? LLVMGetOperand(a->instruction, 0) : a->instruction;
}

/* --- Reading --- */

static int is_constant_sum(LLVMValueRef value, LLVMOpcode opcode) {
  return opcode == LLVMAdd && LLVMIsAConstantInt(LLVMGetOperand(value, 1));
}

/* The alloca or parameter that an address is in, at a constant offset; NULL: any other address. */
static LLVMValueRef base_of(LLVMValueRef address, long long *offset) {
  *offset = 0;
  while (!LLVMIsAAllocaInst(address) && !LLVMIsAArgument(address)) {
    LLVMOpcode opcode = LLVMIsAInstruction(address) ? LLVMGetInstructionOpcode(address) : 0;
    int is_moved =
        is_constant_sum(address, opcode) ||
        (opcode == LLVMGetElementPtr && LLVMGetNumOperands(address) == 2 &&
         LLVMGetGEPSourceElementType(address) == LLVMInt8TypeInContext(LLVMGetTypeContext(LLVMTypeOf(address))) &&
         LLVMIsAConstantInt(LLVMGetOperand(address, 1)));
    if (is_moved)
      *offset += LLVMConstIntGetSExtValue(LLVMGetOperand(address, 1));
    else if (opcode != LLVMIntToPtr && opcode != LLVMPtrToInt && opcode != LLVMAddrSpaceCast)
      return NULL;
    address = LLVMGetOperand(address, 0);
  }
  return address;
}

static int compare(const void *left, const void *right) {
  const struct cs_lift_slot_access *a = left, *b = right;
  if (a->frame != b->frame)
    return a->frame < b->frame ? -1 : 1;
  if (a->offset != b->offset)
    return a->offset < b->offset ? -1 : 1;
  return a->order < b->order ? -1 : 1;
}

static void add_access(struct cs_lift_slots *slots, LLVMTargetDataRef layout, LLVMValueRef instruction) {
  int is_store = LLVMIsAStoreInst(instruction) != NULL;
  if (!is_store && !LLVMIsALoadInst(instruction))
    return;
  struct cs_lift_slot_access a = {.instruction = instruction, .order = slots->count};
  a.frame = base_of(LLVMGetOperand(instruction, is_store), &a.offset);
  a.bytes = LLVMStoreSizeOfType(layout, LLVMTypeOf(value_of(&a)));
  if (!a.frame || !LLVMIsAAllocaInst(a.frame))
    return;
  cs_ir_push(slots->accesses, slots->count, a);
}

/* --- Slots --- */

/* What a pointer is not used for. */
static int is_used_as_number(LLVMValueRef value) {
  for (LLVMUseRef use = LLVMGetFirstUse(value); use; use = LLVMGetNextUse(use))
    switch (LLVMGetInstructionOpcode(LLVMGetUser(use))) {
    case LLVMIntToPtr:
    case LLVMAdd:
    case LLVMSub:
    case LLVMPHI:
    case LLVMSelect:
    case LLVMFreeze:
    case LLVMICmp:
    case LLVMStore:
    case LLVMCall:
    case LLVMRet:
      break;
    default:
      return 1;
    }
  return 0;
}

/* The number of accesses that overlap the first one, and each other. */
static unsigned group_of(const struct cs_lift_slot_access *first, unsigned count) {
  long long end = first->offset + (long long)first->bytes;
  unsigned n = 1;
  for (; n < count && first[n].frame == first->frame && first[n].offset < end; n++)
    if (first[n].offset + (long long)first[n].bytes > end)
      end = first[n].offset + (long long)first[n].bytes;
  return n;
}

static int is_slot(const struct cs_lift_unit *unit, const struct cs_lift_slot_access *group, unsigned count) {
  for (unsigned i = 0; i < count; i++)
    if (group[i].offset != group->offset || LLVMTypeOf(value_of(&group[i])) != unit->i64 ||
        (LLVMIsALoadInst(group[i].instruction) && is_used_as_number(group[i].instruction)))
      return 0;
  return 1;
}

void cs_lift_slots_read(struct cs_lift_slots *slots, struct cs_lift_unit *unit, LLVMValueRef function) {
  LLVMTargetDataRef layout = LLVMGetModuleDataLayout(unit->module);
  unsigned kept = 0, n;
  *slots = (struct cs_lift_slots){0};
  for (LLVMValueRef i = cs_ir_first(function); i; i = cs_ir_next(i))
    add_access(slots, layout, i);
  if (slots->count)
    qsort(slots->accesses, slots->count, sizeof *slots->accesses, compare);
  for (unsigned i = 0; i < slots->count; i += n) {
    n = group_of(&slots->accesses[i], slots->count - i);
    if (is_slot(unit, &slots->accesses[i], n))
      for (unsigned k = 0; k < n; k++)
        slots->accesses[kept++] = slots->accesses[i + k];
  }
  slots->count = kept;
}

void cs_lift_slots_free(struct cs_lift_slots *slots) {
  free(slots->accesses);
}

unsigned cs_lift_slot_length(const struct cs_lift_slots *slots, unsigned index) {
  return group_of(&slots->accesses[index], slots->count - index);
}

LLVMValueRef cs_lift_slot_value(const struct cs_lift_slots *slots, unsigned index) {
  return value_of(&slots->accesses[index]);
}

static int is_slot_load(const struct cs_lift_slots *slots, LLVMValueRef value) {
  for (unsigned i = 0; i < slots->count; i++)
    if (slots->accesses[i].instruction == value)
      return 1;
  return 0;
}

int cs_lift_is_from_parameter(const struct cs_lift_slots *slots, LLVMValueRef value) {
  long long offset;
  if (!LLVMIsALoadInst(value))
    return LLVMIsAArgument(value) != NULL;
  LLVMValueRef base = base_of(LLVMGetOperand(value, 0), &offset);
  return base && (LLVMIsAArgument(base) || is_slot_load(slots, value));
}

int cs_lift_slot_is_load(const struct cs_lift_slots *slots, unsigned index) {
  return LLVMIsALoadInst(slots->accesses[index].instruction) != NULL;
}
