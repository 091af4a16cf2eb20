/* uses.h: what functions do with their pointer parameters, and what calls pass to them. */
#ifndef CUSAFE_PASS_CALLS_USES_H
#define CUSAFE_PASS_CALLS_USES_H

#include "pass/variables/lent.h"

/* A pointer parameter of a function that only this module calls. */
struct cs_pass_parameter {
  LLVMValueRef value;
  int kept; /* it may be stored or returned, or meets another pointer, or nothing is known of the code that gets it */
  int indexed;    /* accessed at an offset that is not constant, or negative */
  cs_u64 end;     /* of the bytes that are accessed at constant offsets */
  unsigned align; /* the largest alignment that an access requires */

  /* Filled by lend.c. */
  int is_refused;
  struct cs_pass_loan loan; /* bytes 0: no call seen yet */
};

/* A pointer argument of a call of instrumented code. */
struct cs_pass_passing {
  LLVMValueRef call;
  unsigned argument;
  LLVMValueRef root;                  /* NULL: several, or none */
  long long offset;                   /* from the root; negative: not constant, or negative */
  struct cs_pass_parameter **targets; /* the parameters that may receive it */
  size_t target_count;
  int is_open; /* other code may receive it, too */
};

struct cs_pass_uses {
  struct cs_ir_map parameters; /* parameter -> struct cs_pass_parameter */
  struct cs_pass_passing *passings;
  size_t passing_count;
  LLVMValueRef *taken; /* functions whose address is taken */
  size_t taken_count;
};

/* The program's only module: rdc units are linked before the pass runs. An indirect call reaches the functions of its
 * type whose address is taken. Changes nothing. */
struct cs_pass_uses cs_pass_uses_read(struct cs_pass *pass);
void cs_pass_uses_free(struct cs_pass_uses *uses);

#endif
