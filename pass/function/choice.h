/* choice.h: the bounds of a pointer that is chosen among variables.
 *
 * Where the addresses of several variables meet in phis and selects (two shared buffers that swap roles), the bounds of
 * each are known at compile time; only the choice is made at run time. So the bounds are chosen alongside the pointer:
 * companions of the phis and selects carry the start and the size of the chosen variable. No variable has to escape for
 * that. */
#ifndef CUSAFE_PASS_FUNCTION_CHOICE_H
#define CUSAFE_PASS_FUNCTION_CHOICE_H

#include "pass/function/roots.h"

struct cs_pass_choice {
  LLVMValueRef meeting;                /* the phi or select */
  struct cs_pass_variable **variables; /* among which it chooses; at least one */
  size_t count;
  int has_null;    /* null is among the choices */
  int is_bare;     /* the meeting is the chosen variable's start: no arithmetic on any path to it */
  cs_u64 smallest; /* bytes that every choice has; 0: null or dynamic shared memory is among them */

  LLVMValueRef start, size; /* cs_pass_choice_bounds(): generic pointer, i64 */
};

/* The choice that the pointer is derived from; NULL unless all that meets there is null or a variable that is in scope
 * at every access. Inserts nothing. The roots own it. */
struct cs_pass_choice *cs_pass_choice_of(struct cs_pass_roots *roots, LLVMValueRef pointer);

/* Fills start and size, with companions where the values differ. Only straight-line code is added. */
void cs_pass_choice_bounds(struct cs_pass_roots *roots, struct cs_pass_choice *choice);

/* 1 if the pointer is at a constant offset from the chosen variable, and this many bytes there are inside of it, for
 * every choice. */
int cs_pass_choice_holds(struct cs_pass_roots *roots, LLVMValueRef pointer, cs_u64 bytes);

/* Calls visit for every local variable that the pointer may be derived from; `through` has the phis and selects on all
 * ways to variables. */
typedef void cs_pass_local_visitor(struct cs_pass_roots *, struct cs_pass_variable *, const struct cs_ir_map *through,
                                   LLVMValueRef user);
void cs_pass_visit_locals(struct cs_pass_roots *roots, LLVMValueRef pointer, cs_pass_local_visitor *visit,
                          LLVMValueRef user);

void cs_pass_choices_free(struct cs_pass_roots *roots);

#endif
