/* version.h: two versions of a piece of code, of which one may leave checks away. Changes control flow. */
#ifndef CUSAFE_PASS_VERSION_H
#define CUSAFE_PASS_VERSION_H

#include "pass/bridge.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Where a function's own code begins, after its variables, all of which are moved in front of it. NULL: it may not be copied. */
LLVMValueRef cs_pass_version_entry(LLVMValueRef function);

/* Everything from `place` on is executed as it is if `good`, and as a copy otherwise. Instructions of the copy carry the
 * metadata `mark`. */
void cs_pass_version_function(LLVMValueRef place, LLVMValueRef good, unsigned mark);

/* A loop that may have two versions: it has a preheader, what leaves it leaves by phis, and it holds nothing that threads do
 * together, such as a barrier. */
struct cs_pass_loop {
  LLVMBasicBlockRef preheader, header;
  unsigned length;   /* instructions */
  unsigned versions; /* 0: it may not have two; the loops inside it may */
};
/* Visits the function's loops, outermost first. The visitor returns 1 to see the loops inside. */
typedef int (*cs_pass_visit_loop)(void *context, const struct cs_pass_loop *loop);
void cs_pass_visit_loops(const struct cs_pass_analyses *analyses, cs_pass_visit_loop visit, void *context);
int cs_pass_loop_contains(const struct cs_pass_analyses *analyses, LLVMBasicBlockRef header, LLVMBasicBlockRef block);

/* The preheader ends with a jump to the loop if `good`, to a copy otherwise. */
void cs_pass_version_loop(const struct cs_pass_analyses *analyses, LLVMBasicBlockRef header, LLVMValueRef good,
                          unsigned mark);

unsigned cs_pass_function_length(LLVMValueRef function);

#ifdef __cplusplus
}
#endif
#endif
