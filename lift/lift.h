/* lift.h: PTX text to NVPTX IR, in one process. */
#ifndef CUSAFE_LIFT_LIFT_H
#define CUSAFE_LIFT_LIFT_H

#include "lift/unit.h"
#include <stdio.h>

/* A text, and the module that it becomes. Zero before its first use, but for print_after. */
struct cs_lift_input {
  struct cs_ptx_module ptx;
  struct cs_lift_unit unit;
  char *text;
  const char *print_after; /* the name of a step, after which the IR is printed on stderr; NULL: none */
};

/* Whether steps.inc has a step with this name. */
int cs_lift_is_step(const char *name);
/* Prints all steps, with their reasons. */
void cs_lift_list_steps(FILE *to);

/* These return 0, or CS_LIFT_REFUSED or CS_LIFT_BUG after a message. */
/* Writes the module of a text, in which addresses are integers. Takes the text, which was allocated; the path is for
 * messages and must outlive the input. */
int cs_lift_read(struct cs_lift_input *in, char *text, const char *path, LLVMContextRef context);
/* Links all inputs to the first one's module, and infers which integers are addresses. */
int cs_lift_join(struct cs_lift_input *inputs, size_t count);
/* Also of an input that could not be read. */
void cs_lift_release(struct cs_lift_input *in);

#endif
