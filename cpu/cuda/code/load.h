/* load.h: what programs pass to the calls that load modules and libraries. */
#ifndef CUSAFE_CPU_LOAD_H
#define CUSAFE_CPU_LOAD_H

#include "cusafe/image.h"
#include <cuda.h>
#include <stddef.h>

/* The image in `data`: a device image, PTX text, or a fat binary, each with or without NVIDIA's wrapper. PTX is lifted to an image, which
 * is returned in *lifted and belongs to the caller; otherwise *lifted is NULL. Code that cannot be loaded is an error, after one sentence. */
CUresult cs_cpu_load(const void *data, const struct cs_image **image, void **lifted);

/* The PTX of the highest architecture in a fat binary of at most `bytes` bytes, to be freed by the caller. */
CUresult cs_cpu_load_ptx(const void *container, size_t bytes, char **text);
/* The image of PTX modules, linked, to be freed by the caller. */
CUresult cs_cpu_load_lifted(const char *const *ptx, size_t count, void **lifted);

#endif
