/* instructions.h: the instructions that have IR of their own, as ptx/opcodes.inc lists them. A function returns 0 for a
 * form that it does not know: then the instruction becomes inline PTX. */
#ifndef CUSAFE_LIFT_INSTRUCTIONS_H
#define CUSAFE_LIFT_INSTRUCTIONS_H

#include "lift/unit.h"

#define CS_PTX_OPCODE(opcode, access, lift, cpu, traits)                                                               \
  int cs_lift_##lift(struct cs_lift_function *f, const struct cs_ptx_instruction *i);
#include "ptx/opcodes.inc"

#endif
