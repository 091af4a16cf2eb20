/* api.h: CUDA's own declarations. */
#ifndef CUSAFE_CUDART_API_H
#define CUSAFE_CUDART_API_H

/* CUDA's own switch for the library that defines both spellings of a call: plain, and _ptsz/_ptds for programs built
 * with a default stream per thread. */
#define __CUDA_API_VERSION_INTERNAL
#include <cuda_profiler_api.h>
#include <cuda_runtime_api.h>
#include <cudaProfilerTypedefs.h>
#include <cudaTypedefs.h>

#endif
