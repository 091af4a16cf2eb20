/* copy_calls.h: the function that all copy calls share. */
#ifndef CUSAFE_CPU_COPY_CALLS_H
#define CUSAFE_CPU_COPY_CALLS_H

#include <cuda.h>

/* Checks both sides and copies: now, when the call is synchronous or touches pageable memory; as a task otherwise; as a
 * node in a capture. */
CUresult cs_cpu_copy(const CUDA_MEMCPY3D *what, CUstream stream, int asynchronous);

#endif
