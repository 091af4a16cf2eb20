/* accesses.h: which operands of an inline PTX statement are addresses, and what is accessed there. */
#ifndef CUSAFE_PTX_ACCESSES_H
#define CUSAFE_PTX_ACCESSES_H

#include "cusafe/abi.h"

enum { CS_PTX_OPERANDS = 32, CS_PTX_ALWAYS = -1 };

/* All accesses through one operand of the asm statement. */
struct cs_ptx_use {
  enum cs_access access;
  long long low, high; /* bytes from the operand's address; none if they are the same */
  unsigned align;      /* of the address at low; a power of two */
  int shared;          /* the operand is a number in shared memory; otherwise a generic or global address */
  int guard, negated;  /* only if this operand is not 0, or if it is 0; or CS_PTX_ALWAYS */
  int mentioned;       /* it is read as a value, too */
  int unclear;         /* it is used in ways that contradict each other */
};

/* How to ask for an operand that is a constant. */
typedef int cs_ptx_constant(void *context, unsigned operand, cs_u64 *value);

/* Fills uses, by the operands' numbers in the plain text. What is not certain to be accessed is left out: by a computed predicate, or
 * in a text with jumps. */
void cs_ptx_read(const char *text, struct cs_ptx_use uses[CS_PTX_OPERANDS], cs_ptx_constant *constant, void *context);

#endif
