/* used.h: the variables that LLVM must keep. */
#ifndef CUSAFE_PASS_BRIDGE_USED_H
#define CUSAFE_PASS_BRIDGE_USED_H

#include <llvm-c/Core.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Takes shared variables out of the list of variables that LLVM must keep: its members cannot be replaced. */
void cs_pass_release_shared(LLVMModuleRef module);

#ifdef __cplusplus
}
#endif
#endif
