/* function.h: from a function handle to the function. */
#ifndef CUSAFE_CPU_FUNCTION_H
#define CUSAFE_CPU_FUNCTION_H

#include <cuda.h>

struct cs_cpu_function;

/* Accepts kernel handles, too, as cuLaunchKernel does. */
CUresult cs_cpu_function_of(CUfunction handle, struct cs_cpu_function **function);

#endif
