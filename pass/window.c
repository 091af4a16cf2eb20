/* window.c: windows for local variables: the aligned memory, and the word that says whether the variable is alive. */
#include "pass/window.h"
#include "pass/map.h"
#include "pass/scopes.h"
#include <stdlib.h>
#include <string.h>

enum cs_pass_marker cs_pass_marker_of(LLVMValueRef instruction) {
  LLVMValueRef callee = LLVMIsACallInst(instruction) ? LLVMIsAFunction(LLVMGetCalledValue(instruction)) : NULL;
  if (callee == NULL)
    return CS_PASS_NO_MARKER;
  size_t length;
  const char *name = LLVMGetValueName2(callee, &length);
  if (strncmp(name, "llvm.lifetime.start", 19) == 0 || strcmp(name, CS_PASS_SCOPE_BEGIN_NAME) == 0)
    return CS_PASS_SCOPE_START;
  if (strncmp(name, "llvm.lifetime.end", 17) == 0 || strcmp(name, CS_PASS_SCOPE_END_NAME) == 0)
    return CS_PASS_SCOPE_END;
  return CS_PASS_NO_MARKER;
}

static LLVMValueRef marked_variable(LLVMValueRef marker) {
  LLVMValueRef variable = LLVMGetOperand(marker, LLVMGetNumArgOperands(marker) - 1); /* older IR has the size first */
  while (LLVMIsAAddrSpaceCastInst(variable))
    variable = LLVMGetOperand(variable, 0);
  return variable;
}

static void add_markers(struct cs_pass_markers *markers, LLVMValueRef pointer) {
  for (LLVMUseRef use = LLVMGetFirstUse(pointer); use; use = LLVMGetNextUse(use)) {
    LLVMValueRef user = LLVMGetUser(use);
    if (cs_pass_marker_of(user) != CS_PASS_NO_MARKER)
      cs_pass_push(markers->items, markers->count, markers->capacity, user);
    else if (LLVMIsAAddrSpaceCastInst(user))
      add_markers(markers, user);
  }
}

struct cs_pass_markers cs_pass_markers_of(LLVMValueRef variable) {
  struct cs_pass_markers markers = {0};
  add_markers(&markers, variable);
  return markers;
}

/* ---- may a pointer be used after its variable's scope? ---- */

/* Looks through a block from `from` (or its first instruction): 1 the user comes first, -1 the scope starts again, 0 neither. */
static int scan(LLVMValueRef from, LLVMValueRef variable, LLVMValueRef user) {
  for (LLVMValueRef i = from; i; i = LLVMGetNextInstruction(i)) {
    if (i == user)
      return 1;
    if (cs_pass_marker_of(i) == CS_PASS_SCOPE_START && marked_variable(i) == variable)
      return -1;
  }
  return 0;
}

static int reaches(struct cs_pass_map *seen, LLVMValueRef from, LLVMValueRef variable, LLVMValueRef user) {
  int found = scan(from, variable, user);
  if (found != 0)
    return found > 0;
  LLVMValueRef end = LLVMGetBasicBlockTerminator(LLVMGetInstructionParent(from));
  for (unsigned i = 0; i < LLVMGetNumSuccessors(end); i++) {
    LLVMBasicBlockRef next = LLVMGetSuccessor(end, i);
    if (cs_pass_map_get(seen, next))
      continue;
    cs_pass_map_set(seen, next, next);
    if (reaches(seen, LLVMGetFirstInstruction(next), variable, user))
      return 1;
  }
  return 0;
}

void cs_pass_note_outlived(struct cs_pass_variable *v, LLVMValueRef user) {
  struct cs_pass_markers markers = cs_pass_markers_of(v->value);
  for (size_t i = 0; i < markers.count && !v->outlived; i++) {
    if (cs_pass_marker_of(markers.items[i]) != CS_PASS_SCOPE_END)
      continue;
    struct cs_pass_map seen = {0};
    v->outlived = reaches(&seen, LLVMGetNextInstruction(markers.items[i]), v->value, user);
    cs_pass_map_free(&seen);
  }
  free(markers.items);
}

/* ---- the window ---- */

static void call_begin(struct cs_pass *pass, const struct cs_pass_variable *v) {
  LLVMValueRef arguments[] = {v->window, LLVMConstInt(pass->i64, v->bytes, 0),
                              LLVMConstInt(pass->i32, (cs_u32)__builtin_ctz(v->prefix), 0)};
  cs_pass_runtime_call(pass, CS_PASS_RUNTIME_LOCAL_BEGIN, arguments);
}

static void call_end(struct cs_pass *pass, const struct cs_pass_variable *v) {
  LLVMValueRef window = v->window;
  cs_pass_runtime_call(pass, CS_PASS_RUNTIME_LOCAL_END, &window);
}

/* Markers become updates of the word. They do not stay: they would let another variable have the memory, and the next
 * activation could not see which identity was used last. Returns how many scopes start. */
static unsigned replace_markers(struct cs_pass *pass, const struct cs_pass_variable *v, LLVMValueRef function) {
  struct cs_pass_markers markers = cs_pass_markers_of(v->value);
  unsigned starts = 0;
  for (size_t i = 0; i < markers.count; i++) {
    LLVMValueRef marker = markers.items[i];
    LLVMPositionBuilderBefore(pass->builder, marker);
    cs_pass_locate(pass, marker, function);
    if (cs_pass_marker_of(marker) == CS_PASS_SCOPE_START) {
      call_begin(pass, v);
      starts++;
    } else {
      call_end(pass, v);
    }
    LLVMInstructionEraseFromParent(marker);
  }
  free(markers.items);
  return starts;
}

static void end_at_returns(struct cs_pass *pass, const struct cs_pass_variable *v, LLVMValueRef function) {
  for (LLVMBasicBlockRef block = LLVMGetFirstBasicBlock(function); block; block = LLVMGetNextBasicBlock(block)) {
    LLVMValueRef last = LLVMGetBasicBlockTerminator(block);
    if (LLVMGetInstructionOpcode(last) != LLVMRet)
      continue;
    LLVMPositionBuilderBefore(pass->builder, last);
    cs_pass_locate(pass, last, function);
    call_end(pass, v);
  }
}

void cs_pass_window_local(struct cs_pass *pass, struct cs_pass_variable *v) {
  unsigned align = LLVMGetAlignment(v->value);
  cs_u32 prefix = align > CS_LOCAL_PREFIX ? align : CS_LOCAL_PREFIX, tag = cs_local_tag(prefix, v->bytes);
  if (tag == 0)
    return;
  LLVMBasicBlockRef block = LLVMGetInstructionParent(v->value);
  LLVMValueRef function = LLVMGetBasicBlockParent(block);
  LLVMTypeRef i8 = LLVMInt8TypeInContext(pass->context);
  LLVMPositionBuilderBefore(pass->builder, v->value);
  cs_pass_locate(pass, NULL, function);
  v->tag = tag;
  v->prefix = prefix;
  v->window = LLVMBuildAlloca(pass->builder, LLVMArrayType2(i8, cs_local_bytes(tag)), "");
  LLVMSetAlignment(v->window, (unsigned)cs_local_bytes(tag));
  LLVMValueRef offset = LLVMConstInt(pass->i64, prefix, 0);
  v->start = LLVMBuildInBoundsGEP2(pass->builder, i8, v->window, &offset, 1, "");
  if (replace_markers(pass, v, function) == 0) {
    LLVMPositionBuilderBefore(pass->builder, v->value);
    cs_pass_locate(pass, NULL, function);
    call_begin(pass, v);
  }
  LLVMReplaceAllUsesWith(v->value, v->start);
  if (!cs_pass_is_kernel(function))
    end_at_returns(pass, v, function);
}
