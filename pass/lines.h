/* lines.h: the source line of an access, wherever the optimiser has moved it. */
#ifndef CUSAFE_PASS_LINES_H
#define CUSAFE_PASS_LINES_H

#include "pass/bridge.h"
#include "pass/headers.h"

/* The pointer that a load, a store or an atomic instruction goes through; NULL for all others. */
LLVMValueRef cs_pass_accessed_by(LLVMValueRef instruction);

/* At the beginning of the pipeline. */
void cs_pass_remember_lines(LLVMModuleRef module);

/* After inlining, before code is moved: with the calls that the accesses were inlined at. */
void cs_pass_remember_chains(LLVMValueRef function);

/* A debug location, with a line of the user's if one is known; NULL without debug information. Without headers (NULL), where the access
 * was written, whether it is the user's or not. */
LLVMMetadataRef cs_pass_line_of(struct cs_pass_headers *headers, LLVMValueRef instruction);

#endif
