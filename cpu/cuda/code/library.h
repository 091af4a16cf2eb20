/* library.h: libraries, whose kernels become functions in each context that uses them. */
#ifndef CUSAFE_CPU_LIBRARY_H
#define CUSAFE_CPU_LIBRARY_H

#include <cuda.h>

struct cs_cpu_context;
struct cs_cpu_function;

/* The function for a kernel handle in the current context. */
CUresult cs_cpu_kernel_function(CUkernel handle, struct cs_cpu_function **function);
/* The context ends, and its modules with it. */
void cs_cpu_libraries_forget(struct cs_cpu_context *context);

#endif
