/* markers.c: recognises the markers of a local variable's scope. */
#include "pass/variables/markers.h"
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/names.h"
#include <stdlib.h>
#include <string.h>

enum cs_pass_marker cs_pass_marker_of(LLVMValueRef instruction) {
  LLVMValueRef callee = cs_ir_callee(instruction);
  if (callee == NULL)
    return CS_PASS_NO_MARKER;
  const char *name = cs_ir_name(callee);
  if (cs_ir_starts_with(name, "llvm.lifetime.start") || strcmp(name, CS_PASS_SCOPE_BEGIN_NAME) == 0)
    return CS_PASS_SCOPE_START;
  if (cs_ir_starts_with(name, "llvm.lifetime.end") || strcmp(name, CS_PASS_SCOPE_END_NAME) == 0)
    return CS_PASS_SCOPE_END;
  return CS_PASS_NO_MARKER;
}

LLVMValueRef cs_pass_marked_variable(LLVMValueRef marker) {
  LLVMValueRef variable = LLVMGetOperand(marker, LLVMGetNumArgOperands(marker) - 1); /* older IR has the size first */
  while (LLVMIsAAddrSpaceCastInst(variable))
    variable = LLVMGetOperand(variable, 0);
  return variable;
}

static void add_markers(struct cs_pass_markers *markers, LLVMValueRef pointer) {
  for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (cs_pass_marker_of(user) != CS_PASS_NO_MARKER)
      cs_ir_push(markers->items, markers->count, user);
    else if (LLVMIsAAddrSpaceCastInst(user))
      add_markers(markers, user);
  }
}

struct cs_pass_markers cs_pass_markers_of(LLVMValueRef variable) {
  struct cs_pass_markers markers = {0};
  add_markers(&markers, variable);
  return markers;
}

int cs_pass_scope_is_hidden(LLVMValueRef variable) {
  struct cs_pass_markers markers = cs_pass_markers_of(variable);
  int is_hidden = 0;
  for (size_t i = 0; i < markers.count; i++)
    is_hidden |= LLVMGetIntrinsicID(LLVMGetCalledValue(markers.items[i])) == 0;
  free(markers.items);
  return is_hidden;
}

int cs_pass_release_scopes(struct cs_pass *pass) {
  LLVMValueRef function = LLVMGetNamedFunction(pass->module, CS_PASS_SCOPE_BEGIN_NAME);
  for (LLVMUseRef use = function ? LLVMGetFirstUse(function) : NULL; use; use = LLVMGetNextUse(use)) {
    LLVMValueRef call = LLVMGetUser(use);
    LLVMReplaceAllUsesWith(call, LLVMGetOperand(call, 0));
  }
  return 0;
}

/* ---- may the variable be used after its scope? ---- */

/* Scans a block from `from`: 1 if the user comes first, -1 if the scope starts again, 0 if neither. */
static int scan(LLVMValueRef from, LLVMValueRef variable, LLVMValueRef user) {
  for (LLVMValueRef i = from; i; i = LLVMGetNextInstruction(i)) {
    if (i == user)
      return 1;
    if (cs_pass_marker_of(i) == CS_PASS_SCOPE_START && cs_pass_marked_variable(i) == variable)
      return -1;
  }
  return 0;
}

static int reaches(struct cs_ir_map *seen, LLVMValueRef from, LLVMValueRef variable, LLVMValueRef user) {
  int found = scan(from, variable, user);
  if (found != 0)
    return found > 0;
  LLVMValueRef end = LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(from));
  for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
    LLVMBasicBlockRef next = LLVMGetSuccessor(end, i);
    if (cs_ir_map_get(seen, next))
      continue;
    cs_ir_map_set(seen, next, next);
    if (reaches(seen, LLVMGetFirstInstruction(next), variable, user))
      return 1;
  }
  return 0;
}

int cs_pass_is_used_after_scope(LLVMValueRef variable, LLVMValueRef user) {
  struct cs_pass_markers markers = cs_pass_markers_of(variable);
  int found = 0;
  for (size_t i = 0; i < markers.count && !found; i++) {
    if (cs_pass_marker_of(markers.items[i]) != CS_PASS_SCOPE_END)
      continue;
    struct cs_ir_map seen = {0};
    found = reaches(&seen, LLVMGetNextInstruction(markers.items[i]), variable, user);
    cs_ir_map_free(&seen);
  }
  free(markers.items);
  return found;
}

/* ---- may a value that was computed in one scope be used in the next? ---- */

/* Paths from the computation of a phi or select to a use of that value. */
struct lifetime {
  struct cs_ir_map seen; /* blocks before the start, first instructions of blocks after it */
  LLVMValueRef variable, meeting, user;
};

static int leads_to_user(struct lifetime *l, LLVMValueRef from, int has_started) {
  LLVMBasicBlockRef block = LLVMGetInstructionParent(from);
  for (LLVMValueRef i = from; i; i = LLVMGetNextInstruction(i)) {
    if (i == l->meeting)
      return 0; /* it is computed again */
    if (i == l->user && has_started)
      return 1;
    if (cs_pass_marker_of(i) == CS_PASS_SCOPE_START && cs_pass_marked_variable(i) == l->variable)
      has_started = 1;
  }
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
  for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
    LLVMBasicBlockRef next = LLVMGetSuccessor(end, i);
    LLVMValueRef first = LLVMGetFirstInstruction(next);
    const void *state = has_started ? (const void *)first : (const void *)next;
    if (cs_ir_map_get(&l->seen, state))
      continue;
    cs_ir_map_set(&l->seen, state, next);
    if (leads_to_user(l, first, has_started))
      return 1;
  }
  return 0;
}

int cs_pass_scope_restarts(LLVMValueRef variable, LLVMValueRef meeting, LLVMValueRef user) {
  struct lifetime l = {.variable = variable, .meeting = meeting, .user = user};
  int restarts = leads_to_user(&l, LLVMGetNextInstruction(meeting), 0);
  cs_ir_map_free(&l.seen);
  return restarts;
}
