/* copy.h: the one shape of all copies, and the task that copies. */
#ifndef CUSAFE_CPU_COPY_H
#define CUSAFE_CPU_COPY_H

#include <cuda.h>
#include <stddef.h>
#include <stdint.h>

struct cs_cpu_task;

/* One side of a copy: `rows` of `width` bytes a pitch apart, `slices` of them. */
struct cs_cpu_side {
  uint64_t start;
  size_t pitch, slice;
  int device_only; /* the call specifies device memory, so plain host memory is an error */
};

struct cs_cpu_copy {
  struct cs_cpu_side to, from;
  size_t width, rows, slices;
};

/* From the program's description, which is not empty, to the shape; a CUDA array becomes its memory. */
CUresult cs_cpu_copy_shape(const CUDA_MEMCPY3D *what, struct cs_cpu_copy *copy);
/* Whether both sides are in known memory, and whether one of them is plain host memory. */
CUresult cs_cpu_copy_check(const struct cs_cpu_copy *copy, int *pageable);
/* Copies on the calling thread. */
void cs_cpu_copy_now(const struct cs_cpu_copy *copy);
struct cs_cpu_task *cs_cpu_copy_task(const struct cs_cpu_copy *copy);

/* Stores the bytes from a side's first to its last. 0, or -1 when that overflows. */
int cs_cpu_extent(size_t width, size_t rows, size_t slices, size_t pitch, size_t slice, size_t *extent);

#endif
