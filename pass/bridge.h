/* bridge.h: what the pass needs of LLVM and the LLVM-C API does not give; implemented in C++ by bridge.cpp, the one file that
 * knows LLVM's C++ API and its version. */
#ifndef CUSAFE_PASS_BRIDGE_H
#define CUSAFE_PASS_BRIDGE_H

#include <llvm-c/Core.h>
#include <llvm-c/DebugInfo.h>
#include <llvm-c/Target.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Analyses of one function. Valid until its control flow changes; the pass inserts only straight-line code. */
struct cs_pass_analyses;

/* 1 if the value is defined on every path to the instruction. Constants and arguments are. */
int cs_pass_dominates(const struct cs_pass_analyses *analyses, LLVMValueRef value, LLVMValueRef instruction);
LLVMBasicBlockRef cs_pass_common_dominator(const struct cs_pass_analyses *analyses, LLVMBasicBlockRef a,
                                           LLVMBasicBlockRef b);

/* The preheader of the outermost loop around `block` in which `value` does not change, or NULL if there is no such loop. */
LLVMBasicBlockRef cs_pass_hoist_block(const struct cs_pass_analyses *analyses, LLVMBasicBlockRef block,
                                      LLVMValueRef value);

/* 1 if the pointer is `base` plus a constant, which is stored in *offset. */
int cs_pass_constant_offset(LLVMTargetDataRef layout, LLVMValueRef pointer, LLVMValueRef base, long long *offset);

/* 1 if the pointer is `base` plus a constant plus a 32-bit number times a power of two. */
struct cs_pass_index {
  LLVMValueRef index; /* i32 */
  unsigned shift;
  long long offset;
  int is_unsigned; /* extended without its sign */
};
int cs_pass_index_of(LLVMTargetDataRef layout, LLVMValueRef pointer, LLVMValueRef base, struct cs_pass_index *index);

/* Turns constant expressions over a global that instructions use into instructions. */
void cs_pass_expand_constants(LLVMValueRef global);

/* The function returns, and writes to nothing that the program can see. */
void cs_pass_set_unseen(LLVMValueRef function);

/* 1 if everything that the getelementptr adds is a multiple of the alignment. */
int cs_pass_steps_by(LLVMTargetDataRef layout, LLVMValueRef gep, unsigned align);

/* Names in the debug information of a scope; "" if there are none. Not owned by the caller. */
const char *cs_pass_scope_function(LLVMMetadataRef scope, size_t *length);

/* The function of the debug information that the scope is in, or NULL. */
LLVMMetadataRef cs_pass_scope_program(LLVMMetadataRef scope);

/* The name as the user wrote it; the same name if it is not a mangled one. Cut if there is no room for it. */
void cs_pass_demangle(const char *name, char *to, size_t room);

/* What not to check (cusafe/skips.inc). */
enum cs_pass_skip {
#define CS_SKIP(id, name) CS_PASS_SKIP_##id,
#include "cusafe/skips.inc"
  CS_PASS_SKIP_COUNT
};

/* Options from the command line: -mllvm -cusafe-... */
struct cs_pass_options {
  const char *runtime;    /* bitcode file of the device runtime */
  const char *metadata;   /* "table" or "window" */
  const char *eliminate;  /* which eliminations: "all", "none", or a list (reasons.inc) */
  const char *ignorelist; /* a file of functions and files that stay unchecked, or "" */
  unsigned skips;         /* bits by enum cs_pass_skip */
  int statistics;         /* print for each function what was checked, and what was not */
  int unknown;            /* print each access that nothing bounds */
  const char *toolkit;    /* the folder of the CUDA toolkit, or "" (headers.h) */
  const char *registers;  /* file of the registers that the bare kernels take, or "" (registers.c) */
};

/* The way back: instruments one NVPTX module. Called by the bridge, implemented by pass.c. `get` yields a function's
 * analyses, made anew if its control flow has changed. Returns 0, or -1 after saying in one sentence on stderr what is wrong. */
typedef const struct cs_pass_analyses *(*cs_pass_get_analyses)(void *self, LLVMValueRef function, int anew);
/* Before anything is optimised: takes out clang's calls about pointer arithmetic (`array - first`), which it makes like those
 * about an index. Such a pointer may come back before it is used, and if it does not, its use is checked. (field.c) */
void cs_pass_forget_arithmetic(LLVMModuleRef module);
/* Before anything else: what is passed to functions need not be set in all threads (attributes.c). */
void cs_pass_allow_undefined(LLVMModuleRef module);
/* And notes which of the others are about an array that is a whole variable. (arrays.c) */
void cs_pass_note_arrays(LLVMModuleRef module);
/* Of code that was compiled for checks and gets none: all such calls. (field.c) */
void cs_pass_forget_fields(LLVMModuleRef module);
/* Before anything is optimised: the optimiser takes away memory that nobody needs with all calls that free it, and stores in front of
 * a call that frees, and errors in them would be missed; so it does not see what the functions are. (access.c) */
void cs_pass_hide_heap(LLVMModuleRef module);
/* Before anything is optimised, and once more at the end: functions build the constants that hold addresses of shared
 * variables. (tables.c) */
void cs_pass_build_shared_tables(LLVMModuleRef module);
/* After everything else: counts what is left, if the module asks for it. (count.c) */
void cs_pass_count_accesses(LLVMModuleRef module);
/* Has the module count the checks that it executes, in __cs_checks. */
void cs_pass_count_checks(LLVMModuleRef module);
int cs_pass_instrument_module(LLVMModuleRef module, const struct cs_pass_options *options, cs_pass_get_analyses get,
                              void *self);

#ifdef __cplusplus
}
#endif
#endif
