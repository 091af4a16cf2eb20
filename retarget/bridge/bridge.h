/* bridge.h: what the LLVM-C API lacks. Its implementation is the only C++ in retarget/. */
#ifndef CUSAFE_RETARGET_BRIDGE_BRIDGE_H
#define CUSAFE_RETARGET_BRIDGE_BRIDGE_H

#include "retarget/unit/lines.h"
#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Links those definitions of source into module that module only declares. Consumes source. 0, or -1 after a
 * message. */
int cs_rt_bridge_link_needed(LLVMModuleRef module, LLVMModuleRef source);

/* Gives all definitions but those in keep internal linkage, and removes unused ones. */
void cs_rt_bridge_internalize(LLVMModuleRef module, LLVMValueRef *keep, unsigned count);

/* Removes the attributes of functions, parameters and calls that only hold for NVPTX, and those that prevent inlining:
 * noinline stays on cold functions only. byval arguments become copies of the caller. */
void cs_rt_bridge_strip_attributes(LLVMModuleRef module);

/* Removes `cold` from the program's functions, which the optimiser infers for those that always trap: only cold
 * functions of the runtime stay out of line. Before the support library is linked, whose cold functions stay out of
 * line as well. */
void cs_rt_bridge_unmark_cold(LLVMModuleRef module);

/* Marks recursive functions, and those that are cold and noinline, as noinline, and all others as alwaysinline. If
 * `keep_warps`, the functions of the support library that use the engine's sub-groups are noinline, too. */
void cs_rt_bridge_mark_inlining(LLVMModuleRef module, int keep_warps);

/* Makes functions of the program that are not inlined return structures and arrays through a pointer, their first
 * parameter: the SPIR-V back end gets such values wrong. After cs_rt_bridge_mark_inlining. */
void cs_rt_bridge_return_in_memory(LLVMModuleRef module);

/* Splits phis, selects, loads and stores of structures and arrays into those of their scalars. */
void cs_rt_bridge_split_aggregates(LLVMModuleRef module);

/* Turns constant expressions over a global that instructions use into instructions, so that the global can be
 * replaced. */
void cs_rt_bridge_expand_constants(LLVMValueRef global);

/* Splits the block before the instruction; the new block starts with it. */
LLVMBasicBlockRef cs_rt_bridge_split_before(LLVMValueRef instruction);

/* Removes the instruction and all that follow it in the block; the caller adds a terminator. */
void cs_rt_bridge_truncate(LLVMValueRef instruction);

/* A function with parameters of these types added at the end. The body moves to it; the caller replaces the uses. */
LLVMValueRef cs_rt_bridge_add_parameters(LLVMValueRef function, LLVMTypeRef *types, unsigned count);

/* The name as in the source; the caller frees it. */
char *cs_rt_bridge_demangle(const char *name);

/* A copy of the function. */
LLVMValueRef cs_rt_bridge_copy_function(LLVMValueRef function);

/* Whether a thread may reach one of these barriers while another thread of its block does not. */
int cs_rt_bridge_divergent(LLVMValueRef function, LLVMValueRef *barriers, unsigned count);

/* Adds 1 to `skipped`, a 32-bit variable on the stack, wherever a thread has passed a condition without a barrier
 * that stands under it, if it may reach another barrier: threads that reach a barrier together have equal counts. A
 * condition with others under it counts once, and so does a loop. Only conditions that may differ between the threads
 * of a block. */
void cs_rt_bridge_count_skipped(LLVMValueRef function, LLVMValueRef *barriers, unsigned count, LLVMValueRef skipped);

/* Makes the engine see that phis of divergent threads differ: see joins.c. */
void cs_rt_bridge_separate_joins(LLVMValueRef function);

/* Gives every loop a single entry. */
void cs_rt_bridge_make_reducible(LLVMModuleRef module);

/* Whether a volatile load in a loop decides its exit, or the result of an atomic operation one of its branches. */
int cs_rt_bridge_spins(LLVMValueRef function);
/* In a kernel: makes the engine branch around calls into the runtime that no lane makes: see cold.c. */
void cs_rt_bridge_skip_cold_calls(LLVMValueRef function);
/* Removes the function's body. It stays internal to the module. */
void cs_rt_bridge_empty(LLVMValueRef function);
/* Adds a loop with two entries that no thread enters, so that the engine does not vectorise the function: see
 * cold.c. */
void cs_rt_bridge_keep_scalar(LLVMValueRef function);

/* Whether the function has a loop that ends with the value of a volatile load. */
int cs_rt_bridge_waits(LLVMValueRef function);
/* Whether the thread that yields at this call repeats that until what it waits for has happened (__cr_awaited), and
 * nothing else ends the loop. */
int cs_rt_bridge_only_waits(LLVMValueRef yield);
/* Whether the instruction loads a value that another thread may store, so that a loop may wait for it. */
int cs_rt_bridge_may_poll(LLVMValueRef instruction);
/* Calls the mark, with the address, at the end of each iteration of a loop that only loads such a value again until it
 * changes. A loop with a mark gets no other. */
void cs_rt_bridge_mark_polls(LLVMValueRef function, LLVMValueRef mark);
/* Calls the mark at the end of each iteration of a loop whose exit depends on a volatile load in it. */
void cs_rt_bridge_add_yields(LLVMValueRef function, LLVMValueRef mark);

/* Moves every value that is live in more than one basic block to the stack, so that control flow can change. */
void cs_rt_bridge_demote(LLVMValueRef function);

/* Moves all allocas to the local address space (5), and casts them to generic. */
void cs_rt_bridge_local_allocas(LLVMModuleRef module);

/* Whether the address of an alloca is used other than in loads and stores. */
int cs_rt_bridge_escapes(LLVMValueRef alloca);

/* The underlying alloca of a pointer, or NULL. */
LLVMValueRef cs_rt_bridge_alloca_of(LLVMValueRef pointer);

/* Gives variables with integers above 64 bits a type of the same size and alignment that has none. */
void cs_rt_bridge_retype_wide_variables(LLVMModuleRef module);

/* Whether an instruction has an integer above 64 bits. */
int cs_rt_bridge_has_wide_integers(LLVMModuleRef module);

/* Rewrites operations on integers above 64 bits as operations on their limbs of 64 bits. A function with an operation
 * that has no such form, as a division or a call, keeps all of them. */
void cs_rt_bridge_split_wide_integers(LLVMModuleRef module);

/* Rewrites operations on integers of unusual widths (i24, i33, ...) as operations on the next power of two. */
void cs_rt_bridge_widen_integers(LLVMModuleRef module);

/* Replaces undef and poison operands by zeros, and freeze by its operand. */
void cs_rt_bridge_remove_undef(LLVMModuleRef module);

/* Casts generic addresses of atomics to global: the engine has no generic atomics. */
void cs_rt_bridge_global_atomics(LLVMModuleRef module);

/* A module for SPIR-V with the kernels and all that they use: address spaces and calling conventions mapped, metadata
 * removed. After cs_rt_bridge_strip_debug_info. */
LLVMModuleRef cs_rt_bridge_to_spirv(LLVMValueRef *kernels, unsigned count, const char *triple, const char *layout);
void cs_rt_bridge_strip_debug_info(LLVMModuleRef module);

/* Fills the table from the module's debug locations, and inserts the marks before instructions. In the listed functions
 * it also keeps variables on the stack: those of unoptimised code, of basic types and pointers to them. */
void cs_rt_bridge_mark_lines(LLVMModuleRef module, struct cs_rt_lines *lines, LLVMValueRef *functions, unsigned count);

#ifdef __cplusplus
}
#endif
#endif
