/* form.h: the forms of a kernel in a module's table, with the operations of its launch predicate (cusafe/predicate.h).
 * Pure functions. */
#ifndef CUSAFE_HOST_MODULES_FORM_H
#define CUSAFE_HOST_MODULES_FORM_H

#include "cusafe/abi.h"
#include "cusafe/predicate.h"

/* A form of a module's table, with what it refers to. */
struct cs_host_form {
  struct cs_form form;
  const struct cs_kernel_parameter *parameters;
  const struct cs_operation *operations;
  const cs_u64 *constants;
  const char *fast; /* name of the fast form */
  cs_u64 *values;   /* of the operations, while they are evaluated; only in a copy */
};

/* The form of this kernel in a module's table; it points into the table. Returns 0, or -1 if there is none, or it is
 * damaged. */
int cs_host_form_find(const struct cs_module *table, const char *kernel, struct cs_host_form *form);
/* The same in one block of memory, which the caller frees; NULL when out of memory. */
struct cs_host_form *cs_host_form_copy(const struct cs_host_form *form);

/* How many operands each operation has (cusafe/predicate.inc). */
extern const unsigned char cs_host_operand_counts[CS_OPERATION_COUNT];

#endif
