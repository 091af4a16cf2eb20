/* parts.h: the text of a large module in parts: its variables, and each kernel with the functions that it reaches. */
#ifndef CUSAFE_PTX_PARTS_H
#define CUSAFE_PTX_PARTS_H

#include <stddef.h>

struct cs_ptx_parts;

/* Finds the module's variables, functions and kernels. NULL if the module has to stay whole, because the numbers that
 * replace the addresses of functions are those of one translation, or because its text has a form that other compilers
 * than NVIDIA's would write; or without memory. The text is not copied. */
struct cs_ptx_parts *cs_ptx_parts_open(const char *text);
void cs_ptx_parts_close(struct cs_ptx_parts *parts);

/* The names of the kernels. */
const char *const *cs_ptx_parts_kernels(const struct cs_ptx_parts *parts, size_t *count);

/* A module with the variables, for the caller to free; NULL without memory. */
char *cs_ptx_parts_variables(const struct cs_ptx_parts *parts);
/* A module with the kernel and what it reaches, to which the variables are external; NULL if there is no such kernel,
 * or no memory. */
char *cs_ptx_parts_kernel(const struct cs_ptx_parts *parts, const char *name);

#endif
