/* pass.h: the state of one module's instrumentation, shared by the pass's files. */
#ifndef CUSAFE_PASS_PASS_H
#define CUSAFE_PASS_PASS_H

#include "pass/bridge.h"
#include "pass/ignore.h"
#include "pass/map.h"
#include "pass/sites.h"

/* The device functions that the pass calls. */
/* NVPTX's address spaces. */
enum {
  CS_PASS_SPACE_GENERIC,
  CS_PASS_SPACE_GLOBAL,
  CS_PASS_SPACE_SHARED = 3,
  CS_PASS_SPACE_CONSTANT,
  CS_PASS_SPACE_LOCAL
};

enum cs_pass_runtime {
#define CS_PASS_RUNTIME(id, name, signature) CS_PASS_RUNTIME_##id,
#include "pass/runtime.inc"
  CS_PASS_RUNTIME_COUNT
};

struct cs_pass_variable;

struct cs_pass {
  LLVMModuleRef module;
  LLVMContextRef context;
  LLVMTargetDataRef layout;
  LLVMBuilderRef builder;
  LLVMTypeRef i32, i64, ptr; /* ptr: generic */
  cs_u32 placement;
  int eliminations;             /* bits by enum cs_pass_reason */
  int statistics, unknown;      /* as in struct cs_pass_options */
  unsigned skips;               /* bits by enum cs_pass_skip */
  struct cs_pass_ignore ignore; /* what the user wants unchecked */
  int uses_heap;                /* kernels call malloc or free: words may change while they run */
  struct cs_pass_sites sites;
  struct cs_pass_map variables; /* objects.c: alloca or global -> struct cs_pass_variable */
  struct cs_pass_variable **order;
  size_t order_count, order_capacity;
  cs_u32 object_count;      /* module variables with a number */
  cs_u32 holder_count;      /* tables.c: variables that were given a name for the host */
  struct cs_pass_map reach; /* reach.c: function -> the only kernel that reaches it */
  LLVMValueRef runtime[CS_PASS_RUNTIME_COUNT];
  LLVMTypeRef runtime_type[CS_PASS_RUNTIME_COUNT];
};

/* runtime.c: declares the device functions; links their bitcode and hides them. Both return 0 or -1 with one sentence said. */
void cs_pass_runtime_declare(struct cs_pass *pass);
int cs_pass_runtime_link(struct cs_pass *pass, const char *file);
int cs_pass_is_ours(LLVMValueRef function); /* by its name */
LLVMValueRef cs_pass_runtime_call(struct cs_pass *pass, enum cs_pass_runtime function, LLVMValueRef *arguments);

/* Gives what is built next the instruction's source location, or none (line 0): a call that may be inlined needs one if its
 * function has debug information. The instruction may be NULL. */
void cs_pass_locate(struct cs_pass *pass, LLVMValueRef instruction, LLVMValueRef function);

/* reach.c: the only kernel from which the function can be called, or NULL. */
LLVMValueRef cs_pass_reaching_kernel(struct cs_pass *pass, LLVMValueRef function);
int cs_pass_is_kernel(LLVMValueRef function);

/* registers.c: holds the kernels to the registers that the file says they take without checks; "" is no file. Returns 0 or -1. */
int cs_pass_limit_registers(LLVMModuleRef module, const char *file);

/* attributes.c: takes back the promises that instrumentation breaks (memory effects, purity, non-capture). */
void cs_pass_strip_attributes(LLVMValueRef function);

/* function.c: the two halves of one function's instrumentation. Reading finds the roots, and notes which variables escape;
 * writing adds the checks, after objects.c has given those variables what they need. */
struct cs_pass_work;
struct cs_pass_work *cs_pass_function_read(struct cs_pass *pass, LLVMValueRef function,
                                           const struct cs_pass_analyses *analyses);
void cs_pass_function_write(struct cs_pass_work *work); /* frees it */

#endif
