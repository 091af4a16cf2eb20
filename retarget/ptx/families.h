/* families.h: the families of PTX instructions, one function each; ptx/opcodes.inc maps opcodes to families. A function
 * returns 0 for a statement that it cannot translate. */
#ifndef CUSAFE_RETARGET_PTX_FAMILIES_H
#define CUSAFE_RETARGET_PTX_FAMILIES_H

#include "retarget/ptx/values.h"

#define CS_PTX_OPCODE(opcode, access, lift, cpu, traits)                                                               \
  int cs_rt_ptx_##cpu(struct cs_rt_asm *a, const struct cs_ptx_instruction *s);
#include "ptx/opcodes.inc"
/* cp.async.mbarrier.arrive. */
int cs_rt_ptx_copies_arrive(struct cs_rt_asm *a, const struct cs_ptx_instruction *s);
/* The family `arithmetic` for integer types. */
int cs_rt_ptx_integer(struct cs_rt_asm *a, const struct cs_ptx_instruction *s, struct cs_ptx_type type);

#endif
