/* access.h: the operands that the pass rewrites: accesses to check, pointers that escape, pointers that must be plain
 * addresses. */
#ifndef CUSAFE_PASS_FUNCTION_ACCESS_H
#define CUSAFE_PASS_FUNCTION_ACCESS_H

#include "pass/module/pass.h"
#include "pass/module/reasons.h"

/* One pointer operand through which an instruction accesses memory. */
struct cs_pass_access_item {
  LLVMValueRef instruction;
  unsigned operand;
  enum cs_access access;
  cs_u64 bytes;        /* 0: only known at run time */
  unsigned align;      /* that the instruction requires */
  LLVMValueRef length; /* of a memory intrinsic */

  /* Filled by read.c. */
  LLVMValueRef root;                 /* NULL: no check */
  struct cs_pass_variable *variable; /* the root, if it is a variable, */
  struct cs_pass_choice *choice;     /* or the variables among which the root is chosen */
  /* Filled by detect_bounds.c. */
  int aligned;                /* the address is aligned if the root is */
  enum cs_pass_reason reason; /* without a root: why there is no check */
};

/* One pointer operand that is stored, passed or returned (an escape), or that must be a plain address: compared,
 * converted, or given to code that is not instrumented (a number). */
struct cs_pass_pointer_use {
  LLVMValueRef instruction;
  unsigned operand;

  /* Filled by read.c. */
  LLVMValueRef root;
  struct cs_pass_variable *into; /* the variable that it is stored in, if uninstrumented code reads that */
};

struct cs_pass_found;

/* All of one function. */
struct cs_pass_collected {
  struct cs_pass_access_item *accesses;
  size_t access_count;
  struct cs_pass_pointer_use *escapes;
  size_t escape_count;
  struct cs_pass_pointer_use *numbers;
  size_t number_count;
  unsigned ignored;            /* accesses in code that the user leaves unchecked: they need plain addresses */
  struct cs_pass_found *found; /* by detector, in the order of pass->detectors */
  size_t found_count;
};

/* Changes nothing in the function. */
void cs_pass_collect(struct cs_pass_collected *collected, struct cs_pass *pass, LLVMValueRef function);
void cs_pass_collected_free(struct cs_pass_collected *collected);

void cs_pass_add_escape(struct cs_pass_collected *collected, LLVMValueRef instruction, unsigned operand);

/* The alignment that a call states for one of its arguments; 1 if none. */
unsigned cs_pass_argument_align(LLVMValueRef call, unsigned argument);

#endif
