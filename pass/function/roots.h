/* roots.h: the pointer from which a pointer is derived.
 *
 * Within a function provenance is exact: arithmetic and casts are traced back, and where two roots meet in a phi or a
 * select, a companion phi or select of the roots is built next to it. */
#ifndef CUSAFE_PASS_FUNCTION_ROOTS_H
#define CUSAFE_PASS_FUNCTION_ROOTS_H

#include "pass/function/access.h"
#include "pass/variables/objects.h"

struct cs_pass_roots {
  struct cs_pass *pass;
  const struct cs_pass_analyses *analyses;
  struct cs_pass_collected *collected; /* companions add escapes */
  struct cs_ir_map memo;               /* phi or select -> its root */
  struct cs_ir_map choices;            /* choice.c: phi or select -> struct cs_pass_choice */
  struct cs_ir_map earlier;            /* detect_scope.c: phis and selects that may hold a local of an earlier scope */
};

/* The value that arithmetic and casts lead back to. */
LLVMValueRef cs_pass_terminal_of(LLVMValueRef pointer);
int cs_pass_is_meeting(LLVMValueRef value); /* a phi or a select */

/* The root that bounds accesses through the pointer: a variable that the module names, or a pointer that has metadata.
 * NULL for others: null, a parameter that is passed by value. May insert companions; never changes control flow. */
LLVMValueRef cs_pass_root_of(struct cs_pass_roots *roots, LLVMValueRef pointer);
/* The root, but NULL where a companion would be needed. Inserts nothing. */
LLVMValueRef cs_pass_plain_root_of(struct cs_pass_roots *roots, LLVMValueRef pointer);
void cs_pass_roots_free(struct cs_pass_roots *roots);

/* 1 if every step from the root to the pointer is a multiple of the alignment: then one is aligned when the other is.
 * Without a root: from every variable that the pointer may be derived from. */
int cs_pass_keeps_alignment(struct cs_pass *pass, LLVMValueRef pointer, LLVMValueRef root, unsigned align);

/* 1 if only casts, and no arithmetic, are between the root and the pointer. */
int cs_pass_is_bare(LLVMValueRef pointer, LLVMValueRef root);

#endif
