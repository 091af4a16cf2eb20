/* unsupported.h: how the driver refuses what the CPU device does not have. */
#ifndef CUSAFE_CPU_UNSUPPORTED_H
#define CUSAFE_CPU_UNSUPPORTED_H

#include <cuda.h>

/* Prints "cusafe: NAME is not supported on the CPU device", once for each name, unless it is a feature that programs
 * try; returns CUDA_ERROR_NOT_SUPPORTED. */
CUresult cs_cpu_unsupported(const char *name);

#endif
