/* bridge.h: what the LLVM-C API lacks; bridge*.cpp are the only C++ in retarget/. */
#ifndef CUSAFE_RETARGET_BRIDGE_BRIDGE_H
#define CUSAFE_RETARGET_BRIDGE_BRIDGE_H

#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Links those definitions of source into module that module only declares. Consumes source. 0, or -1 after a message. */
int cs_rt_bridge_link_needed(LLVMModuleRef module, LLVMModuleRef source);

/* Gives all definitions but those in keep internal linkage, and removes what nothing uses. */
void cs_rt_bridge_internalize(LLVMModuleRef module, LLVMValueRef *keep, unsigned count);

/* Removes every attribute that a back end other than NVPTX could misread, from functions, parameters and calls.
 * optnone and noinline go as well, so that the code can be inlined; `kept` functions keep noinline. */
void cs_rt_bridge_strip_attributes(LLVMModuleRef module);

/* The program's functions are not cold, whatever the optimiser says (one that always traps is): only the checks' own are
 * kept apart. Before the library is linked, whose cold functions are too. */
void cs_rt_bridge_warm_up(LLVMModuleRef module);

/* Marks recursive functions, and those that are cold and noinline, noinline; all others alwaysinline. */
void cs_rt_bridge_mark_inlining(LLVMModuleRef module);

/* Those of the program's functions that stay functions return structures and arrays through a pointer, their first
 * parameter: the SPIR-V back end gets such values wrong. After cs_rt_bridge_mark_inlining. */
void cs_rt_bridge_return_in_memory(LLVMModuleRef module);

/* Phis, choices, loads and stores of structures and arrays become those of their scalars. */
void cs_rt_bridge_split_aggregates(LLVMModuleRef module);

/* Turns constant expressions over a global that instructions use into instructions, so that the global can be replaced. */
void cs_rt_bridge_expand_constants(LLVMValueRef global);

/* Splits the block before the instruction; the new block starts with it. */
LLVMBasicBlockRef cs_rt_bridge_split_before(LLVMValueRef instruction);

/* Ends the block just before the instruction, which goes away with all that follows; the caller adds a terminator. */
void cs_rt_bridge_truncate(LLVMValueRef instruction);

/* The same function with parameters of these types added at the end; the body moves, uses are the caller's to change. */
LLVMValueRef cs_rt_bridge_add_parameters(LLVMValueRef function, LLVMTypeRef *types, unsigned count);

/* The name as in the source, if it is one of C++; to be freed. */
char *cs_rt_bridge_demangle(const char *name);

/* Another function with the same body. */
LLVMValueRef cs_rt_bridge_copy_function(LLVMValueRef function);

/* 1 when a thread may reach one of these barriers while another of its block does not. */
int cs_rt_bridge_divergent(LLVMValueRef function, LLVMValueRef *barriers, unsigned count);

/* Lets the engine see that values which threads bring from different ways differ: see joins.c. */
void cs_rt_bridge_part_joins(LLVMValueRef function);

/* Gives every loop a single entry: the engine does not vectorise others, and warp operations need vectors. */
void cs_rt_bridge_make_reducible(LLVMModuleRef module);

/* 1 when a loop's way out depends on what an atomic operation or a volatile load in it has returned. */
int cs_rt_bridge_spins(LLVMValueRef function);
/* In a kernel. The engine branches around calls into the runtime that no lane makes: see cold.c. */
void cs_rt_bridge_skip_cold_calls(LLVMValueRef function);
/* Adds a loop with two entries, which no thread enters, so that the engine does not vectorise the function: see cold.c. */
void cs_rt_bridge_keep_scalar(LLVMValueRef function);
/* Branches whose condition is a constant, and what cannot be reached without them. */
void cs_rt_bridge_fold_branches(LLVMValueRef function);

/* Calls the mark wherever a loop goes round whose way out depends on a volatile load in it. */
void cs_rt_bridge_add_yields(LLVMValueRef function, LLVMValueRef mark);

/* Moves every value that lives in more than one block to the stack: blocks can then be wired anew. */
void cs_rt_bridge_demote(LLVMValueRef function);

/* Moves all allocas to the local address space (5), cast to generic. */
void cs_rt_bridge_local_allocas(LLVMModuleRef module);

/* 1 when the address of an alloca goes anywhere but to loads and stores. */
int cs_rt_bridge_escapes(LLVMValueRef alloca);

/* The underlying alloca of a pointer, or NULL. */
LLVMValueRef cs_rt_bridge_alloca_of(LLVMValueRef pointer);

/* Rewrites operations on integers that are no machine's (i24, i33, ...) as operations on the next power of two. */
void cs_rt_bridge_widen_integers(LLVMModuleRef module);

/* Replaces undef and poison operands by zeros, and freeze by its operand. */
void cs_rt_bridge_remove_undef(LLVMModuleRef module);

/* Sets the operands' address space 0 of atomics to global by casts: the engine has no generic atomics. */
void cs_rt_bridge_global_atomics(LLVMModuleRef module);

/* A copy of what some kernels need for SPIR-V: address spaces and calling conventions mapped, metadata dropped. Debug
 * information is gone before. */
LLVMModuleRef cs_rt_bridge_to_spirv(LLVMValueRef *kernels, unsigned count, const char *triple, const char *layout);
void cs_rt_bridge_strip_debug_info(LLVMModuleRef module);

#ifdef __cplusplus
}
#endif
#endif
