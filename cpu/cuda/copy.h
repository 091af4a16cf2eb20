/* copy.h: the one shape that every copy and every fill is brought into. */
#ifndef CUSAFE_CPU_COPY_H
#define CUSAFE_CPU_COPY_H

#include "cpu/cuda/internal.h"

/* One side of a copy: `rows` of `width` bytes a pitch apart, `slices` of them. */
struct cs_cpu_side {
  uint64_t start;
  size_t pitch, slice;
  int device_only; /* the call says that this is device memory, so plain host memory is an error */
};

struct cs_cpu_copy {
  struct cs_cpu_side to, from;
  size_t width, rows, slices;
};

/* From the program's description to the shape; CUDA arrays become the memory behind them. Nothing is empty. */
CUresult cs_cpu_copy_shape(const CUDA_MEMCPY3D *what, struct cs_cpu_copy *copy);
/* Whether both sides lie in known memory, and whether one of them is plain host memory. */
CUresult cs_cpu_copy_check(const struct cs_cpu_copy *copy, int *pageable);
struct cs_cpu_task *cs_cpu_copy_task(const struct cs_cpu_copy *copy);
/* Checks both sides and copies: now, when the call is synchronous or touches pageable memory, as a task otherwise, as a node
 * in a capture. */
CUresult cs_cpu_copy(const CUDA_MEMCPY3D *what, CUstream stream, int asynchronous);

/* A fill: rows of count elements of 1, 2 or 4 bytes. */
CUresult cs_cpu_fill_check(const CUDA_MEMSET_NODE_PARAMS *fill);
struct cs_cpu_task *cs_cpu_fill_task(const CUDA_MEMSET_NODE_PARAMS *fill);

/* Bytes from a side's first to its last, or -1 when that overflows. */
int cs_cpu_extent(size_t width, size_t rows, size_t slices, size_t pitch, size_t slice, size_t *extent);

#endif
