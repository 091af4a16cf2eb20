/* masked.h: masked loads and stores as ordinary ones. */
#ifndef CUSAFE_PASS_FUNCTION_MASKED_H
#define CUSAFE_PASS_FUNCTION_MASKED_H

#include <llvm-c/Core.h>

/* Replaces an access under a constant mask by one for each run of lanes that are on: lanes that are off may be out of
 * bounds. */
void cs_pass_expand_masked(LLVMValueRef function);

#endif
