/* fill.h: fills: rows of count elements of 1, 2 or 4 bytes. */
#ifndef CUSAFE_CPU_FILL_H
#define CUSAFE_CPU_FILL_H

#include <cuda.h>

struct cs_cpu_task;

CUresult cs_cpu_fill_check(const CUDA_MEMSET_NODE_PARAMS *fill);
struct cs_cpu_task *cs_cpu_fill_task(const CUDA_MEMSET_NODE_PARAMS *fill);

#endif
