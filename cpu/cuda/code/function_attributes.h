/* function_attributes.h: what can be queried of and set on a function. */
#ifndef CUSAFE_CPU_FUNCTION_ATTRIBUTES_H
#define CUSAFE_CPU_FUNCTION_ATTRIBUTES_H

#include <cuda.h>
#include <stddef.h>

struct cs_cpu_function;

CUresult cs_cpu_function_attribute(struct cs_cpu_function *function, CUfunction_attribute attribute, int *value);
CUresult cs_cpu_function_set(struct cs_cpu_function *function, CUfunction_attribute attribute, int value);
/* The limit of the device and of the kernel's __launch_bounds__. */
int cs_cpu_function_max_threads(const struct cs_cpu_function *function);
/* Blocks that a multiprocessor can hold at a time. */
int cs_cpu_resident_blocks(const struct cs_cpu_function *function, int threads, size_t dynamic);
/* Maximum shared memory that a block can opt in to. */
size_t cs_cpu_shared_optin(void);

#endif
