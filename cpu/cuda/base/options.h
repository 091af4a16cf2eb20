/* options.h: everything the CPU driver reads from the environment, read once. */
#ifndef CUSAFE_CPU_OPTIONS_H
#define CUSAFE_CPU_OPTIONS_H

#include <limits.h>
#include <stddef.h>
#include <stdint.h>

struct cs_cpu_options {
  int devices;       /* CUSAFE_CPU_DEVICES: number of devices, 1 ... CS_CPU_MAX_DEVICES */
  size_t memory;     /* CUSAFE_CPU_MEMORY: bytes of memory of each device */
  int timeout;       /* CUSAFE_CPU_TIMEOUT: seconds after which a kernel is given up; 0: never */
  int optimize;      /* CUSAFE_CPU_OPTIMIZE: 0 disables the engine's optimisations */
  int eager_loading; /* CUDA_MODULE_LOADING=EAGER */
  int refused_fails; /* CUSAFE_CPU_REFUSED: 0: a run in which launches were refused may succeed */
  int debug;         /* CUSAFE_CPU_DEBUG=1: the code for debuggers, in modules that have it */
};

/* Never NULL. */
const struct cs_cpu_options *cs_cpu_options(void);

/* CUSAFE_CPU_ANOMALY, or NULL; see anomaly.h. NULL in set-user-ID programs. */
const char *cs_cpu_options_anomaly(void);

/* Points the ICD loader to CuSafe's engine (cusafe/engine_paths.inc) unless the user already chose one, and sets the
 * engine's own variables. Must run before the first OpenCL call. */
void cs_cpu_options_choose_engine(void);

/* Stands for the engine's variables, after cs_cpu_options_choose_engine: what it compiles depends on them. */
uint64_t cs_cpu_options_engine_settings(void);

#endif
