/* spins.h: functions in which threads wait for each other. */
#ifndef CUSAFE_RETARGET_ENGINE_QUIRKS_SPINS_H
#define CUSAFE_RETARGET_ENGINE_QUIRKS_SPINS_H

#include <llvm-c/Core.h>

/* Whether a loop in the function may wait for another thread, or the function calls a recursive one. */
int cs_rt_spins(LLVMValueRef function);

#endif
