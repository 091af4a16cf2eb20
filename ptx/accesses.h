/* accesses.h: which operands of inline PTX are addresses, and which bytes are accessed there. */
#ifndef CUSAFE_PTX_ACCESSES_H
#define CUSAFE_PTX_ACCESSES_H

#include "cusafe/abi.h"
#include "ptx/inline.h"

enum { CS_PTX_MAX_OPERANDS = 32, CS_PTX_ALWAYS = -1, CS_PTX_LANES = 32 };

/* All accesses through one operand of the asm statement. */
struct cs_ptx_use {
  enum cs_access access;
  long long low, high; /* accessed bytes, relative to the operand; no access if they are equal and scale is 0 */
  unsigned scale, by;  /* `scale` more bytes, if it is not 0, for each unit of the value of operand `by` */
  int completes;       /* 1 + the operand that is the mbarrier which expects those bytes; 0 if there is none */
  unsigned lanes;      /* the lanes of a warp below this number access the memory */
  unsigned align;      /* of the address at low; a power of two */
  int shared;          /* the operand is a 32-bit address in shared memory; otherwise a generic or global one */
  int guard, negated;  /* accessed only if operand `guard` is not 0 (negated: is 0); or CS_PTX_ALWAYS */
  int mentioned;       /* also read as a value */
  int unclear;         /* its uses contradict each other */
};

/* Stores the value of an operand that is a constant. Returns 1, or 0 if it is not one. */
typedef int cs_ptx_constant(void *context, unsigned operand, cs_u64 *value);

/* Fills uses, indexed by operand. Omits accesses that may not happen: under a computed predicate, or in text with
 * branches. */
void cs_ptx_read(const struct cs_ptx_inline *tree, struct cs_ptx_use uses[CS_PTX_MAX_OPERANDS],
                 cs_ptx_constant *constant, void *context);

#endif
