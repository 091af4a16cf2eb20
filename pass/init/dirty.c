/* dirty.c: finds the values of a function that may be uninitialised, and the local variables that may hold them. */
#include "cusafe/ir.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "ir/names.h"
#include "pass/init/init.h"
#include <string.h>

int cs_pass_init_is_dirty(const struct cs_pass_init *init, LLVMValueRef value) {
  return cs_ir_map_get(&init->dirty, value) != NULL;
}

static int calls(LLVMValueRef value, const char *prefix) {
  LLVMValueRef callee = cs_ir_callee(value);
  return callee && cs_ir_starts_with(cs_ir_name(callee), prefix);
}

int cs_pass_init_is_check(LLVMValueRef call) {
  return calls(call, "__cs_check");
}

int cs_pass_init_is_mark(LLVMValueRef call) {
  return calls(call, "__cs_escape") || calls(call, "__cs_plain") || calls(call, "__cs_kept");
}

/* ---- pointers ---- */

LLVMValueRef cs_pass_init_base(LLVMValueRef pointer) {
  for (;;) {
    int is_constant = LLVMIsAConstantExpr(pointer) != NULL;
    LLVMOpcode opcode = is_constant                   ? LLVMGetConstOpcode(pointer)
                        : LLVMIsAInstruction(pointer) ? LLVMGetInstructionOpcode(pointer)
                                                      : LLVMUnreachable;
    if (opcode != LLVMGetElementPtr && opcode != LLVMBitCast && opcode != LLVMAddrSpaceCast &&
        !(opcode == LLVMCall && (cs_pass_init_is_check(pointer) || cs_pass_init_is_mark(pointer))))
      return pointer;
    pointer = LLVMGetOperand(pointer, 0);
  }
}

LLVMValueRef cs_pass_init_local(const struct cs_pass_init *init, LLVMValueRef pointer) {
  return cs_ir_map_get(&init->locals, cs_pass_init_base(pointer));
}

int cs_pass_init_is_buffer(LLVMValueRef pointer) {
  LLVMValueRef base = cs_pass_init_base(pointer);
  unsigned space = cs_ir_space_of(pointer), base_space = cs_ir_space_of(base);
  int is_shared = base_space == CS_IR_SPACE_SHARED;
  return (space <= CS_IR_SPACE_GLOBAL || space == CS_IR_SPACE_SHARED) &&
         (is_shared || (base_space <= CS_IR_SPACE_GLOBAL && !LLVMIsAAllocaInst(base) && !LLVMIsAGlobalVariable(base)));
}

/* ---- local variables ---- */

static int is_known_use(LLVMValueRef user, LLVMValueRef pointer);

int cs_pass_init_are_uses_known(LLVMValueRef pointer) { // NOLINT(misc-no-recursion): as deep as a chain of GEPs
  for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use))
    if (!is_known_use(LLVMGetUser(use), pointer))
      return 0;
  return 1;
}

/* The integer is an argument of a check. */
static int is_bound(LLVMValueRef integer) {
  for (LLVMUseRef use = LLVMGetFirstUse(integer); use; use = LLVMGetNextUse(use))
    if (!calls(LLVMGetUser(use), CS_IR_RUNTIME_PREFIX))
      return 0;
  return 1;
}

static int is_known_call(LLVMValueRef call, LLVMValueRef pointer) { // NOLINT(misc-no-recursion)
  if (cs_pass_init_is_check(call))
    return LLVMGetOperand(call, 0) != pointer ||
           (!calls(call, "__cs_check_range") && !calls(call, "__cs_check_named_") && cs_pass_init_are_uses_known(call));
  return calls(call, "llvm.lifetime.") || calls(call, "llvm.mem") || calls(call, "vprintf");
}

/* The expression of a shared variable's address is a constant. */
static LLVMOpcode opcode_of(LLVMValueRef user) {
  return LLVMIsAConstantExpr(user)  ? LLVMGetConstOpcode(user)
         : LLVMIsAInstruction(user) ? LLVMGetInstructionOpcode(user)
                                    : LLVMUnreachable;
}

static int is_known_use(LLVMValueRef user, LLVMValueRef pointer) { // NOLINT(misc-no-recursion)
  switch (opcode_of(user)) {
  case LLVMLoad:
  case LLVMICmp:
    return 1;
  case LLVMStore:
    return LLVMGetOperand(user, 0) != pointer;
  case LLVMAtomicRMW:
    return LLVMGetOperand(user, 1) != pointer;
  case LLVMAtomicCmpXchg:
    return LLVMGetOperand(user, 1) != pointer && LLVMGetOperand(user, 2) != pointer;
  case LLVMGetElementPtr:
  case LLVMBitCast:
  case LLVMAddrSpaceCast:
    return cs_pass_init_are_uses_known(user);
  case LLVMPtrToInt:
    return is_bound(user);
  case LLVMCall:
    return is_known_call(user, pointer);
  default:
    return 0;
  }
}

static int has_fixed_size(LLVMValueRef variable) {
  return LLVMIsAConstantInt(LLVMGetOperand(variable, 0)) != NULL;
}

static void find_locals(struct cs_pass_init *init) {
  for (size_t i = 0; i < init->count; i++) {
    LLVMValueRef v = init->instructions[i];
    if (LLVMIsAAllocaInst(v) && has_fixed_size(v) && cs_pass_init_are_uses_known(v))
      cs_ir_map_set(&init->locals, v, v);
  }
}

/* ---- values ---- */

static int is_dirty_memory(const struct cs_pass_init *init, LLVMValueRef pointer) {
  LLVMValueRef local = cs_pass_init_local(init, pointer);
  return local ? cs_pass_init_is_dirty(init, local) : cs_pass_init_is_buffer(pointer);
}

static int has_shadow(const struct cs_pass_init *init, LLVMValueRef i) {
  LLVMOpcode opcode = LLVMGetInstructionOpcode(i);
  return cs_pass_init_type(init->pass, LLVMTypeOf(i)) || opcode == LLVMAtomicCmpXchg ||
         (opcode == LLVMCall && LLVMGetTypeKind(LLVMTypeOf(i)) == LLVMStructTypeKind);
}

static int is_operand_dirty(const struct cs_pass_init *init, LLVMValueRef i) {
  for (int o = 0; o < LLVMGetNumOperands(i); o++)
    if (cs_pass_init_is_dirty(init, LLVMGetOperand(i, (unsigned)o)))
      return 1;
  return 0;
}

static int becomes_dirty(const struct cs_pass_init *init, LLVMValueRef i) {
  if (!has_shadow(init, i))
    return 0;
  switch (LLVMGetInstructionOpcode(i)) {
  case LLVMLoad:
  case LLVMAtomicRMW:
  case LLVMAtomicCmpXchg:
    return is_dirty_memory(init, LLVMGetOperand(i, 0));
  default:
    return cs_pass_init_has_rule(i) && is_operand_dirty(init, i);
  }
}

/* The variable that the instruction makes dirty, or NULL. */
static LLVMValueRef soiled(const struct cs_pass_init *init, LLVMValueRef i) {
  if (LLVMIsAStoreInst(i) && cs_pass_init_is_dirty(init, LLVMGetOperand(i, 0)))
    return cs_pass_init_local(init, LLVMGetOperand(i, 1));
  if ((LLVMIsAAtomicRMWInst(i) && cs_pass_init_is_dirty(init, LLVMGetOperand(i, 1))) ||
      (LLVMIsAAtomicCmpXchgInst(i) && cs_pass_init_is_dirty(init, LLVMGetOperand(i, 2))))
    return cs_pass_init_local(init, LLVMGetOperand(i, 0));
  if ((calls(i, "llvm.memcpy") || calls(i, "llvm.memmove")) && is_dirty_memory(init, LLVMGetOperand(i, 1)))
    return cs_pass_init_local(init, LLVMGetOperand(i, 0));
  return NULL;
}

static int mark(struct cs_pass_init *init, LLVMValueRef value) {
  if (!value || cs_pass_init_is_dirty(init, value))
    return 0;
  cs_ir_map_set(&init->dirty, value, value);
  return 1;
}

static int soil(struct cs_pass_init *init, LLVMValueRef variable) {
  if (variable)
    cs_ir_map_set(&init->soiled, variable, variable);
  return mark(init, variable);
}

static void mark_fresh(struct cs_pass_init *init) {
  cs_pass_init_find_fresh(init);
  for (size_t n = 0; n < init->count; n++)
    if (cs_ir_map_get(&init->fresh, init->instructions[n]))
      mark(init, init->instructions[n]);
}

void cs_pass_init_find_dirty(struct cs_pass_init *init) {
  for (LLVMValueRef i = cs_ir_first(init->function); i; i = cs_ir_next(i))
    cs_ir_push(init->instructions, init->count, i);
  find_locals(init);
  mark_fresh(init);
  for (int changed = 1; changed;) {
    changed = 0;
    for (size_t n = 0; n < init->count; n++) {
      LLVMValueRef i = init->instructions[n];
      changed |= becomes_dirty(init, i) && mark(init, i);
      changed |= soil(init, soiled(init, i));
    }
  }
}
