/* lift.h: modules that are PTX text. */
#ifndef CUSAFE_CPU_LIFT_H
#define CUSAFE_CPU_LIFT_H

#include <cuda.h>
#include <stddef.h>

/* The image of PTX modules, linked if there are several, to be freed by the caller: from the cache, or made by `cusafe
 * lift` in another process. `part`: the variables that they declare are another image's. Checked if libcusafe is in
 * this process, and expects it (cusafe/lifts.h). CUDA_ERROR_INVALID_PTX, after the reason was printed, if it cannot be
 * made. */
CUresult cs_cpu_lift(const char *const *ptx, size_t count, int part, void **image);

#endif
