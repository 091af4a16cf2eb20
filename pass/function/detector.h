/* detector.h: what a detector is to the pass: one struct of hooks, in a file detect_<name>.c, with a row in
 * detectors.inc.
 *
 * The steps of pipeline.inc call the hooks, detector after detector, in the order of detectors.inc. Every hook may be
 * NULL. */
#ifndef CUSAFE_PASS_FUNCTION_DETECTOR_H
#define CUSAFE_PASS_FUNCTION_DETECTOR_H

#include "pass/module/pass.h"

struct cs_pass_condition;

/* What one detector has found in one function. */
struct cs_pass_found {
  LLVMValueRef *calls; /* that it has claimed and will rewrite */
  size_t call_count;
  LLVMValueRef *ignored; /* that it has claimed in code that the user leaves unchecked */
  size_t ignored_count;
  void *plan; /* its own, from plan() to release() */
};

struct cs_pass_detector {
  const char *name;

  /* On the module as clang wrote it, before LLVM optimises it. */
  void (*prepare)(struct cs_pass *pass);
  /* On the optimised module, after the device functions are declared and before any function is read. */
  void (*begin)(struct cs_pass *pass);

  /* Returns 1 if the call is this detector's, which it has added to found. Such a call is neither an access nor an
   * escape. Changes nothing in the module. */
  int (*collect)(struct cs_pass *pass, struct cs_pass_found *found, LLVMValueRef call);
  /* 1: a claimed call has an effect only where the program is wrong, so one that is proved unreachable may be
   * erased. */
  int only_reports;

  /* A kernel is about to get a fast form. Adds to the condition under which that runs, what the detector then need not
   * check (eliminate/condition.h). */
  void (*by_launch)(struct cs_pass_function *function, struct cs_pass_condition *condition);

  /* The function's accesses are collected; no root is chosen yet. Runs again for each elimination. */
  void (*survey)(struct cs_pass_function *function);
  /* Every access has its root. Decides what to check; may add companions, but no control flow. */
  void (*plan)(struct cs_pass_function *function, struct cs_pass_found *found);
  /* Inserts the checks. Variables have their metadata by now. */
  void (*write)(struct cs_pass_function *function, struct cs_pass_found *found);
  /* Frees found->plan. */
  void (*release)(struct cs_pass_found *found);

  /* After all functions are written, before the runtime is linked. */
  void (*finish)(struct cs_pass *pass);
};

#endif
