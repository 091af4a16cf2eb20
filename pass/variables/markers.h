/* markers.h: where the scope of a local variable starts and ends: LLVM's lifetime markers, and the calls that hide
 * them. */
#ifndef CUSAFE_PASS_VARIABLES_MARKERS_H
#define CUSAFE_PASS_VARIABLES_MARKERS_H

#include "pass/bridge/invalid.h"
#include "pass/module/pass.h"
#include <llvm-c/Core.h>

/* What detect_scope.c calls instead of a marker, with CS_PASS_SCOPE_BEGIN_NAME: LLVM does not know what they do. */
#define CS_PASS_SCOPE_END_NAME "__cs_scope_end"

enum cs_pass_marker { CS_PASS_NO_MARKER, CS_PASS_SCOPE_START, CS_PASS_SCOPE_END };
enum cs_pass_marker cs_pass_marker_of(LLVMValueRef instruction);

/* The alloca whose scope the marker concerns. */
LLVMValueRef cs_pass_marked_variable(LLVMValueRef marker);

/* All markers of a variable. The caller frees items. */
struct cs_pass_markers {
  LLVMValueRef *items;
  size_t count;
};
struct cs_pass_markers cs_pass_markers_of(LLVMValueRef variable);

/* 1 if calls have replaced the variable's markers. */
int cs_pass_scope_is_hidden(LLVMValueRef variable);

/* LLVM's optimisations have run: each variable has one address again, which is its root. */
int cs_pass_release_scopes(struct cs_pass *pass);

/* 1 if a path leads from the end of the variable's scope to the instruction. */
int cs_pass_is_used_after_scope(LLVMValueRef variable, LLVMValueRef user);

/* 1 if the variable's scope may start again after the phi or select was computed and before the instruction uses it. */
int cs_pass_scope_restarts(LLVMValueRef variable, LLVMValueRef meeting, LLVMValueRef user);

#endif
