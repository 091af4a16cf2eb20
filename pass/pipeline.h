/* pipeline.h: the list of steps (pipeline.inc), and how to run a part of it. */
#ifndef CUSAFE_PASS_PIPELINE_H
#define CUSAFE_PASS_PIPELINE_H

#include "pass/bridge/bridge.h"
#include "pass/module/options.h"

#ifdef __cplusplus
extern "C" {
#endif

enum cs_pass_phase {
  CS_PASS_PHASE_START,
  CS_PASS_PHASE_FOLDING,
  CS_PASS_PHASE_INLINED,
  CS_PASS_PHASE_PREPARE,
  CS_PASS_PHASE_SET_UP,
  CS_PASS_PHASE_PTX,
  CS_PASS_PHASE_CALLS,
  CS_PASS_PHASE_ELIMINATE,
  CS_PASS_PHASE_READ,
  CS_PASS_PHASE_VARIABLES,
  CS_PASS_PHASE_WRITE,
  CS_PASS_PHASE_EMIT,
  CS_PASS_PHASE_FINISH
};

enum cs_pass_step {
#define CS_PASS_MODULE(phase, id, name, function, when, reason) CS_PASS_STEP_##id,
#define CS_PASS_FUNCTION(phase, id, name, function, when, reason) CS_PASS_STEP_##id,
#define CS_PASS_LLVM(phase, id, name, when, reason) CS_PASS_STEP_##id,
#include "pass/pipeline.inc"
  CS_PASS_STEP_COUNT
};

enum cs_pass_phase cs_pass_phase_of(enum cs_pass_step step);

/* The number of the step, -1 for "", -2 after one sentence on stderr for a name that is none. */
int cs_pass_step_of(const char *option, const char *name);

/* 1 if the options ask for the step: by its `when` in the list, and not past -cusafe-stop-after. */
int cs_pass_step_is_on(const struct cs_pass_options *options, enum cs_pass_step step);

/* Runs CuSafe's own steps from `first` to `last` that are on. Returns 0, or -1 after one sentence on stderr. */
int cs_pass_run(LLVMModuleRef module, const struct cs_pass_options *options, cs_pass_get_analyses get, void *self,
                enum cs_pass_step first, enum cs_pass_step last);

/* Runs the steps of FOLDING or INLINED on one function. Returns as cs_pass_run(). */
int cs_pass_run_between(LLVMValueRef function, const struct cs_pass_options *options, enum cs_pass_phase phase);

/* After a step of LLVM's: prints the module if -cusafe-print-after names it. */
void cs_pass_print_after(LLVMModuleRef module, const struct cs_pass_options *options, enum cs_pass_step step);

#ifdef __cplusplus
}
#endif
#endif
