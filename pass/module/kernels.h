/* kernels.h: which kernel a device function belongs to. */
#ifndef CUSAFE_PASS_MODULE_KERNELS_H
#define CUSAFE_PASS_MODULE_KERNELS_H

#include "pass/module/pass.h"

/* The kernel that this one is the fast form of, or itself. */
LLVMValueRef cs_pass_exact_kernel(LLVMValueRef kernel);

/* The only kernel, in whichever form, from which the function can be called, or NULL. */
LLVMValueRef cs_pass_reaching_kernel(struct cs_pass *pass, LLVMValueRef function);

#endif
