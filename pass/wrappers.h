/* wrappers.h: at -O0, inlines the toolkit's and clang's own little device functions.
 *
 * atomicAdd, __ldg, operator delete and the like are functions in headers. Without inlining, an error in them would be reported
 * on a line of the header, and nothing would say where the program called it. */
#ifndef CUSAFE_PASS_WRAPPERS_H
#define CUSAFE_PASS_WRAPPERS_H

#include "pass/bridge.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Only marks them; the inliner runs afterwards. */
void cs_mark_wrappers(LLVMModuleRef module);

#ifdef __cplusplus
}
#endif
#endif
