/* scopes.c: finds local variables whose address may outlive them, and hides their scopes from LLVM. */
#include "pass/scopes.h"
#include "pass/map.h"
#include "pass/window.h"
#include <stdlib.h>
#include <string.h>

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

/* A pointer variable that was there before `start` is there after the end, too: scopes are nested. */
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

/* Does this use of a pointer let it live longer than the variable? */
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

static void keep_in_function(LLVMModuleRef module, LLVMBuilderRef builder, LLVMValueRef function,
                             const struct cs_pass_analyses *analyses) {
  LLVMBasicBlockRef entry = LLVMGetEntryBasicBlock(function);
  for (LLVMValueRef i = LLVMGetFirstInstruction(entry), next; i; i = next) {
    next = LLVMGetNextInstruction(i);
    LLVMValueRef start = LLVMIsAAllocaInst(i) ? scope_start(i) : NULL;
    struct cs_pass_map seen = {0};
    if (start && outlives(&seen, analyses, i, start))
      hide_scope(module, builder, i, start);
    cs_pass_map_free(&seen);
  }
}

void cs_pass_forget_scopes(LLVMModuleRef module) {
  static const char *const names[] = {CS_PASS_SCOPE_BEGIN_NAME, CS_PASS_SCOPE_END_NAME};
  for (int i = 0; i < 2; i++) {
    LLVMValueRef function = LLVMGetNamedFunction(module, names[i]);
    if (function == NULL)
      continue;
    for (LLVMUseRef use; (use = LLVMGetFirstUse(function));)
      LLVMInstructionEraseFromParent(LLVMGetUser(use));
    LLVMDeleteFunction(function);
  }
}

void cs_pass_keep_scopes(LLVMModuleRef module, cs_pass_get_analyses get, void *self) {
  LLVMBuilderRef builder = LLVMCreateBuilderInContext(LLVMGetModuleContext(module));
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f))
      keep_in_function(module, builder, f, get(self, f, 0));
  LLVMDisposeBuilder(builder);
}

void cs_pass_drop_scopes(LLVMModuleRef module) {
  for (LLVMValueRef f = LLVMGetFirstFunction(module); f; f = LLVMGetNextFunction(f))
    for (LLVMBasicBlockRef b = LLVMGetFirstBasicBlock(f); b; b = LLVMGetNextBasicBlock(b))
      for (LLVMValueRef i = LLVMGetFirstInstruction(b), next; i; i = next) {
        next = LLVMGetNextInstruction(i);
        if (LLVMIsACallInst(i) && cs_pass_marker_of(i) != CS_PASS_NO_MARKER)
          LLVMInstructionEraseFromParent(i);
      }
}
