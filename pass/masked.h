/* masked.h: masked loads and stores as ordinary ones. */
#ifndef CUSAFE_PASS_MASKED_H
#define CUSAFE_PASS_MASKED_H

#include <llvm-c/Core.h>

/* Turns those whose mask is constant into one access for each run of lanes that are on: the others may lie anywhere. */
void cs_pass_expand_masked(LLVMValueRef function);

#endif
