/* options.h: everything the CPU driver reads from the environment, read once. */
#ifndef CUSAFE_CPU_OPTIONS_H
#define CUSAFE_CPU_OPTIONS_H

#include <limits.h>
#include <stddef.h>

struct cs_cpu_options {
  int devices;   /* CUSAFE_CPU_DEVICES: how many devices to show, 1 ... CS_CPU_MAX_DEVICES */
  size_t memory; /* CUSAFE_CPU_MEMORY: bytes of memory each device has */
  size_t
      ahead; /* CUSAFE_CPU_TEST_AHEAD: blocks from which on their tests are made ahead (retarget/fast_path/ahead.c) */
  int optimize;      /* CUSAFE_CPU_OPTIMIZE: 0 has the engine compile kernels as they are */
  int eager_loading; /* CUDA_MODULE_LOADING=EAGER */
  int debug;         /* CUSAFE_CPU_DEBUG=1: kernels as a debugger wants them, where modules have such code */
  /* Where compiled modules are kept, and how many bytes of them: CUDA_CACHE_PATH, CUDA_CACHE_MAXSIZE. Empty when
   * CUDA_CACHE_DISABLE is set, or when there is no place. */
  char cache[PATH_MAX];
  size_t cache_bytes;
};

/* Never NULL; the same object at every call. */
const struct cs_cpu_options *cs_cpu_options(void);

/* Points the ICD loader to CuSafe's engine (cusafe/engine_paths.inc) unless the user already chose one. Must run before the
 * first OpenCL call. */
void cs_cpu_options_choose_engine(void);

#endif
