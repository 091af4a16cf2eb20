/* pointer_calls.h: calls through pointers in a SPIR-V module (SPV_INTEL_function_pointers). */
#ifndef CUSAFE_RETARGET_WRITE_POINTER_CALLS_H
#define CUSAFE_RETARGET_WRITE_POINTER_CALLS_H

#include <llvm-c/Core.h>

/* The module with calls of recursive functions made through pointers, and without
 * stand-ins (library.h); consumes the buffer. NULL
 * if it is not SPIR-V. */
LLVMMemoryBufferRef cs_rt_write_pointer_calls(LLVMMemoryBufferRef spirv);

#endif
