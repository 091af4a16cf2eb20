/* instructions.h: the instructions that have IR of their own. A function returns 0 for a form that it does not know: then the
 * instruction becomes inline PTX. */
#ifndef CUSAFE_LIFT_INSTRUCTIONS_H
#define CUSAFE_LIFT_INSTRUCTIONS_H

#include "lift/unit.h"

#define CS_LIFT_OPCODE(opcode, function)                                                                               \
  int cs_lift_##function(struct cs_lift_function *f, const struct cs_ptx_instruction *i);
#include "lift/instructions.inc"

#endif
