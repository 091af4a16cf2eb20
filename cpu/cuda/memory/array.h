/* array.h: CUDA arrays: texels in rows, rows in slices, slices or layers in memory. */
#ifndef CUSAFE_CPU_ARRAY_H
#define CUSAFE_CPU_ARRAY_H

#include "cpu/cuda/memory/allocation.h"
#include "cusafe/layout.h"
#include <cuda.h>
#include <stddef.h>
#include <stdint.h>

#define CS_CPU_MAX_LEVELS 18u /* of the largest array that can be created */

/* What both kinds of array begin with. */
struct cs_cpu_listed {
  uint32_t magic;
  struct cs_cpu_context *context;
  struct cs_cpu_listed *next; /* of the context, under cs_cpu_context_lock(); a mipmap's levels are in no list */
};

struct cs_cpu_array {
  struct cs_cpu_listed listed;
  CUDA_ARRAY3D_DESCRIPTOR descriptor; /* as the program gave it */
  struct cs_cpu_allocation *memory;
  struct cs_cpu_mipmap *mipmap; /* whose level this is, or NULL */
  size_t element;               /* bytes of a texel */
  size_t width, height, depth;  /* at least 1; the layers are the depth of a layered array */
  size_t pitch, slice;
};

struct cs_cpu_mipmap {
  struct cs_cpu_listed listed;
  unsigned count;
  struct cs_cpu_array *levels[CS_CPU_MAX_LEVELS];
};

/* A texel format and its channels. */
struct cs_cpu_format {
  CUarray_format format;
  cs_u32 channel, bytes, channels;
  int fraction;
};
/* NULL, after it has printed one sentence, when the device does not have the format. */
const struct cs_cpu_format *cs_cpu_format_find(CUarray_format format);

CUresult cs_cpu_array_of(CUarray handle, struct cs_cpu_array **array);
CUresult cs_cpu_mipmap_of(CUmipmappedArray handle, struct cs_cpu_mipmap **mipmap);
static inline uint64_t cs_cpu_array_address(const struct cs_cpu_array *array) {
  return array->memory->range.start;
}
/* Destroys all arrays of a context. */
void cs_cpu_arrays_close(struct cs_cpu_context *context);

#endif
