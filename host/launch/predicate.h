/* predicate.h: evaluates a kernel's launch predicate (cusafe/predicate.h). Pure functions: what they need of the
 * process is passed. */
#ifndef CUSAFE_HOST_LAUNCH_PREDICATE_H
#define CUSAFE_HOST_LAUNCH_PREDICATE_H

#include "host/modules/form.h"

struct cs_host_buffer_bounds {
  cs_u64 start, size; /* as __cs_start and __cs_size return them (device/runtime.h) */
};

/* Buffers that were found: looking one up takes more time than the rest. */
#define CS_HOST_FOUND_MAX 48u
struct cs_host_found {
  unsigned count, last; /* last: the one that was asked for last */
  cs_u64 pointers[CS_HOST_FOUND_MAX];
  struct cs_host_buffer_bounds bounds[CS_HOST_FOUND_MAX];
};

/* What a launch gives to the predicate. */
struct cs_host_launch_values {
  cs_u32 grid[3], block[3], dynamic;
  const char *const *parameters; /* the value of each */
  struct cs_host_buffer_bounds (*bounds_of)(cs_u64 pointer);
  void (*bounds_of_all)(const cs_u64 *pointers, unsigned count, struct cs_host_buffer_bounds *bounds);
};

/* The value of a CS_OPERATION_PARAMETER. */
cs_u64 cs_host_predicate_parameter(const struct cs_host_launch_values *launch, const struct cs_operation *operation);

/* Whether the predicate holds for all blocks of the grid; then also the further parameters of the fast form, in bounds.
 * Within a budget, a grid for which it does not hold is split, and decided in parts. form: a copy, which one thread at
 * a time uses. found: what is known of buffers, to which more is added. */
int cs_host_predicate_holds(struct cs_host_form *form, const struct cs_host_launch_values *launch,
                            struct cs_host_found *found, cs_u64 *bounds);

#endif
