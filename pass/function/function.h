/* function.h: one function while it is instrumented. */
#ifndef CUSAFE_PASS_FUNCTION_FUNCTION_H
#define CUSAFE_PASS_FUNCTION_FUNCTION_H

#include "pass/function/access.h"
#include "pass/function/roots.h"

struct cs_pass_function {
  struct cs_pass *pass;
  LLVMValueRef value;
  int is_fast; /* the fast form of a kernel (cusafe/predicate.h) */
  int is_rare; /* for a GPU, the exact form of a kernel whose fast form has no checks: to be small */

  /* From cs_pass_function_collect() on. */
  LLVMValueRef kernel; /* the only one that reaches the function, or NULL */
  const struct cs_pass_analyses *analyses;
  struct cs_pass_roots roots;
  struct cs_pass_collected collected;
};

/* Lists the functions with bodies, before the runtime's declarations come in. */
void cs_pass_functions_list(struct cs_pass *pass);

/* Collects what there is to rewrite, and calls the detectors' survey(). */
void cs_pass_function_collect(struct cs_pass_function *function);

/* Frees what was collected: the function may be collected again. */
void cs_pass_function_release(struct cs_pass_function *function);

/* For function steps: calls this hook of all detectors. */
int cs_pass_function_plan(struct cs_pass_function *function);
int cs_pass_function_write(struct cs_pass_function *function);

#endif
