/* names.h: names of kernels and sub-allocations, each kept once and for ever: a finding may need one after its module
 * is gone, and a module that is loaded again and again has the same names. Callers hold the lock of kernel.c. */
#ifndef CUSAFE_HOST_MODULES_NAMES_H
#define CUSAFE_HOST_MODULES_NAMES_H

/* The copy of this name; NULL when out of memory. */
const char *cs_host_name_keep(const char *name);

#endif
