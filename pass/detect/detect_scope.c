/* detect_scope.c: use of a local variable after its scope.
 *
 * LLVM may reuse a variable's memory after its scope, so at -O1 and above it deletes the very accesses that are to be
 * reported. Before any optimisation, the lifetime markers of variables whose address may outlive them become calls that LLVM
 * cannot analyse; markers.c recognises both. Such a variable gets a window (window.c), whose word is 0 outside of the scope,
 * and detect_bounds.c checks accesses against that word. All other variables are optimised as usual. */
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

static int outlives(struct cs_pass_map *seen, const struct cs_pass_analyses *analyses, LLVMValueRef pointer,
                    LLVMValueRef start) {
  for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (lets_out(analyses, pointer, user, start))
      return 1;
    if (!passes_through(user) || cs_pass_map_get(seen, user))
      continue;
    cs_pass_map_set(seen, user, user);
    if (outlives(seen, analyses, user, start))
      return 1;
  }
  return 0;
}

static LLVMValueRef opaque(LLVMModuleRef module, const char *name, LLVMTypeRef type) {
  LLVMValueRef function = LLVMGetNamedFunction(module, name);
  return function ? function : LLVMAddFunction(module, name, type);
}

static void hide_marker(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef marker, LLVMValueRef variable) {
  LLVMContextRef context = LLVMGetModuleContext(module);
  LLVMTypeRef pointer = LLVMPointerTypeInContext(context, 0);
  LLVMTypeRef type = LLVMFunctionType(LLVMVoidTypeInContext(context), &pointer, 1, 0);
  const char *name =
      cs_pass_marker_of(marker) == CS_PASS_SCOPE_START ? CS_PASS_SCOPE_BEGIN_NAME : CS_PASS_SCOPE_END_NAME;
  LLVMPositionBuilderBefore(builder, marker);
  LLVMSetCurrentDebugLocation2(builder, LLVMInstructionGetDebugLoc(marker));
  LLVMBuildCall2(builder, type, opaque(module, name, type), &variable, 1, "");
}

/* One marker stays, at the variable itself: an inlined variable without any would be given new ones. */
static void hide_scope(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef variable, LLVMValueRef start) {
  struct cs_pass_markers markers = cs_pass_markers_of(variable);
  LLVMValueRef kept = LLVMInstructionClone(start);
  LLVMPositionBuilderBefore(builder, LLVMGetNextInstruction(variable));
  LLVMInsertIntoBuilder(builder, kept);
  for (size_t i = 0; i < markers.count; i++) {
    hide_marker(module, builder, markers.items[i], variable);
    LLVMInstructionEraseFromParent(markers.items[i]);
  }
  free(markers.items);
}

static void keep_in_function(struct cs_pass *pass, LLVMValueRef function, const struct cs_pass_analyses *analyses) {
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
  for (LLVMValueRef i = LLVMGetFirstInstruction(entry), next; i; i = next) {
    next = LLVMGetNextInstruction(i);
    LLVMValueRef start = LLVMIsAAllocaInst(i) ? scope_start(i) : NULL;
    struct cs_pass_map seen = {0};
    if (start && outlives(&seen, analyses, i, start))
      hide_scope(pass->module, pass->builder, i, start);
    cs_pass_map_free(&seen);
  }
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
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
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

static void note_outlived(struct cs_pass_variable *v, LLVMValueRef user) {
  v->outlived = v->outlived || cs_pass_is_used_after_scope(v->value, user);
}

/* Before any root is chosen: the bounds of a local that may be used after its scope are not constants. */
static void survey(struct cs_pass_function *f) {
  struct cs_pass_collected *c = &f->collected;
  for (size_t i = 0; i < c->access_count; i++)
    cs_pass_visit_locals(&f->roots, LLVMGetOperand(c->accesses[i].instruction, c->accesses[i].operand), note_outlived,
                         c->accesses[i].instruction);
}

const struct cs_pass_detector cs_pass_detect_scope = {
    .name = "scope",
    .prepare = prepare,
    .survey = survey,
    .finish = finish,
};
