/* predicate.h: evaluates a kernel's launch predicate (cusafe/predicate.h). Pure functions: what they need of the process is passed. */
#ifndef CUSAFE_HOST_MODULES_PREDICATE_H
#define CUSAFE_HOST_MODULES_PREDICATE_H

#include "cusafe/abi.h"
#include "cusafe/predicate.h"
#include <stddef.h>

/* A form of a module's table, with what it refers to. */
struct cs_host_form {
  struct cs_form form;
  const struct cs_kernel_parameter *parameters;
  const struct cs_operation *operations;
  const cs_u64 *constants;
  const char *fast; /* name of the fast form */
  cs_u64 *values;   /* of the operations, while they are evaluated; only in a copy */
};

/* The form of this kernel in a module's table; it points into the table. Returns 0, or -1 if there is none, or it is damaged. */
int cs_host_form_find(const struct cs_module *table, const char *kernel, struct cs_host_form *form);
/* The same in one block of memory, which the caller frees; NULL when out of memory. */
struct cs_host_form *cs_host_form_copy(const struct cs_host_form *form);

struct cs_host_buffer_bounds {
  cs_u64 start, size; /* as __cs_start and __cs_size return them (device/runtime.h) */
};

/* What a launch gives to the predicate. */
struct cs_host_launch_values {
  cs_u32 grid[3], block[3], dynamic;
  const char *const *parameters; /* the value of each */
  struct cs_host_buffer_bounds (*bounds_of)(cs_u64 pointer);
};

/* Whether the predicate holds for all blocks of the grid; then also the further parameters of the fast form, in bounds. Within a
 * budget, a grid for which it does not hold is split, and decided in parts. form: a copy, which one thread at a time uses. */
int cs_host_predicate_holds(struct cs_host_form *form, const struct cs_host_launch_values *launch, cs_u64 *bounds);

#endif
