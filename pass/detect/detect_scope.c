/* detect_scope.c: use of a local variable after its scope.
 *
 * LLVM may reuse a variable's memory after its scope, so at -O1 and above it deletes the very accesses that are to be
 * reported. Before any optimisation, the lifetime markers of variables whose address may outlive them become calls that
 * LLVM cannot analyse; markers.c recognises both. Such a variable gets a window (window.c), whose word is 0 outside of
 * the scope, and detect_bounds.c checks accesses against that word. All other variables are optimised as usual.
 *
 * To LLVM, a variable whose scope is hidden can be read at any time: it would execute reads after the scope that the
 * program does not, and choose an address before the scope starts, when the variable has another identity. Therefore
 * the call that starts the scope returns the address until cs_pass_release_scopes(). */
#include "ir/instructions.h"
#include "ir/memory.h"
#include "ir/module.h"
#include "pass/function/choice.h"
#include "pass/function/detector.h"
#include "pass/function/function.h"
#include "pass/variables/markers.h"
#include <stdlib.h>

/* Where a variable's scope starts; NULL if it lives as long as the function. */
static LLVMValueRef scope_start(LLVMValueRef variable) {
  struct cs_pass_markers markers = cs_pass_markers_of(variable);
  LLVMValueRef start = NULL;
  for (size_t i = 0; i < markers.count && start == NULL; i++)
    if (cs_pass_marker_of(markers.items[i]) == CS_PASS_SCOPE_START)
      start = markers.items[i];
  free(markers.items);
  return start;
}

/* A pointer variable that existed before `start` exists after the end, too: scopes are nested. */
static int is_older(const struct cs_pass_analyses *analyses, LLVMValueRef holder, LLVMValueRef start) {
  if (!LLVMIsAAllocaInst(holder))
    return 1;
  LLVMValueRef other = scope_start(holder);
  return other == NULL || cs_pass_dominates(analyses, other, start);
}

static int passes_through(LLVMValueRef user) {
  LLVMOpcode opcode = LLVMIsAInstruction(user) ? LLVMGetInstructionOpcode(user) : 0;
  return opcode == LLVMGetElementPtr || opcode == LLVMAddrSpaceCast || opcode == LLVMBitCast || opcode == LLVMPHI ||
         opcode == LLVMSelect;
}

static int returns_pointer(LLVMValueRef call) {
  return LLVMGetTypeKind(LLVMTypeOf(call)) == LLVMPointerTypeKind;
}

/* May the pointer outlive the variable by this use? */
static int lets_out(const struct cs_pass_analyses *analyses, LLVMValueRef pointer, LLVMValueRef user,
                    LLVMValueRef start) {
  if (!LLVMIsAInstruction(user))
    return 0;
  switch (LLVMGetInstructionOpcode(user)) {
  case LLVMStore:
    return LLVMGetOperand(user, 0) == pointer && is_older(analyses, LLVMGetOperand(user, 1), start);
  case LLVMRet:
  case LLVMInsertValue:
    return 1;
  case LLVMCall:
    return cs_pass_marker_of(user) == CS_PASS_NO_MARKER && returns_pointer(user);
  default:
    return 0;
  }
}

/* The pointer variable in which the pointer is stored, if it is. */
static LLVMValueRef holder_of(LLVMValueRef pointer, LLVMValueRef user) {
  int is_stored = LLVMIsAStoreInst(user) && LLVMGetOperand(user, 0) == pointer;
  return is_stored ? LLVMIsAAllocaInst(LLVMGetOperand(user, 1)) : NULL;
}

static int loads_from(LLVMValueRef user, LLVMValueRef holder) {
  return LLVMIsALoadInst(user) && LLVMGetOperand(user, 0) == holder;
}

/* `pointer` is the variable's address, or, if is_holder is set, a pointer variable that holds it and ends no later. */
static int outlives(struct cs_ir_map *seen, const struct cs_pass_analyses *analyses, LLVMValueRef pointer,
                    LLVMValueRef start, int is_holder) { // NOLINT(misc-no-recursion): each value once
  for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (!is_holder && lets_out(analyses, pointer, user, start))
      return 1;
    LLVMValueRef holder = is_holder ? NULL : holder_of(pointer, user);
    LLVMValueRef next = holder ? holder : user;
    int follows = is_holder ? loads_from(user, pointer) : holder || passes_through(user);
    if (!follows || cs_ir_map_get(seen, next))
      continue;
    cs_ir_map_set(seen, next, next);
    if (outlives(seen, analyses, next, start, holder != NULL))
      return 1;
  }
  return 0;
}

/* LLVM must not merge the calls of two branches into one: it would mark either variable, and none could be found from
 * it. */
static LLVMValueRef opaque(struct cs_pass *pass, const char *name, LLVMTypeRef type) {
  LLVMValueRef function = LLVMGetNamedFunction(pass->module, name);
  unsigned nomerge = cs_ir_attribute_kind("nomerge");
  if (function == NULL) {
    function = LLVMAddFunction(pass->module, name, type);
    LLVMAddAttributeAtIndex(function, (LLVMAttributeIndex)LLVMAttributeFunctionIndex,
                            LLVMCreateEnumAttribute(pass->context, nomerge, 0));
  }
  return function;
}

/* Returns the call that replaces the marker. */
static LLVMValueRef hide_marker(struct cs_pass *pass, LLVMValueRef marker, LLVMValueRef variable) {
  LLVMTypeRef pointer = LLVMPointerTypeInContext(pass->context, 0);
  int starts = cs_pass_marker_of(marker) == CS_PASS_SCOPE_START;
  LLVMTypeRef type = LLVMFunctionType(starts ? pointer : LLVMVoidTypeInContext(pass->context), &pointer, 1, 0);
  LLVMValueRef callee = opaque(pass, starts ? CS_PASS_SCOPE_BEGIN_NAME : CS_PASS_SCOPE_END_NAME, type);
  LLVMPositionBuilderBefore(pass->builder, marker);
  LLVMSetCurrentDebugLocation2(pass->builder, LLVMInstructionGetDebugLoc(marker));
  LLVMValueRef call = LLVMBuildCall2(pass->builder, type, callee, &variable, 1, "");
  LLVMInstructionEraseFromParent(marker);
  return call;
}

/* One marker stays, at the variable itself: an inlined variable without any would be given new ones. */
static void keep_marker(struct cs_pass *pass, LLVMValueRef variable, LLVMValueRef start) {
  LLVMValueRef kept = LLVMInstructionClone(start);
  LLVMPositionBuilderBefore(pass->builder, LLVMGetNextInstruction(variable));
  LLVMInsertIntoBuilder(pass->builder, kept);
}

/* Nothing else has the address that the call returns, if only the kept marker uses the variable outside of the
 * scope. */
static void rename_variable(struct cs_pass *pass, const struct cs_pass_analyses *analyses, LLVMValueRef variable,
                            LLVMValueRef begin) {
  unsigned noalias = cs_ir_attribute_kind("noalias");
  if (cs_pass_replace_dominated(analyses, variable, begin) == 1)
    LLVMAddCallSiteAttribute(begin, (LLVMAttributeIndex)LLVMAttributeReturnIndex,
                             LLVMCreateEnumAttribute(pass->context, noalias, 0));
}

static void hide_scope(struct cs_pass *pass, const struct cs_pass_analyses *analyses, LLVMValueRef variable) {
  struct cs_pass_markers markers = cs_pass_markers_of(variable);
  LLVMValueRef begin = NULL;
  int starts = 0;
  keep_marker(pass, variable, scope_start(variable));
  for (size_t i = 0; i < markers.count; i++) {
    int is_start = cs_pass_marker_of(markers.items[i]) == CS_PASS_SCOPE_START;
    LLVMValueRef call = hide_marker(pass, markers.items[i], variable);
    begin = is_start ? call : begin;
    starts += is_start;
  }
  if (starts == 1)
    rename_variable(pass, analyses, variable, begin);
  free(markers.items);
}

struct variables {
  LLVMValueRef *items;
  size_t count;
};

/* All are found before one is changed: whether a pointer variable is older depends on its markers. */
static struct variables find_outlived(LLVMValueRef function, const struct cs_pass_analyses *analyses) {
  struct variables found = {0};
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
  for (LLVMValueRef i = LLVMGetFirstInstruction(entry); i; i = LLVMGetNextInstruction(i)) {
    LLVMValueRef start = LLVMIsAAllocaInst(i) ? scope_start(i) : NULL;
    struct cs_ir_map seen = {0};
    if (start && outlives(&seen, analyses, i, start, 0))
      cs_ir_push(found.items, found.count, i);
    cs_ir_map_free(&seen);
  }
  return found;
}

static void keep_in_function(struct cs_pass *pass, LLVMValueRef function, const struct cs_pass_analyses *analyses) {
  struct variables found = find_outlived(function, analyses);
  for (size_t i = 0; i < found.count; i++)
    hide_scope(pass, analyses, found.items[i]);
  free(found.items);
}

/* Removes the calls whose variable got no window. */
static void finish(struct cs_pass *pass) {
  static const char *const names[] = {CS_PASS_SCOPE_BEGIN_NAME, CS_PASS_SCOPE_END_NAME};
  for (int i = 0; i < 2; i++) {
    LLVMValueRef function = LLVMGetNamedFunction(pass->module, names[i]);
    if (function == NULL)
      continue;
    for (LLVMUseRef use; (use = LLVMGetFirstUse(function));)
      LLVMInstructionEraseFromParent(LLVMGetUser(use));
    LLVMDeleteFunction(function);
  }
}

/* --skip=scopes: every variable lives as long as its function. */
static void drop_scopes(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (LLVMValueRef i = cs_ir_first(f), next; i; i = next) {
      next = cs_ir_next(i);
      if (LLVMIsACallInst(i) && cs_pass_marker_of(i) != CS_PASS_NO_MARKER)
        LLVMInstructionEraseFromParent(i);
    }
}

/* Functions call the hidden markers until finish(). */
static void prepare(struct cs_pass *pass) {
  if (pass->options->skips & 1u << CS_PASS_SKIP_SCOPES)
    drop_scopes(pass->module);
  for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f))
      keep_in_function(pass, f, pass->get_analyses(pass->analyses_owner, f, 0));
}

/* ---- may a pointer be used after its variable's scope? ---- */

static void note_outlived(struct cs_pass_roots *roots, struct cs_pass_variable *v, const struct cs_ir_map *through,
                          LLVMValueRef user) {
  (void)roots, (void)through;
  v->outlived = v->outlived || cs_pass_is_used_after_scope(v->value, user);
}

/* A pointer that a phi carries into the next scope, as that of the next iteration, has the identity of the scope it is
 * from, and not the variable's current one. */
static void note_earlier(struct cs_pass_roots *roots, struct cs_pass_variable *v, const struct cs_ir_map *through,
                         LLVMValueRef user) {
  for (size_t i = 0; i < through->capacity; i++) {
    LLVMValueRef met = through->entries[i].value;
    if (met == NULL || !cs_pass_is_meeting(met) || !cs_pass_scope_restarts(v->value, met, user))
      continue;
    v->outlived = 1;
    cs_ir_map_set(&roots->earlier, met, met);
  }
}

static void note_outlived_optimised(struct cs_pass_roots *roots, struct cs_pass_variable *v,
                                    const struct cs_ir_map *through, LLVMValueRef user) {
  int is_hidden = cs_pass_scope_is_hidden(v->value);
  note_outlived(roots, v, through, user);
  if (is_hidden)
    note_earlier(roots, v, through, user);
  v->is_read_ahead = v->outlived && !is_hidden;
}

/* Before any root is chosen: the bounds of a local that may be used after its scope are not constants. */
static void survey(struct cs_pass_function *f) {
  struct cs_pass_collected *c = &f->collected;
  for (size_t i = 0; i < c->access_count; i++)
    cs_pass_visit_locals(&f->roots, LLVMGetOperand(c->accesses[i].instruction, c->accesses[i].operand),
                         f->pass->options->optimise ? note_outlived_optimised : note_outlived,
                         c->accesses[i].instruction);
}

const struct cs_pass_detector cs_pass_detect_scope = {
    .name = "scope",
    .prepare = prepare,
    .survey = survey,
    .finish = finish,
};
