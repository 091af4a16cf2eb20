/* kernel_name.h: kernels' names in messages. */
#ifndef CUSAFE_CPU_KERNEL_NAME_H
#define CUSAFE_CPU_KERNEL_NAME_H

/* The kernel's own name, whichever form runs: by the demangler of the program, if it is in C++; else the mangled name.
 * The caller frees it; NULL without memory. */
char *cs_cpu_kernel_name(const char *mangled);

#endif
