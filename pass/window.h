/* window.h: puts a local variable into a window of its own, and keeps the window's word in step with the variable's scope. */
#ifndef CUSAFE_PASS_WINDOW_H
#define CUSAFE_PASS_WINDOW_H

#include "pass/objects.h"

/* Leaves the variable as it is when no window fits it. */
void cs_window_local(struct cs_pass *pass, struct cs_variable *variable);

/* Is the instruction a lifetime marker, or what scopes.c has made of one? */
enum cs_marker { CS_NO_MARKER, CS_SCOPE_START, CS_SCOPE_END };
enum cs_marker cs_marker_of(LLVMValueRef instruction);

/* All markers of a variable. The caller frees items. */
struct cs_markers {
  LLVMValueRef *items;
  size_t count, capacity;
};
struct cs_markers cs_markers_of(LLVMValueRef variable);

#endif
