/* recursion.h: calls of recursive functions. */
#ifndef CUSAFE_RETARGET_ENGINE_QUIRKS_RECURSION_H
#define CUSAFE_RETARGET_ENGINE_QUIRKS_RECURSION_H

#include <llvm-c/Core.h>

/* Whether a call calls a recursive function: after inlining, only those and cold functions of the runtime and of the
 * support library are left. */
int cs_rt_is_recursive_call(LLVMValueRef instruction);
/* In a module for the engine. */
void cs_rt_separate_results(LLVMModuleRef module);

#endif
