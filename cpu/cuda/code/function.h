/* function.h: from a function handle to the function. */
#ifndef CUSAFE_CPU_FUNCTION_H
#define CUSAFE_CPU_FUNCTION_H

#include <cuda.h>

struct cs_cpu_function;

/* A function handle, or a kernel handle as cuLaunchKernel also takes it. */
CUresult cs_cpu_function_of(CUfunction handle, struct cs_cpu_function **function);

#endif
