/* instructions.h: walks the instructions of a function, and answers questions about one. */
#ifndef CUSAFE_IR_INSTRUCTIONS_H
#define CUSAFE_IR_INSTRUCTIONS_H

#include <llvm-c/Core.h>

/* All instructions of a function, block by block; NULL after the last one. */
LLVMValueRef cs_ir_first(LLVMValueRef function);
LLVMValueRef cs_ir_next(LLVMValueRef instruction);
/* The first instruction after the allocas, which stay first: LLVM takes an alloca after a branch for one of variable
 * size. */
LLVMValueRef cs_ir_after_allocas(LLVMValueRef function);
/* The function that a direct call calls; NULL for indirect calls, inline assembly and all other instructions. */
LLVMValueRef cs_ir_callee(LLVMValueRef value);
/* The text of the inline assembly that it calls; NULL for all other values. */
const char *cs_ir_asm_text(LLVMValueRef value);
/* Whether all uses of a difference show that it is no pointer: pointers are not scaled, nor compared with constants.
 * nvcc divides a signed difference by adding its sign first, so sums are followed, for `steps` steps. */
int cs_ir_is_used_as_number(LLVMValueRef difference, int steps);

#endif
