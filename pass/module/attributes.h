/* attributes.h: attributes that instrumented code, or CUDA code as such, does not keep. */
#ifndef CUSAFE_PASS_MODULE_ATTRIBUTES_H
#define CUSAFE_PASS_MODULE_ATTRIBUTES_H

#include "pass/module/pass.h"

/* Removes noundef from parameters and arguments: a value that only some lanes have set may be passed on by all. */
int cs_pass_allow_undefined(struct cs_pass *pass);

/* Removes dereferenceable from parameters, arguments and results: LLVM must not read what the program does not. */
int cs_pass_allow_dangling(struct cs_pass *pass);

/* Removes the promises that checks break (memory effects, purity, non-capture) from the function and its calls. */
void cs_pass_strip_attributes(LLVMValueRef function);

#endif
