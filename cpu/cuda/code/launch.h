/* launch.h: launches as tasks. */
#ifndef CUSAFE_CPU_LAUNCH_H
#define CUSAFE_CPU_LAUNCH_H

#include <cuda.h>
#include <stddef.h>

struct cs_cpu_context;
struct cs_cpu_function;
struct cs_cpu_task;

struct cs_cpu_launch_config {
  unsigned grid[3], block[3];
  size_t dynamic;
  int cooperative;
};

/* Checks everything but the parameters, and makes the function ready. With a context, the function must belong to
 * it. */
CUresult cs_cpu_launch_check(struct cs_cpu_context *context, CUfunction handle,
                             const struct cs_cpu_launch_config *config, struct cs_cpu_function **function);
/* Copies the parameters, kernel->param_bytes in all, to their CUDA offsets. */
CUresult cs_cpu_launch_pack(const struct cs_cpu_function *function, char *to, void **params, void **extra);
/* A task with room for the parameters, and the address of that room. NULL when out of memory. */
struct cs_cpu_task *cs_cpu_launch_task(struct cs_cpu_function *function, const struct cs_cpu_launch_config *config,
                                       char **params);

#endif
