/* unit.h: the unit of work: the module that the steps of steps.inc translate, and what they learn about it. */
#ifndef CUSAFE_RETARGET_UNIT_UNIT_H
#define CUSAFE_RETARGET_UNIT_UNIT_H

#include "cusafe/image.h"
#include "retarget/unit/lines.h"
#include <llvm-c/Core.h>
#include <llvm-c/TargetMachine.h>

struct cs_rt_param {
  cs_u32 offset, size, align;
  int is_pointer;
};

struct cs_rt_kernel {
  char *name;
  LLVMValueRef function; /* after wrap-kernels: ptx_kernel void (ptr addrspace(1) block, ptr addrspace(3) dynamic) */
  struct cs_rt_param *params;
  unsigned param_count;
  cs_u32 param_bytes, static_shared, local_bytes, max_threads;
  int is_fast;               /* the fast form of another kernel (predicate.h) */
  int uses_warp;             /* compiled for sub-groups of 32 */
  int shaped;                /* groups have the block's three dimensions; else one */
  int phases;                /* reads the grid's workspace, so it may synchronise its grid (grid.c) */
  int framed;                /* its stack and shared variables are in the memory of struct cs_grid */
  int yields;                /* its threads wait for others of their block or grid, and yield (barriers.c) */
  int meets;                 /* its lanes do not run in lock step: warp operations go through memory (warps.c) */
  int in_step;               /* its threads exchange values and rely on the lock step of a warp */
  int fenced;                /* in_step because of a fence: its threads may have another order, too */
  int waits;                 /* its threads may wait for each other */
  int fails;                 /* calls functions that all programs share (failing_path.c) */
  int spins;                 /* it must run thread by thread: it waits or recurses */
  LLVMMemoryBufferRef spirv; /* the module of its group; NULL for all but the group's first kernel */
};

struct cs_rt_variable {
  char *name;
  LLVMValueRef global;
  cs_u64 size;
  int is_constant;
};

struct cs_rt_unit {
  LLVMContextRef context;
  LLVMModuleRef module; /* NVPTX IR up to the step `emit` */
  LLVMTargetMachineRef nvptx;
  LLVMTargetDataRef layout;
  LLVMModuleRef support; /* the support library, for its prototypes: never linked itself */
  struct cs_rt_kernel *kernels;
  unsigned kernel_count;
  struct cs_rt_variable *variables;
  unsigned variable_count;
  unsigned address_count;      /* slots in the table of variables: the named ones first */
  LLVMValueRef globals_kernel; /* CS_KERNEL_GLOBALS; NULL if the module has no variables */
  cs_u32 checked;              /* CS_IMAGE_CHECKED and others if the pass has instrumented the module */
  int part;                    /* of a module whose variables another image defines (CS_GLOBAL_EXTERNAL) */
  int debug;                   /* for a debugger: with source lines, and stops at errors */
  struct cs_rt_lines lines;    /* if debug */
  LLVMMemoryBufferRef failing; /* the module of what failing checks call (failing_path.c); NULL: kernels have copies */
  int makes_failing;           /* this one becomes that module */
  int shares_failing;          /* this one uses it */
  unsigned failing_slot;       /* of its addresses in the table of variables */
  int keeps_warps;             /* warp operations are still calls of the support library (warps.c) */
  int trusts_lock_step;        /* for tests: kernels that wait use the engine's sub-groups */
  unsigned refusals;
  LLVMMemoryBufferRef spirv; /* the module of variables; NULL if there are none */
};

/* The kernel with this function; NULL if there is none. */
struct cs_rt_kernel *cs_rt_kernel_of(const struct cs_rt_unit *unit, LLVMValueRef function);
int cs_rt_is_kernel(const struct cs_rt_unit *unit, LLVMValueRef function);

#endif
