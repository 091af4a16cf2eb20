/* recursion.h: calls of recursive functions in a SPIR-V module. */
#ifndef CUSAFE_RETARGET_WRITE_RECURSION_H
#define CUSAFE_RETARGET_WRITE_RECURSION_H

#include <llvm-c/Core.h>

/* The module with these calls made through pointers; consumes the buffer. NULL if it is not SPIR-V. */
LLVMMemoryBufferRef cs_rt_hide_recursion(LLVMMemoryBufferRef spirv);

#endif
