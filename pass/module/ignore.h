/* ignore.h: the files and functions that the user leaves unchecked. */
#ifndef CUSAFE_PASS_MODULE_IGNORE_H
#define CUSAFE_PASS_MODULE_IGNORE_H

#include "ir/map.h"
#include "pass/bridge/bridge.h"
#include "pass/module/ignore_rules.h"

struct cs_pass_ignore {
  struct cs_pass_ignore_rules list;
  struct cs_ir_map known; /* scope -> a text: empty if it is not in the list */
};

void cs_pass_ignore_free(struct cs_pass_ignore *ignore);

/* Functions marked CUSAFE_NO_CHECK (cli/cc/cusafe_nvcc.h). They are noted in the code as clang wrote it, since inlined
 * code loses its function, and added to the list before checks are planned. */
void cs_pass_note_unchecked_functions(LLVMModuleRef module);
void cs_pass_ignore_noted(struct cs_pass_ignore *ignore, LLVMModuleRef module);

/* Whether the function that the instruction was written in, or that function's file, is in the list. */
int cs_pass_ignored(struct cs_pass_ignore *ignore, LLVMValueRef instruction);

#endif
