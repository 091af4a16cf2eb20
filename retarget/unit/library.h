/* library.h: calls of the support library (retarget/support) and of the engine's built-in functions. */
#ifndef CUSAFE_RETARGET_UNIT_LIBRARY_H
#define CUSAFE_RETARGET_UNIT_LIBRARY_H

#include "retarget/unit/unit.h"

/* OpenCL's built-in functions by their mangled names: u64 (u32 dimension). */
#define CS_RT_ENGINE_LOCAL_ID "_Z12get_local_idj"
#define CS_RT_ENGINE_GROUP_ID "_Z12get_group_idj"

/* Stand-ins for what LLVM cannot write as SPIR-V (write/pointer_calls.c); X is a function of the module.
 * CS_RT_ELSEWHERE X: a call of the function at the address that is the first argument. Its type is that of X.
 * CS_RT_ADDRESS_OF X: X's address as an integer. */
#define CS_RT_ELSEWHERE "__cr_elsewhere."
#define CS_RT_ADDRESS_OF "__cr_address_of."

/* Whether a function of this name is the runtime's or the support library's. */
int cs_rt_is_of_runtime(const char *name);
/* A new copy of the support library; NULL if its bitcode cannot be read. */
LLVMModuleRef cs_rt_parse_library(LLVMContextRef context);
/* The library's function __cr_NAME, declared in the module; NULL if there is none. */
LLVMValueRef cs_rt_library_function(struct cs_rt_unit *unit, const char *name);
/* Calls it at the builder's position. Integers, pointers and structures are converted to the parameters' types, and the
 * result to `result`. NULL if the library has no such function, or one with more parameters. */
LLVMValueRef cs_rt_call_library(struct cs_rt_unit *unit, LLVMBuilderRef builder, const char *name, LLVMValueRef *args,
                                unsigned count, LLVMTypeRef result);
/* The block's shared variable of this name, with so many 64-bit words, which the library's functions get. */
LLVMValueRef cs_rt_library_shared(struct cs_rt_unit *unit, const char *name, unsigned words);
/* The value as the type: integers are zero-extended or truncated, pointers cast, structures converted by element. */
LLVMValueRef cs_rt_convert(LLVMBuilderRef builder, LLVMValueRef value, LLVMTypeRef to);

/* A function of the engine by its mangled name, declared in the module. */
LLVMValueRef cs_rt_engine_function(struct cs_rt_unit *unit, const char *name, LLVMTypeRef type, int convergent);
/* Whether the function is one of the engine's operations on sub-groups, which are warps. */
int cs_rt_is_warp_call(LLVMValueRef function);

#endif
