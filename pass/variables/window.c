/* window.c: windows for local variables: aligned memory, with a metadata word that holds the size while the variable is
 * in scope. */
#include "pass/variables/window.h"
#include "ir/module.h"
#include "pass/module/build.h"
#include "pass/module/kernels.h"
#include "pass/module/runtime.h"
#include "pass/variables/markers.h"
#include <stdlib.h>

static void call_begin(struct cs_pass *pass, const struct cs_pass_variable *v) {
  LLVMValueRef arguments[] = {v->window, LLVMConstInt(pass->i64, v->bytes, 0),
                              LLVMConstInt(pass->i32, (cs_u32)__builtin_ctz(v->prefix), 0)};
  cs_pass_runtime_call(pass, CS_PASS_RUNTIME_LOCAL_BEGIN, arguments);
}

static void call_end(struct cs_pass *pass, const struct cs_pass_variable *v) {
  LLVMValueRef window = v->window;
  cs_pass_runtime_call(pass, CS_PASS_RUNTIME_LOCAL_END, &window);
}

/* Replaces markers by updates of the metadata word. They must not stay: with them, LLVM would give the memory to
 * another variable, and the next scope could not read which key was used last. Returns how many scopes start. */
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
  if (!cs_ir_is_kernel(function))
    end_at_returns(pass, v, function);
}
