/* copy.h: the one shape that every copy and every fill is brought into. */
#ifndef CUSAFE_CPU_COPY_H
#define CUSAFE_CPU_COPY_H

#include "cpu/cuda/internal.h"

/* One side of a copy: `rows` of `width` bytes a pitch apart, `slices` of them. */
struct cs_side {
  uint64_t start;
  size_t pitch, slice;
  int device_only; /* the call says that this is device memory, so plain host memory is an error */
};

struct cs_copy {
  struct cs_side to, from;
  size_t width, rows, slices;
};

/* Checks both sides and copies: now, when the call is synchronous or touches pageable memory, as a task otherwise. */
CUresult cs_copy(const struct cs_copy *copy, CUstream stream, int asynchronous);

/* Bytes from a side's first to its last, or -1 when that overflows. */
int cs_extent(size_t width, size_t rows, size_t slices, size_t pitch, size_t slice, size_t *extent);

#endif
