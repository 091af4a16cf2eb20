/* pass.h: the state of one module's instrumentation, shared by all steps (pipeline.inc). */
#ifndef CUSAFE_PASS_MODULE_PASS_H
#define CUSAFE_PASS_MODULE_PASS_H

#include "cusafe/ir.h"
#include "ir/map.h"
#include "pass/bridge/bridge.h"
#include "pass/module/ignore.h"
#include "pass/module/options.h"
#include "pass/module/sites.h"

/* The device functions that the pass calls. */
enum cs_pass_runtime {
#define CS_PASS_RUNTIME(id, name, signature) CS_PASS_RUNTIME_##id,
#include "pass/module/device_functions.inc"
  CS_PASS_RUNTIME_COUNT
};

struct cs_pass_detector;
struct cs_pass_form;
struct cs_pass_function;
struct cs_pass_slot;
struct cs_pass_variable;

struct cs_pass {
  LLVMModuleRef module;
  const struct cs_pass_options *options;
  const struct cs_pass_detector *const *detectors; /* detectors.inc; ends with NULL */
  cs_pass_get_analyses get_analyses;
  void *analyses_owner; /* its first argument */

  LLVMContextRef context;
  LLVMTargetDataRef layout;
  LLVMBuilderRef builder;
  LLVMTypeRef i32, i64, ptr; /* ptr: generic */

  /* Filled by the steps of the instrumentation. */
  cs_u32 placement;
  int eliminations;                   /* bits by enum cs_pass_reason */
  struct cs_pass_ignore ignore;       /* what the user leaves unchecked */
  int uses_heap;                      /* kernels call malloc or free: metadata words may change while they run */
  int finds_races;                    /* --detect=race */
  int finds_uninitialised;            /* --detect=init */
  struct cs_pass_function *functions; /* those with bodies that are not CuSafe's own */
  size_t function_count;
  struct cs_pass_sites sites;
  struct cs_ir_map variables; /* objects.c: alloca or global -> struct cs_pass_variable */
  struct cs_pass_variable **order;
  size_t order_count;
  cs_u32 object_count;        /* module variables with a number */
  struct cs_pass_slot *slots; /* tables.c: pointers in initialisers */
  size_t slot_count;
  cs_u32 holder_count;        /* tables.c: variables that were given a name for the host */
  struct cs_ir_map reached;   /* kernels.c: function -> the only kernel that reaches it */
  struct cs_pass_form *forms; /* launch/forms.h */
  size_t form_count;
  LLVMValueRef runtime[CS_PASS_RUNTIME_COUNT];
  LLVMTypeRef runtime_type[CS_PASS_RUNTIME_COUNT];
};

#endif
