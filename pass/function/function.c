/* function.c: one function while it is instrumented: what was collected in it, and the detectors' hooks. */
#include "pass/function/function.h"
#include "ir/memory.h"
#include "pass/function/choice.h"
#include "pass/function/detector.h"
#include "pass/module/kernels.h"
#include "pass/module/runtime.h"
#include <stdlib.h>

/* The runtime is not linked yet: a function with CuSafe's prefix is the bench's counter (count.c), and stays as it
 * is. */
void cs_pass_functions_list(struct cs_pass *pass) {
  for (LLVMValueRef f = LLVMGetFirstFunction(pass->module); f; f = LLVMGetNextFunction(f))
    if (!LLVMIsDeclaration(f) && !cs_pass_is_ours(f))
      cs_ir_push(pass->functions, pass->function_count, (struct cs_pass_function){.pass = pass, .value = f});
}

void cs_pass_function_collect(struct cs_pass_function *f) {
  struct cs_pass *pass = f->pass;
  f->analyses = pass->get_analyses(pass->analyses_owner, f->value, 0);
  f->kernel = cs_pass_reaching_kernel(pass, f->value);
  f->roots = (struct cs_pass_roots){.pass = pass, .analyses = f->analyses, .collected = &f->collected};
  cs_pass_collect(&f->collected, pass, f->value);
  for (const struct cs_pass_detector *const *d = pass->detectors; *d; d++)
    if ((*d)->survey)
      (*d)->survey(f);
}

int cs_pass_function_plan(struct cs_pass_function *f) {
  for (size_t i = 0; f->pass->detectors[i]; i++)
    if (f->pass->detectors[i]->plan)
      f->pass->detectors[i]->plan(f, &f->collected.found[i]);
  return 0;
}

int cs_pass_function_write(struct cs_pass_function *f) {
  for (size_t i = 0; f->pass->detectors[i]; i++)
    if (f->pass->detectors[i]->write)
      f->pass->detectors[i]->write(f, &f->collected.found[i]);
  return 0;
}

void cs_pass_function_release(struct cs_pass_function *f) {
  for (size_t i = 0; f->collected.found && f->pass->detectors[i]; i++)
    if (f->pass->detectors[i]->release)
      f->pass->detectors[i]->release(&f->collected.found[i]);
  cs_pass_choices_free(&f->roots);
  cs_pass_roots_free(&f->roots);
  cs_pass_collected_free(&f->collected);
}
