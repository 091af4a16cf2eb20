/* calls.h: numbers host stacks whose fingerprints are equal, by the offsets of their calls. */
#ifndef CUSAFE_HOST_STACKS_CALLS_H
#define CUSAFE_HOST_STACKS_CALLS_H

#include "report/finding.h"

/* The number of a stack among those with the same fingerprint, from 1. It depends on the program's code only, not on
 * which of its calls were executed: for each frame of user code, the calls of the same function from the same function
 * that differ by their lines only are numbered by their offsets. 1 if the code cannot be read. One caller at a time. */
cs_u64 cs_host_calls_number(const struct cs_stack *stack);

#endif
