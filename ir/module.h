/* module.h: address spaces, kernels and attributes. */
#ifndef CUSAFE_IR_MODULE_H
#define CUSAFE_IR_MODULE_H

#include <llvm-c/Core.h>

/* NVPTX's address spaces. */
enum { CS_IR_SPACE_GENERIC, CS_IR_SPACE_GLOBAL, CS_IR_SPACE_SHARED = 3, CS_IR_SPACE_CONSTANT, CS_IR_SPACE_LOCAL };

enum { CS_IR_KERNEL = 71 }; /* LLVM's number for the calling convention of kernels */

/* The address space of a pointer or of a variable. */
unsigned cs_ir_space_of(LLVMValueRef pointer);
int cs_ir_is_kernel(LLVMValueRef function);

/* Enum attributes by their names in IR, such as "noinline". */
unsigned cs_ir_attribute_kind(const char *name);
LLVMAttributeRef cs_ir_attribute(LLVMContextRef context, const char *name);

#endif
