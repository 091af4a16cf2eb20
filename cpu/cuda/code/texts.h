/* texts.h: the kernels of PTX modules that are not lifted whole: each is lifted when it is first wanted. */
#ifndef CUSAFE_CPU_TEXTS_H
#define CUSAFE_CPU_TEXTS_H

#include <cuda.h>
#include <stddef.h>

struct cs_cpu_texts;

/* Modules that are linked. NULL if they have to be lifted whole (ptx/parts.h), or without memory. */
struct cs_cpu_texts *cs_cpu_texts_open(const char *const *ptx, size_t count);
void cs_cpu_texts_close(struct cs_cpu_texts *texts);

/* Whether the modules define all that they declare. */
int cs_cpu_texts_are_complete(const struct cs_cpu_texts *texts);

/* The names of the kernels. Without texts there are none. */
const char *const *cs_cpu_texts_kernels(const struct cs_cpu_texts *texts, size_t *count);

/* The image of the variables, and that of one kernel, to which they are external; for the caller to free.
 * CUDA_ERROR_NOT_FOUND if there is no such kernel. */
CUresult cs_cpu_texts_variables(const struct cs_cpu_texts *texts, void **image);
CUresult cs_cpu_texts_kernel(const struct cs_cpu_texts *texts, const char *name, void **image);

#endif
