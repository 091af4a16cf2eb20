/* lent.h: parameters through which a function only ever accesses variables of its callers, whose bounds are known: the
 * attributes that calls/lend.c sets and later steps read. */
#ifndef CUSAFE_PASS_VARIABLES_LENT_H
#define CUSAFE_PASS_VARIABLES_LENT_H

#include "pass/module/pass.h"

/* What every caller passes: a plain pointer to this many bytes of a variable in this memory. */
struct cs_pass_loan {
  cs_u64 bytes; /* 0: nothing is known */
  enum cs_memory memory;
};

struct cs_pass_loan cs_pass_loan_of(LLVMValueRef parameter);
void cs_pass_set_loan(struct cs_pass *pass, LLVMValueRef parameter, struct cs_pass_loan loan);

/* 1 if the call passes the plain address: the argument does not escape. */
int cs_pass_is_lent(LLVMValueRef call, unsigned argument);
void cs_pass_set_lent(struct cs_pass *pass, LLVMValueRef call, unsigned argument);

#endif
