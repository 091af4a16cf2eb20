/* main.c: cusafe-retarget: CUDA device bitcode in, a device image for the CPU driver out. The list of steps. */
#include "retarget/retarget.h"
#include <llvm-c/Target.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int warm_up(struct cs_rt_unit *unit) {
  cs_rt_bridge_warm_up(unit->module);
  return 0;
}
static int strip_attributes(struct cs_rt_unit *unit) {
  cs_rt_bridge_strip_attributes(unit->module);
  return 0;
}
static int keep_reachable(struct cs_rt_unit *unit) {
  LLVMValueRef *keep = cs_rt_allocate(2 * (size_t)unit->kernel_count + 1, sizeof *keep);
  unsigned count = 0;
  for (unsigned i = 0; i < unit->kernel_count; i++) {
    keep[count++] = unit->kernels[i].function;
    if (unit->kernels[i].test)
      keep[count++] = unit->kernels[i].test;
  }
  if (unit->globals_kernel)
    keep[count++] = unit->globals_kernel;
  cs_rt_bridge_internalize(unit->module, keep, count);
  free(keep);
  return 0;
}
static int lower_device_calls(struct cs_rt_unit *unit) {
  return cs_rt_lower_calls(unit, CS_RT_DEVICE_CALLS);
}
static int lower_all_calls(struct cs_rt_unit *unit) {
  return cs_rt_lower_calls(unit, CS_RT_ALL_CALLS);
}
static int simplify(struct cs_rt_unit *unit) {
  return cs_rt_run_passes(unit, "verify,function(scalarize-masked-mem-intrin,sroa,early-cse,instcombine<no-verify-"
                                "fixpoint>,simplifycfg,early-cse,scalarizer<load-store>,"
                                "instcombine<no-verify-fixpoint>,simplifycfg,adce),globaldce");
}
/* Nothing from here on may make intrinsics that are not in the table. */
static int clean_up(struct cs_rt_unit *unit) {
  return cs_rt_run_passes(unit, "verify,function(sroa,early-cse,simplifycfg,adce),globaldce");
}
static int split_aggregates(struct cs_rt_unit *unit) {
  cs_rt_bridge_split_aggregates(unit->module);
  return 0;
}
static int make_reducible(struct cs_rt_unit *unit) {
  cs_rt_bridge_make_reducible(unit->module);
  return 0;
}
static int legalize(struct cs_rt_unit *unit) {
  cs_rt_bridge_split_aggregates(unit->module); /* the library's */
  cs_rt_bridge_widen_integers(unit->module);
  cs_rt_bridge_remove_undef(unit->module);
  cs_rt_bridge_global_atomics(unit->module);
  return 0;
}

/* In this order. What each needs of the ones before it is said beside it. */
static int (*const steps[])(struct cs_rt_unit *) = {
    warm_up,                         /* cold functions are not inlined */
    cs_rt_collect_kernels,           /* parameters as CUDA lays them out */
    cs_rt_collect_variables,         /* what the host may ask for */
    keep_reachable,                  /* refusals only for code that can run */
    cs_rt_resolve_function_pointers, /* from here on every call is direct */
    keep_reachable,                  /* functions that nobody points to any more */
    cs_rt_fix_initializers,          /* function numbers are known now */
    cs_rt_add_stops,                 /* calls of the library, for a debugger */
    lower_device_calls,              /* while __cs_ functions still have their names */
    cs_rt_wrap_kernels,              /* the calling convention of image.h */
    strip_attributes,                /* before anything is inlined: attributes of NVPTX's code do not hold any more */
    keep_reachable,                  /* of the library, too */
    cs_rt_inline,                    /* one function a kernel */
    simplify,                        /* the last step that may make new intrinsics */
    split_aggregates,                /* while an optimiser still follows */
    cs_rt_lower_exits,               /* an ended thread returns */
    clean_up,                        /* what follows the end of a thread */
    cs_rt_find_lock_step,            /* while shared variables have their names */
    cs_rt_lower_barriers,            /* wants special registers as intrinsics: they say what is uniform */
    cs_rt_test_ahead,                /* before there are more versions */
    cs_rt_add_versions,              /* wants them, too */
    cs_rt_lower_memory,              /* the library's loops are linked by the next step */
    lower_all_calls,                 /* no intrinsic is left that the back end does not take */
    strip_attributes,                /* the library's */
    cs_rt_place_dynamic_shared,      /* makes calls of a primitive */
    keep_reachable,                  /* of the library */
    cs_rt_inline,                    /* its functions, and the versions */
    clean_up,                        /* so that the arguments of primitives are constants */
    cs_rt_lower_launch,              /* the primitives */
    cs_rt_number_blocks,             /* of tests ahead, which have asked for their group */
    clean_up,                        /* their values */
    make_reducible,                  /* the last change of control flow: the optimiser would undo it */
    cs_rt_find_spins,                /* threads that wait for each other must not run in lock step */
    cs_rt_skip_cold_calls,           /* behind the optimiser, who would see through it */
    cs_rt_part_joins,                /* of whatever is still there */
    cs_rt_reach_variables,           /* from the launch's block, which every function has by now */
    cs_rt_settle_calls,              /* hints that inlining has made */
    cs_rt_pointers_as_integers,      /* in memory: the back end guesses pointees */
    legalize,                        /* integers, undefined values, atomics */
    cs_rt_anchor_shared,             /* expands the constants that name shared variables */
    cs_rt_check,                     /* refuses what is left */
    cs_rt_place_memory,              /* address spaces of variables and stacks */
    cs_rt_emit,                      /* SPIR-V */
};

static int usage(void) {
  fprintf(stderr, "usage: cusafe-retarget [-g] input.bc [input.bc ...] -o output.img\n"
                  "  -g  the image holds the code once more, for a debugger\n");
  return 1;
}

static void start_targets(void) {
  LLVMInitializeNVPTXTargetInfo();
  LLVMInitializeNVPTXTarget();
  LLVMInitializeNVPTXTargetMC();
  LLVMInitializeSPIRVTargetInfo();
  LLVMInitializeSPIRVTarget();
  LLVMInitializeSPIRVTargetMC();
  LLVMInitializeSPIRVAsmPrinter();
}

static int retarget(struct cs_rt_unit *unit, char **paths, int count) {
  if (cs_rt_read(unit, paths, count))
    return -1;
  for (size_t i = 0; i < sizeof steps / sizeof *steps; i++)
    if (steps[i](unit) || (unit->refusals && (i + 1 == sizeof steps / sizeof *steps || steps[i + 1] == cs_rt_emit)))
      return -1;
  return 0;
}

int main(int argc, char **argv) {
  int debug = argc > 1 && strcmp(argv[1], "-g") == 0, first = 1 + debug;
  if (argc - first < 3 || strcmp(argv[argc - 2], "-o") != 0)
    return usage();
  struct cs_rt_unit unit = {.context = LLVMContextCreate()}, debugged = {.context = LLVMContextCreate(), .debug = 1};
  start_targets();
  if (retarget(&unit, argv + first, argc - first - 2))
    return 1;
  if (debug && retarget(&debugged, argv + first, argc - first - 2)) {
    fprintf(stderr, "cusafe-retarget: the program runs, but its kernels have no lines for a debugger\n");
    debug = 0;
  }
  return cs_rt_write_image(&unit, debug ? &debugged : NULL, argv[argc - 1]) ? 1 : 0;
}
