/* version.h: copies a function or a loop, so that it has a fast form or path and a checked one. Changes control
 * flow. */
#ifndef CUSAFE_PASS_BRIDGE_VERSION_H
#define CUSAFE_PASS_BRIDGE_VERSION_H

#include "pass/bridge/bridge.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The first instruction after the function's variables, all of which are moved before it. NULL: the function may not be
 * copied. */
LLVMValueRef cs_pass_version_entry(LLVMValueRef function);

/* Of copies of functions from before any optimisation, without checks (launch/bare.c). */
#define CS_PASS_BARE_PREFIX "__cs_bare."
#define CS_PASS_BARE_ATTRIBUTE "cusafe-bare" /* also of those that have become a form */

/* A copy of the function in the same module, with another name. */
LLVMValueRef cs_pass_version_copy(LLVMValueRef function, const char *name);

/* The function with further i64 parameters; the old one is deleted. Nothing refers to it. */
LLVMValueRef cs_pass_version_extend(LLVMValueRef function, unsigned parameters);

/* A loop. It may be copied if it has a preheader and is in LCSSA form, and nothing in it is convergent, as a barrier
 * is. */
struct cs_pass_loop {
  LLVMBasicBlockRef preheader, header;
  unsigned length; /* instructions */
  unsigned called; /* those of the functions that it calls, for each call */
  int may_copy;    /* 0: the loops inside it may have 1 */
};
/* Visits the function's loops, outermost first. The visitor returns 1 to see the loops inside. */
typedef int (*cs_pass_visit_loop)(void *context, const struct cs_pass_loop *loop);
void cs_pass_visit_loops(const struct cs_pass_analyses *analyses, cs_pass_visit_loop visit, void *context);
int cs_pass_loop_contains(const struct cs_pass_analyses *analyses, LLVMBasicBlockRef header, LLVMBasicBlockRef block);

/* The preheader ends with a jump to the loop if `holds`, to a copy otherwise. */
void cs_pass_version_loop(const struct cs_pass_analyses *analyses, LLVMBasicBlockRef header, LLVMValueRef holds,
                          unsigned mark);

unsigned cs_pass_function_length(LLVMValueRef function);

#ifdef __cplusplus
}
#endif
#endif
