/* bridge.h: what the pass needs of LLVM beyond the LLVM-C API. Only the C++ files of this folder and of pass/ranges,
 * and plugin.cpp, use LLVM's C++ API, so only they depend on its version. */
#ifndef CUSAFE_PASS_BRIDGE_BRIDGE_H
#define CUSAFE_PASS_BRIDGE_BRIDGE_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#ifdef __cplusplus
extern "C" {
#endif

/* LLVM's analyses of one function (analyses.h). Valid until its control flow changes. */
struct cs_pass_analyses;

/* Returns a function's analyses; `again` computes them again, after a change of its control flow. */
typedef const struct cs_pass_analyses *(*cs_pass_get_analyses)(void *self, LLVMValueRef function, int again);

/* 1 if the value is defined on every path to the instruction. Constants and arguments are. */
int cs_pass_dominates(const struct cs_pass_analyses *analyses, LLVMValueRef value, LLVMValueRef instruction);
/* Replaces each use of the value that `by`, an instruction which uses it, dominates. Returns how many others remain. */
unsigned cs_pass_replace_dominated(const struct cs_pass_analyses *analyses, LLVMValueRef value, LLVMValueRef by);
LLVMBasicBlockRef cs_pass_common_dominator(const struct cs_pass_analyses *analyses, LLVMBasicBlockRef a,
                                           LLVMBasicBlockRef b);

/* The preheader of the outermost loop around `block` in which `value` does not change, or NULL if there is no such
 * loop. */
LLVMBasicBlockRef cs_pass_hoist_block(const struct cs_pass_analyses *analyses, LLVMBasicBlockRef block,
                                      LLVMValueRef value);

/* 1 if the pointer is `base` plus a constant, which is stored in *offset. */
int cs_pass_constant_offset(LLVMTargetDataRef layout, LLVMValueRef pointer, LLVMValueRef base, long long *offset);

/* An address as `base` plus a constant plus a 32-bit index times a power of two. */
struct cs_pass_index {
  LLVMValueRef index; /* i32 */
  unsigned shift;
  long long offset;
  int is_unsigned; /* zero-extended */
};
/* 1 if the pointer has that form. */
int cs_pass_index_of(LLVMTargetDataRef layout, LLVMValueRef pointer, LLVMValueRef base, struct cs_pass_index *index);

/* 1 if every term that the getelementptr adds is a multiple of the alignment. */
int cs_pass_steps_by(LLVMTargetDataRef layout, LLVMValueRef gep, unsigned align);

/* 1 if the value is loaded from the hidden member of an object that points to its class's virtual functions. Clang
 * marks such loads at -O1 and above. */
int cs_pass_is_virtual_pointer(LLVMValueRef value);

/* Turns constant expressions over a global that instructions use into instructions. */
void cs_pass_expand_constants(LLVMValueRef global);

/* The same for integers derived from the addresses of variables, in the whole module. */
void cs_pass_expand_constant_integers(LLVMModuleRef module);

/* Makes values of the function's variables whose addresses it only loads from and stores to. */
void cs_pass_promote(LLVMValueRef function);

/* Declares that the function returns, and writes to nothing that the program can see. */
void cs_pass_set_unseen(LLVMValueRef function);

/* The linkage name of the function that the scope is in, or its plain name; "" if there is none. LLVM owns it. */
const char *cs_pass_scope_function(LLVMMetadataRef scope, size_t *length);

/* The DISubprogram that the scope is in, or NULL. */
LLVMMetadataRef cs_pass_scope_program(LLVMMetadataRef scope);

/* The name as the user wrote it; the same name if it is not a mangled one. Truncated to `room` bytes. */
void cs_pass_demangle(const char *name, char *to, size_t room);

/* Ends the compilation with LLVM's message if the module is not valid IR. */
void cs_pass_verify(LLVMModuleRef module);

#ifdef __cplusplus
}
#endif
#endif
