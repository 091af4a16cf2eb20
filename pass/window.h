/* window.h: puts a local variable into a window of its own, and keeps the window's word in step with the variable's scope. */
#ifndef CUSAFE_PASS_WINDOW_H
#define CUSAFE_PASS_WINDOW_H

#include "pass/objects.h"

/* Leaves the variable as it is when no window fits it. */
void cs_pass_window_local(struct cs_pass *pass, struct cs_pass_variable *variable);

/* Is the instruction a lifetime marker, or what scopes.c has made of one? */
enum cs_pass_marker { CS_PASS_NO_MARKER, CS_PASS_SCOPE_START, CS_PASS_SCOPE_END };
enum cs_pass_marker cs_pass_marker_of(LLVMValueRef instruction);

/* All markers of a variable. The caller frees items. */
struct cs_pass_markers {
  LLVMValueRef *items;
  size_t count, capacity;
};
struct cs_pass_markers cs_pass_markers_of(LLVMValueRef variable);

#endif
