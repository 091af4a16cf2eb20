/* globals.h: variables of the module. */
#ifndef CUSAFE_LIFT_GLOBALS_H
#define CUSAFE_LIFT_GLOBALS_H

#include "lift/unit.h"

/* Declares a variable, of the module or of a function's shared memory. Returns its symbol. */
struct cs_lift_symbol *cs_lift_declare_variable(struct cs_lift_unit *unit, const struct cs_ptx_variable *v);
/* The bits of one element, and the number of elements; at most CS_LIFT_MAX_BYTES are in range for
 * cs_lift_is_too_large. */
unsigned cs_lift_element_bits(const struct cs_ptx_variable *v);
unsigned long long cs_lift_length(const struct cs_ptx_variable *v);
/* More than any device has. LLVM computes sizes in 64 bits. */
#define CS_LIFT_MAX_BYTES (1ull << 44)
/* Rejects a variable of more than CS_LIFT_MAX_BYTES. Returns 1 then. */
int cs_lift_is_too_large(struct cs_lift_unit *unit, const struct cs_ptx_variable *v);

#endif
