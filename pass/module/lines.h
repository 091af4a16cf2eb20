/* lines.h: the source line of an access, even after the optimiser has moved it. */
#ifndef CUSAFE_PASS_MODULE_LINES_H
#define CUSAFE_PASS_MODULE_LINES_H

#include "pass/bridge/bridge.h"
#include "pass/module/headers.h"

/* The pointer operand of a load, a store or an atomic instruction; NULL for all others. */
LLVMValueRef cs_pass_accessed_by(LLVMValueRef instruction);

/* On the code as clang wrote it. */
void cs_pass_remember_lines(LLVMModuleRef module);

/* After inlining, before code is moved: adds the calls through which an access was inlined. */
void cs_pass_remember_chains(LLVMValueRef function);

/* A debug location, in the user's code if one is known; NULL without debug information. With headers == NULL, the
 * location of the access itself, in any file. */
LLVMMetadataRef cs_pass_line_of(struct cs_pass_headers *headers, LLVMValueRef instruction);

#endif
