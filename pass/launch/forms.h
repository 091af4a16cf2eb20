/* forms.h: the fast forms of kernels (cusafe/predicate.h), from the copy to the tables that the host reads. */
#ifndef CUSAFE_PASS_LAUNCH_FORMS_H
#define CUSAFE_PASS_LAUNCH_FORMS_H

#include "pass/launch/program.h"

struct cs_pass_form {
  LLVMValueRef kernel, fast;
  struct cs_pass_program program;
  int holds;       /* the predicate's operation */
  unsigned length; /* of the fast form when it was copied, in instructions */
};

/* The step after all functions are written: bounds become parameters, and the forms enter the module's table. Returns
 * 0. */
int cs_pass_forms_finish(struct cs_pass *pass);
void cs_pass_forms_free(struct cs_pass *pass);

#endif
