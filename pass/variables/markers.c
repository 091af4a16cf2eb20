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

/* ---- may the variable, or a pointer to it, be used after its scope? ---- */

/* Paths to a use of the variable, or of a value that may be its address. */
struct paths {
  struct cs_ir_map seen; /* blocks before the scope starts again, first instructions of blocks after it */
  LLVMValueRef variable, user;
  LLVMValueRef meeting; /* the phi or select of that value; NULL: paths end where the scope starts again */
};

/* counts: the scope has started again. */
static int leads_to_user(struct paths *p, LLVMValueRef from, int counts) {
  LLVMBasicBlockRef block = LLVMGetInstructionParent(from);
  for (LLVMValueRef i = from; i; i = LLVMGetNextInstruction(i)) {
    if (p->meeting && i == p->meeting)
      return 0; /* it is computed again */
    if (i == p->user && (counts || !p->meeting))
      return 1;
    if (cs_pass_marker_of(i) != CS_PASS_SCOPE_START || cs_pass_marked_variable(i) != p->variable)
      continue;
    if (!p->meeting)
      return 0;
    counts = 1;
  }
  LLVMValueRef end = LLVMGetBasicBlockTerminator(block);
  for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
    LLVMBasicBlockRef next = LLVMGetSuccessor(end, i);
    LLVMValueRef first = LLVMGetFirstInstruction(next);
    const void *state = counts ? (const void *)first : (const void *)next;
    if (cs_ir_map_get(&p->seen, state))
      continue;
    cs_ir_map_set(&p->seen, state, next);
    if (leads_to_user(p, first, counts))
      return 1;
  }
  return 0;
}

static int lead_to_user(struct paths p, LLVMValueRef from) {
  int found = leads_to_user(&p, from, 0);
  cs_ir_map_free(&p.seen);
  return found;
}

int cs_pass_is_used_after_scope(LLVMValueRef variable, LLVMValueRef user) {
  struct cs_pass_markers markers = cs_pass_markers_of(variable);
  int found = 0;
  for (size_t i = 0; i < markers.count && !found; i++) {
    if (cs_pass_marker_of(markers.items[i]) != CS_PASS_SCOPE_END)
      continue;
    found = lead_to_user((struct paths){.variable = variable, .user = user}, LLVMGetNextInstruction(markers.items[i]));
  }
  free(markers.items);
  return found;
}

int cs_pass_scope_restarts(LLVMValueRef variable, LLVMValueRef meeting, LLVMValueRef user) {
  return lead_to_user((struct paths){.variable = variable, .user = user, .meeting = meeting},
                      LLVMGetNextInstruction(meeting));
}
