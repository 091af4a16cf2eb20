/* predicate.h: the launch predicate: what the host computes before a launch to choose the form of a kernel that runs.
 *
 * A kernel has its exact form, with every check, under its own name. It may have a fast form, another kernel, without
 * the checks that the predicate covers: if the predicate holds for all blocks of the grid, no such check could fail.
 * The fast form may take further parameters, the bounds that its remaining checks compare with; the host computes them
 * as well.
 *
 * Code of `cusafe cc --sampled` has a third form, the bare one, which has no checks at all.
 *
 * Predicate and bounds are one list of operations in an order in which they can be evaluated. Operation i has the value
 * i. A value has `width` bits, and zeros above them. */
#ifndef CUSAFE_PREDICATE_H
#define CUSAFE_PREDICATE_H

#include "cusafe/ir.h"
#include "cusafe/layout.h"

enum cs_operation_code {
#define CS_OPERATION(id, name, operands) CS_OPERATION_##id,
#include "cusafe/predicate.inc"
  CS_OPERATION_COUNT
};

struct cs_operation {
  unsigned char code;  /* enum cs_operation_code */
  unsigned char width; /* of its operands: 1 to 64 */
  unsigned short a, b, c;
};

/* A parameter of a kernel, as CUDA lays it out. */
struct cs_kernel_parameter {
  cs_u32 offset, size;
};

#define CS_FORM_OPERATIONS 8192u /* at most */
#define CS_FORM_BOUNDS 64u

/* A kernel with a fast form. Names are offsets into the string pool of the module's table. */
struct cs_form {
  cs_u32 kernel, fast; /* names */
  cs_u32 first_parameter,
      parameter_count; /* of the kernel; those of the fast form have `bound_count` more, of 8 bytes each */
  cs_u32 first_operation, operation_count;
  cs_u32 first_constant, constant_count;
  cs_u32 holds; /* the operation that says whether the predicate holds: 0 or 1 */
  cs_u32 bound_count;
  cs_u32 checks; /* that the fast form still has; 0: it is unchecked */
  cs_u32 reserved;
  unsigned short bounds[CS_FORM_BOUNDS]; /* the operations whose values are the further parameters */
};

/* The length of the kernel's own name, if this is the name of its fast or of its bare form; 0 otherwise. */
static inline unsigned long cs_fast_of(const char *name, unsigned long length) {
  unsigned long suffix = sizeof CS_FAST_SUFFIX - 1;
  const char *end = name + length - suffix;
  return length > suffix && (__builtin_memcmp(end, CS_FAST_SUFFIX, suffix) == 0 ||
                             __builtin_memcmp(end, CS_BARE_SUFFIX, suffix) == 0)
             ? length - suffix
             : 0;
}

_Static_assert(sizeof CS_FAST_SUFFIX == sizeof CS_BARE_SUFFIX, "cs_fast_of");
_Static_assert(sizeof(struct cs_operation) == 8, "cs_operation");
_Static_assert(sizeof(struct cs_form) == 48 + 2 * CS_FORM_BOUNDS, "cs_form");

#endif
