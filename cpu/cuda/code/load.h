/* load.h: what programs pass to the calls that load modules and libraries. */
#ifndef CUSAFE_CPU_LOAD_H
#define CUSAFE_CPU_LOAD_H

#include "cusafe/image.h"
#include <cuda.h>
#include <stddef.h>

struct cs_cpu_texts;

/* The code of a module or library. */
struct cs_cpu_given {
  const struct cs_image *image;
  void *lifted;              /* the image, if it is made of PTX; else NULL */
  struct cs_cpu_texts *rest; /* kernels that are lifted when they are wanted; NULL: the image has all */
};

/* The image in `data`: a device image, PTX text, or a fat binary, each with or without NVIDIA's wrapper, or what
 * cs_cpu_load_link has made. PTX is lifted to an image; of large modules, or those with code that cannot be lifted,
 * only the variables, and the kernels are given as text. Code that cannot be loaded is an error, after one sentence. */
CUresult cs_cpu_load(const void *data, struct cs_cpu_given *given);
/* Frees what has not been taken, by setting it to NULL. */
void cs_cpu_load_end(struct cs_cpu_given *given);

/* The PTX of the highest architecture in a fat binary of at most `bytes` bytes, to be freed by the caller. */
CUresult cs_cpu_load_ptx(const void *container, size_t bytes, char **text);
/* PTX modules, linked, to be freed by the caller: an image or, of large modules, their texts. */
CUresult cs_cpu_load_link(const char *const *ptx, size_t count, void **made, size_t *bytes);

#endif
