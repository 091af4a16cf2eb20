/* annotations.h: functions and variables with __attribute__((annotate(...))). */
#ifndef CUSAFE_PASS_MODULE_ANNOTATIONS_H
#define CUSAFE_PASS_MODULE_ANNOTATIONS_H

#include <llvm-c/Core.h>

/* Calls visit() for each function or variable that has the annotation; arguments: the structure of its further
 * arguments, or NULL. */
void cs_pass_each_annotated(LLVMModuleRef module, const char *text,
                            void (*visit)(LLVMModuleRef module, LLVMValueRef annotated, LLVMValueRef arguments));

#endif
