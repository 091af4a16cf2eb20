/* numbers.h: integers made of pointers. */
#ifndef CUSAFE_PASS_NUMBERS_H
#define CUSAFE_PASS_NUMBERS_H

#include "pass/pass.h"

/* 1 if the user compares or subtracts two integers that are made of pointers: it concerns addresses. Any other use may meet what is
 * in memory, where pointers to variables carry more than their address: a compare-and-swap of a list's head. */
int cs_pass_concerns_addresses(LLVMValueRef user);

/* An integer that has uses of both sorts becomes two. */
void cs_pass_split_numbers(LLVMValueRef function);

#endif
