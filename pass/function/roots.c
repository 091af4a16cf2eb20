/* roots.c: traces pointers to their roots, and builds companions where roots meet. */
#include "pass/function/roots.h"
#include "ir/instructions.h"
#include "ir/module.h"
#include "ir/names.h"
#include "pass/module/build.h"
#include <string.h>

static char no_root; /* memo: known to have none */

int cs_pass_is_meeting(LLVMValueRef value) {
  return LLVMIsAPHINode(value) || LLVMIsASelectInst(value);
}

/* Intrinsics that return their first argument as a pointer into the same object. */
static int is_transparent_call(LLVMValueRef value) {
  static const char *const names[] = {"llvm.ptrmask.", "llvm.launder.invariant.group.", "llvm.strip.invariant.group.",
                                      "llvm.ptr.annotation.", "llvm.threadlocal.address."};
  LLVMValueRef callee = cs_ir_callee(value);
  if (callee == NULL)
    return 0;
  const char *name = cs_ir_name(callee);
  for (size_t i = 0; i < sizeof names / sizeof *names; i++)
    if (strncmp(name, names[i], strlen(names[i])) == 0)
      return 1;
  return 0;
}

static LLVMOpcode opcode_of(LLVMValueRef value) {
  if (LLVMIsAInstruction(value))
    return LLVMGetInstructionOpcode(value);
  return LLVMIsAConstantExpr(value) ? LLVMGetConstOpcode(value) : 0;
}

LLVMValueRef cs_pass_terminal_of(LLVMValueRef value) {
  for (;;) {
    LLVMOpcode opcode = opcode_of(value);
    if (opcode != LLVMGetElementPtr && opcode != LLVMAddrSpaceCast && opcode != LLVMBitCast && opcode != LLVMFreeze &&
        !is_transparent_call(value))
      return value;
    value = LLVMGetOperand(value, 0);
  }
}

int cs_pass_is_bare(LLVMValueRef pointer, LLVMValueRef root) {
  while (pointer != root) {
    LLVMOpcode opcode = opcode_of(pointer);
    if (opcode != LLVMAddrSpaceCast && opcode != LLVMBitCast && opcode != LLVMFreeze)
      return 0;
    pointer = LLVMGetOperand(pointer, 0);
  }
  return 1;
}

static int keeps_alignment(struct cs_pass *pass, struct cs_ir_map *met, LLVMValueRef pointer, LLVMValueRef root,
                           unsigned align);

/* A meeting that was visited before keeps it: the cycle that leads back to it is being inspected. */
static int meeting_keeps_alignment(struct cs_pass *pass, struct cs_ir_map *met, LLVMValueRef meeting, LLVMValueRef root,
                                   unsigned align) {
  int is_phi = LLVMIsAPHINode(meeting) != NULL;
  unsigned count = is_phi ? LLVMCountIncoming(meeting) : 2;
  if (cs_ir_map_get(met, meeting))
    return 1;
  cs_ir_map_set(met, meeting, meeting);
  for (unsigned i = 0; i < count; i++) {
    LLVMValueRef operand = is_phi ? LLVMGetIncomingValue(meeting, i) : LLVMGetOperand(meeting, i + 1);
    if (!keeps_alignment(pass, met, operand, root, align))
      return 0;
  }
  return 1;
}

static int keeps_alignment(struct cs_pass *pass, struct cs_ir_map *met, LLVMValueRef pointer, LLVMValueRef root,
                           unsigned align) {
  while (pointer != root && (root || !(cs_pass_variable_of(pass, pointer) || cs_pass_is_null_pointer(pointer)))) {
    LLVMOpcode opcode = opcode_of(pointer);
    if (cs_pass_is_meeting(pointer))
      return meeting_keeps_alignment(pass, met, pointer, root, align);
    if (opcode == LLVMGetElementPtr ? !cs_pass_steps_by(pass->layout, pointer, align)
                                    : opcode != LLVMAddrSpaceCast && opcode != LLVMBitCast && opcode != LLVMFreeze)
      return 0;
    pointer = LLVMGetOperand(pointer, 0);
  }
  return 1;
}

int cs_pass_keeps_alignment(struct cs_pass *pass, LLVMValueRef pointer, LLVMValueRef root, unsigned align) {
  struct cs_ir_map met = {0};
  int keeps = keeps_alignment(pass, &met, pointer, root, align);
  cs_ir_map_free(&met);
  return keeps;
}

/* 1 if the bounds of what it points to can be known. */
static int is_bounded(struct cs_pass *pass, LLVMValueRef root) {
  if (cs_pass_variable_of(pass, root) != NULL)
    return 1;
  if (LLVMIsAAllocaInst(root) || LLVMIsAGlobalValue(root))
    return 0;
  unsigned space = cs_ir_space_of(root);
  return (space == CS_IR_SPACE_GENERIC || space == CS_IR_SPACE_GLOBAL) && !cs_pass_is_null_pointer(root) &&
         !cs_pass_is_parameter_in_memory(root);
}

/* What meets in a web of phis and selects. */
struct meeting {
  struct cs_ir_map seen;
  LLVMValueRef only; /* the one non-null terminal so far */
  int terminals, bounded;
};

static void gather(struct cs_pass *pass, struct meeting *meeting, LLVMValueRef pointer) {
  LLVMValueRef value = cs_pass_terminal_of(pointer);
  if (cs_pass_is_null_pointer(value) || cs_ir_map_get(&meeting->seen, value))
    return;
  cs_ir_map_set(&meeting->seen, value, value);
  if (LLVMIsAPHINode(value)) {
    for (unsigned i = 0; i < LLVMCountIncoming(value); i++)
      gather(pass, meeting, LLVMGetIncomingValue(value, i));
  } else if (LLVMIsASelectInst(value)) {
    gather(pass, meeting, LLVMGetOperand(value, 1));
    gather(pass, meeting, LLVMGetOperand(value, 2));
  } else {
    meeting->only = value;
    meeting->terminals++;
    meeting->bounded += is_bounded(pass, value);
  }
}

/* The value of a companion for one operand of a meeting; casts are added before `at`. A variable contributes its
 * escaping form, which is not known yet: a freeze stands in for it, and is rewritten with the other escapes. */
static LLVMValueRef side(struct cs_pass_roots *roots, LLVMValueRef pointer, LLVMValueRef at) {
  struct cs_pass *pass = roots->pass;
  LLVMValueRef root = cs_pass_root_of(roots, pointer);
  LLVMPositionBuilderBefore(pass->builder, at);
  if (root == NULL)
    return cs_pass_generic(pass, cs_pass_terminal_of(pointer));
  if (cs_pass_variable_of(pass, root) == NULL)
    return cs_pass_generic(pass, root);
  LLVMValueRef stand_in = LLVMBuildFreeze(pass->builder, cs_pass_generic(pass, root), "");
  if (LLVMIsAInstruction(stand_in))
    cs_pass_add_escape(roots->collected, stand_in, 0);
  return stand_in;
}

static LLVMValueRef companion_phi(struct cs_pass_roots *roots, LLVMValueRef phi) {
  LLVMPositionBuilderBefore(roots->pass->builder, phi);
  LLVMValueRef companion = LLVMBuildPhi(roots->pass->builder, roots->pass->ptr, "cs.root");
  cs_ir_map_set(&roots->memo, phi, companion);
  for (unsigned i = 0; i < LLVMCountIncoming(phi); i++) {
    LLVMBasicBlockRef from = LLVMGetIncomingBlock(phi, i);
    LLVMValueRef value = side(roots, LLVMGetIncomingValue(phi, i), LLVMGetBasicBlockTerminator(from));
    LLVMAddIncoming(companion, &value, &from, 1);
  }
  return companion;
}

static LLVMValueRef companion_select(struct cs_pass_roots *roots, LLVMValueRef select) {
  LLVMValueRef yes = side(roots, LLVMGetOperand(select, 1), select);
  LLVMValueRef no = side(roots, LLVMGetOperand(select, 2), select);
  LLVMPositionBuilderBefore(roots->pass->builder, select);
  LLVMValueRef companion = LLVMBuildSelect(roots->pass->builder, LLVMGetOperand(select, 0), yes, no, "cs.root");
  cs_ir_map_set(&roots->memo, select, companion);
  return companion;
}

/* Returns 1 if the terminals are one, and the same in all of the web. */
static int meet(struct cs_pass_roots *roots, LLVMValueRef value, struct meeting *result) {
  struct meeting meeting = {{0}, NULL, 0, 0};
  gather(roots->pass, &meeting, value);
  /* In a loop a phi may hold the terminal of an earlier iteration, unless the terminal dominates the phi. A local
   * dominates all, but its address may be from an earlier scope. */
  int current = meeting.terminals == 1;
  for (size_t i = 0; current && i < meeting.seen.capacity; i++) {
    LLVMValueRef met = meeting.seen.entries[i].value;
    if (met && met != meeting.only &&
        (cs_ir_map_get(&roots->earlier, met) || !cs_pass_dominates(roots->analyses, meeting.only, met)))
      current = 0;
  }
  cs_ir_map_free(&meeting.seen);
  *result = meeting;
  return current;
}

static LLVMValueRef meeting_root(struct cs_pass_roots *roots, LLVMValueRef value) {
  struct meeting meeting;
  int current = meet(roots, value, &meeting);
  LLVMValueRef root = NULL;
  if (meeting.bounded == 0)
    cs_ir_map_set(&roots->memo, value, &no_root);
  else if (current)
    cs_ir_map_set(&roots->memo, value, root = meeting.only);
  else
    root = LLVMIsAPHINode(value) ? companion_phi(roots, value) : companion_select(roots, value);
  return root;
}

LLVMValueRef cs_pass_root_of(struct cs_pass_roots *roots, LLVMValueRef pointer) {
  LLVMValueRef value = cs_pass_terminal_of(pointer);
  if (!cs_pass_is_meeting(value))
    return is_bounded(roots->pass, value) ? value : NULL;
  void *known = cs_ir_map_get(&roots->memo, value);
  if (known)
    return known == &no_root ? NULL : known;
  return meeting_root(roots, value);
}

LLVMValueRef cs_pass_plain_root_of(struct cs_pass_roots *roots, LLVMValueRef pointer) {
  LLVMValueRef value = cs_pass_terminal_of(pointer);
  if (cs_pass_is_meeting(value)) {
    struct meeting meeting;
    if (!meet(roots, value, &meeting))
      return NULL;
    value = meeting.only;
  }
  return is_bounded(roots->pass, value) ? value : NULL;
}

void cs_pass_roots_free(struct cs_pass_roots *roots) {
  cs_ir_map_free(&roots->memo);
  cs_ir_map_free(&roots->earlier);
}
