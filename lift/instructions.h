/* instructions.h: the instructions that have IR of their own. A function returns 0 for a form that it does not know: then the
 * instruction becomes inline PTX. */
#ifndef CUSAFE_LIFT_INSTRUCTIONS_H
#define CUSAFE_LIFT_INSTRUCTIONS_H

#include "lift/unit.h"

#define CS_LIFT_OPCODE(opcode, function)                                                                               \
  int cs_lift_##function(struct cs_lift_function *f, const struct cs_ptx_instruction *i);
#include "lift/instructions.inc"

/* 1 if every part of the opcode after the first is a type or one of these words. */
int cs_lift_knows(const struct cs_ptx_instruction *i, const char *words);
int cs_lift_has(const struct cs_ptx_instruction *i, const char *part);
/* The first two types of the opcode. Returns their number. */
unsigned cs_lift_types(const struct cs_ptx_instruction *i, struct cs_ptx_type types[2]);

#endif
