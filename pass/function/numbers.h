/* numbers.h: integers that are converted pointers. */
#ifndef CUSAFE_PASS_FUNCTION_NUMBERS_H
#define CUSAFE_PASS_FUNCTION_NUMBERS_H

#include "pass/module/pass.h"

/* 1 if the user compares or subtracts two converted pointers, or keeps some of the bits above the address and drops
 * others: only addresses matter. Any other use may be compared with what is in memory, where pointers to variables
 * carry more than their address: a compare-and-swap of a list's head. */
int cs_pass_concerns_addresses(LLVMValueRef user);

/* Converts a pointer twice if its integer has uses of both kinds. An integer that meets a converted pointer in a
 * difference or comparison, such as one that was loaded, is one too: the host may have stored the variable's plain
 * address, and a kernel one that carries more. */
void cs_pass_split_numbers(LLVMValueRef function);

#endif
