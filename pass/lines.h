/* lines.h: the source line of an access, wherever the optimiser has moved it. */
#ifndef CUSAFE_PASS_LINES_H
#define CUSAFE_PASS_LINES_H

#include "pass/bridge.h"

#ifdef __cplusplus
extern "C" {
#endif

/* The pointer that a load, a store or an atomic instruction goes through; NULL for all others. */
LLVMValueRef cs_accessed_by(LLVMValueRef instruction);

/* At the beginning of the pipeline. */
void cs_remember_lines(LLVMModuleRef module);

/* A debug location; NULL without debug information. */
LLVMMetadataRef cs_line_of(LLVMValueRef instruction);

#ifdef __cplusplus
}
#endif

#endif
