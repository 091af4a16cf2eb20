/* instructions.h: walks and edits the instructions of a module. */
#ifndef CUSAFE_RETARGET_UNIT_INSTRUCTIONS_H
#define CUSAFE_RETARGET_UNIT_INSTRUCTIONS_H

#include "retarget/unit/unit.h"

/* Calls visit for each instruction of each defined function; visit may remove the instruction. */
void cs_rt_each_instruction(LLVMModuleRef module, void (*visit)(LLVMValueRef instruction, void *with), void *with);
/* The name of the function that a direct call calls; NULL for indirect calls and all other instructions. */
const char *cs_rt_callee(LLVMValueRef instruction);
/* Whether instructions of the function use the value, directly or through constant expressions. */
int cs_rt_used_in(LLVMValueRef value, LLVMValueRef function);
void cs_rt_replace_operand(LLVMValueRef instruction, LLVMValueRef old, LLVMValueRef by);
/* After the allocas of the entry block, which dominates the whole function. */
void cs_rt_position_at_start(LLVMBuilderRef builder, LLVMValueRef function);
/* Loads 64 bits at base + offset. */
LLVMValueRef cs_rt_load_u64(struct cs_rt_unit *unit, LLVMBuilderRef builder, LLVMValueRef base, size_t offset);
/* The number that the pass has given the instruction as metadata of this kind (cusafe/ir.h); -1 if it has not. */
long long cs_rt_number_of(const struct cs_rt_unit *unit, LLVMValueRef instruction, const char *kind);
/* A copy of the value's name; the caller frees it. */
char *cs_rt_name_of(LLVMValueRef value);

#endif
