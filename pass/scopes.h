/* scopes.h: keeps a use after scope visible until the checks are added.
 *
 * To LLVM a variable's memory is nobody's after its scope, so at -O1 and above it deletes what the checks are to report. Before
 * any optimisation, the markers of those variables whose address may outlive them are turned into calls that LLVM cannot
 * look into; the pass reads them as the markers they were. All other variables are optimised as ever. */
#ifndef CUSAFE_PASS_SCOPES_H
#define CUSAFE_PASS_SCOPES_H

#include "pass/bridge.h"

#define CS_PASS_SCOPE_BEGIN_NAME "__cs_scope_begin"
#define CS_PASS_SCOPE_END_NAME "__cs_scope_end"

#ifdef __cplusplus
extern "C" {
#endif

void cs_pass_keep_scopes(LLVMModuleRef module, cs_pass_get_analyses get, void *self);

/* Lets every variable live as long as its function. */
void cs_pass_drop_scopes(LLVMModuleRef module);

/* Removes the calls that nobody needed in the end. */
void cs_pass_forget_scopes(LLVMModuleRef module);

#ifdef __cplusplus
}
#endif
#endif
