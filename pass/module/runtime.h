/* runtime.h: the device runtime (device/) as the instrumented module sees it. */
#ifndef CUSAFE_PASS_MODULE_RUNTIME_H
#define CUSAFE_PASS_MODULE_RUNTIME_H

#include "pass/module/pass.h"

/* Declares the functions of device_functions.inc. */
void cs_pass_runtime_declare(struct cs_pass *pass);

/* Links the bitcode of -cusafe-runtime into the module and makes its functions internal. Returns 0, or -1 after one
 * sentence on stderr. */
int cs_pass_runtime_link(struct cs_pass *pass);

/* Calls a function of device_functions.inc at the builder's position. */
LLVMValueRef cs_pass_runtime_call(struct cs_pass *pass, enum cs_pass_runtime function, LLVMValueRef *arguments);

/* Calls a device function of a detector's own, which it declares if need be. signature: as in device_functions.inc. */
LLVMValueRef cs_pass_device_call(struct cs_pass *pass, const char *name, const char *signature,
                                 LLVMValueRef *arguments);

int cs_pass_is_ours(LLVMValueRef function); /* by its prefix */

/* 1 if the function calls one of ours: a fast form that does not is unchecked. */
int cs_pass_calls_ours(LLVMValueRef function);

#endif
