/* retarget.h: the unit of work and its steps, in the order in which main.c takes them. */
#ifndef CUSAFE_RETARGET_H
#define CUSAFE_RETARGET_H

#include "cusafe/image.h"
#include "retarget/bridge/bridge.h"
#include "retarget/write/lines.h"
#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

enum { CS_RT_SHARED_SPACE = 3 }; /* NVPTX's number for shared memory */

struct cs_rt_param {
  cs_u32 offset, size, align;
  int is_pointer;
};

struct cs_rt_kernel {
  char *name;
  LLVMValueRef function; /* ptx_kernel void (ptr addrspace(1) block, ptr addrspace(3) dynamic_shared) */
  struct cs_rt_param *params;
  unsigned param_count;
  cs_u32 param_bytes, static_shared, local_bytes, max_threads;
  unsigned good;     /* number of the version for grids of which all blocks pass the test (ahead.c); 0: none */
  LLVMValueRef test; /* of such a version: of the same type, for all blocks at once; else NULL */
  int uses_warp;
  int shaped;                /* its blocks have CUDA's dimensions; else they are ranges of one */
  int phases;                /* asks for the grid's workspace (grid.c) */
  int framed;                /* and its variables and shared memory are in that of struct cs_grid */
  int in_step;               /* its warps exchange values and count on the lock step */
  int spins;                 /* its threads may wait for each other */
  LLVMMemoryBufferRef spirv; /* of its group, when it is the first of one */
};

struct cs_rt_variable {
  char *name;
  LLVMValueRef global;
  cs_u64 size;
  int is_constant;
};

struct cs_rt_unit {
  LLVMContextRef context;
  LLVMModuleRef module; /* NVPTX until cs_rt_emit */
  LLVMTargetMachineRef nvptx;
  LLVMTargetDataRef layout;
  LLVMModuleRef support; /* never linked itself: the prototypes of the support library */
  struct cs_rt_kernel *kernels;
  unsigned kernel_count;
  unsigned program_count; /* of those, the program's own: they come first, and then versions of theirs */
  struct cs_rt_variable *variables;
  unsigned variable_count;
  unsigned address_count;      /* of variables, those without a name after the others */
  LLVMValueRef globals_kernel; /* NULL if there is nothing to tell or to fix */
  int checked;                 /* the pass has been here */
  int debug;                   /* for a debugger: it has lines, and stops at errors */
  struct cs_rt_lines lines;    /* then */
  unsigned refusals;
  LLVMMemoryBufferRef spirv; /* the module of variables; NULL if there are none */
};

/* Every step returns 0, or -1 after it has said why. Refusals are only counted, so that all of them are listed. */
int cs_rt_read(struct cs_rt_unit *unit, char **paths, int count);
int cs_rt_collect_kernels(struct cs_rt_unit *unit);
int cs_rt_collect_variables(struct cs_rt_unit *unit);
int cs_rt_resolve_function_pointers(struct cs_rt_unit *unit);
int cs_rt_fix_initializers(struct cs_rt_unit *unit);
int cs_rt_add_stops(struct cs_rt_unit *unit);
int cs_rt_wrap_kernels(struct cs_rt_unit *unit);
int cs_rt_inline(struct cs_rt_unit *unit);
int cs_rt_lower_exits(struct cs_rt_unit *unit);
int cs_rt_lower_barriers(struct cs_rt_unit *unit);
int cs_rt_test_ahead(struct cs_rt_unit *unit);
int cs_rt_add_versions(struct cs_rt_unit *unit);
int cs_rt_lower_memory(struct cs_rt_unit *unit);
int cs_rt_lower_launch(struct cs_rt_unit *unit);
int cs_rt_is_warp_call(LLVMValueRef callee); /* one of the engine's operations on sub-groups */
int cs_rt_find_lock_step(struct cs_rt_unit *unit);
int cs_rt_skip_cold_calls(struct cs_rt_unit *unit);
int cs_rt_part_joins(struct cs_rt_unit *unit);
int cs_rt_spins(LLVMValueRef function);
int cs_rt_number_blocks(struct cs_rt_unit *unit);
int cs_rt_find_spins(struct cs_rt_unit *unit);
int cs_rt_place_dynamic_shared(struct cs_rt_unit *unit);
int cs_rt_reach_variables(struct cs_rt_unit *unit);
/* The engine gives each block its copy of a shared variable, but not at every use of one that phis and selects choose: the others
 * would share one copy between all blocks. Such a variable has a single use in each function, from which all others derive. */
int cs_rt_anchor_shared(struct cs_rt_unit *unit);
int cs_rt_pointers_as_integers(struct cs_rt_unit *unit);
int cs_rt_place_memory(struct cs_rt_unit *unit);
int cs_rt_check(struct cs_rt_unit *unit);
int cs_rt_emit(struct cs_rt_unit *unit);
/* The second, which may be NULL: the same program for a debugger. */
int cs_rt_write_image(const struct cs_rt_unit *unit, const struct cs_rt_unit *debugged, const char *path);
/* The call that a debugger stops at, of the library, becomes an instruction of the machine. */
void cs_rt_place_breakpoints(struct cs_rt_unit *unit);

/* Replaces calls by calls of the support library, and links what they need. */
enum cs_rt_phase {
  CS_RT_DEVICE_CALLS, /* before inlining: external functions, inline assembly, all of NVVM but its special registers */
  CS_RT_ALL_CALLS     /* after it: everything */
};
int cs_rt_lower_calls(struct cs_rt_unit *unit, enum cs_rt_phase phase);
/* After the last optimisation: no call is left that the back end does not take. */
int cs_rt_settle_calls(struct cs_rt_unit *unit);

/* Passes in LLVM's textual form. */
int cs_rt_run_passes(struct cs_rt_unit *unit, const char *passes);

/* Says that something cannot be translated, with its place in the source; once for each place. */
void cs_rt_refuse(struct cs_rt_unit *unit, LLVMValueRef instruction, const char *what);
void cs_rt_refuse_undefined(struct cs_rt_unit *unit, LLVMValueRef call, const char *name);

/* A function of the support library ("shfl_up"), declared in the module. */
LLVMValueRef cs_rt_support_function(struct cs_rt_unit *unit, const char *name);
/* Calls it before the builder's position; arguments are converted (bool, integer widths). NULL if there is no such function. */
LLVMValueRef cs_rt_call_support(struct cs_rt_unit *unit, LLVMBuilderRef builder, const char *name, LLVMValueRef *args,
                                unsigned count, LLVMTypeRef result);
/* A function of the engine, by its mangled name; convergent when asked. */
LLVMValueRef cs_rt_engine_function(struct cs_rt_unit *unit, const char *name, LLVMTypeRef type, int convergent);

/* The launch's block, a pointer to global memory, in a kernel or a helper that knows it; NULL elsewhere. */
LLVMValueRef cs_rt_launch_block(struct cs_rt_unit *unit, LLVMValueRef function);
/* The kernel that tells addresses tells that of this variable, too. */
void cs_rt_tell_address(struct cs_rt_unit *unit, LLVMValueRef global, unsigned index);

/* Marks where a kernel that synchronises its grid waits for other blocks; returns how many calls there are. */
unsigned cs_rt_add_yields(struct cs_rt_unit *unit, struct cs_rt_kernel *kernel, LLVMValueRef **calls);
/* Moves the variables of a phased kernel, but one, to its frame, and its shared ones beside. */
void cs_rt_move_to_frame(struct cs_rt_unit *unit, struct cs_rt_kernel *kernel, LLVMValueRef but);

/* Inline PTX: translated or refused. */
void cs_rt_lower_asm(struct cs_rt_unit *unit, LLVMValueRef call);

/* Calls visit for each instruction of each function that is defined; the instruction may be removed by it. */
void cs_rt_each_instruction(LLVMModuleRef module, void (*visit)(LLVMValueRef instruction, void *with), void *with);
/* The name of the function a call calls directly; NULL if it calls a pointer, or for any other instruction. */
struct cs_rt_kernel *cs_rt_kernel_of(const struct cs_rt_unit *unit, LLVMValueRef function); /* NULL if it is none */
int cs_rt_is_kernel(const struct cs_rt_unit *unit, LLVMValueRef function);
const char *cs_rt_callee(LLVMValueRef instruction);
/* Memory, or the end of the compile: these never return NULL. cs_rt_grow: room for one element more. */
void *cs_rt_grow(void *array, unsigned count, size_t element);
void *cs_rt_resized(void *block, size_t bytes);
void *cs_rt_allocate(size_t count, size_t element); /* zeroed */
char *cs_rt_copy_text(const char *text, size_t length);
char *cs_rt_name_of(LLVMValueRef value);
int cs_rt_starts_with(const char *text, const char *prefix);
int cs_rt_used_in(LLVMValueRef value,
                  LLVMValueRef function); /* by its instructions, through constant expressions as well */
void cs_rt_replace_operand(LLVMValueRef instruction, LLVMValueRef old, LLVMValueRef by);
LLVMValueRef cs_rt_load_word(struct cs_rt_unit *unit, LLVMBuilderRef builder, LLVMValueRef base,
                             size_t offset); /* 64 bits */

#endif
