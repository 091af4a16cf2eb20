/* kernel_filter.h: the kernels that the options kernel and kernel_regex choose, by name. */
#ifndef CUSAFE_HOST_FINDINGS_KERNEL_FILTER_H
#define CUSAFE_HOST_FINDINGS_KERNEL_FILTER_H

#include <stddef.h>

/* Compiles the options; ends the process with one sentence if kernel_regex is not a regular expression. */
void cs_host_kernel_filter_open(void);

/* Whether errors in a kernel of this name (demangled; NULL: unknown) count. */
int cs_host_kernel_filter_accepts(const char *name);

/* The plain name of "void ns::scale<int>(int*)" is "ns::scale"; a namespace may be "(anonymous namespace)". Returns its
 * start, and its length in *length. */
const char *cs_host_kernel_plain_name(const char *demangled, size_t *length);

#endif
