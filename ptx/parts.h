/* parts.h: the text of large modules in parts: their variables, and each kernel with the functions that it reaches. */
#ifndef CUSAFE_PTX_PARTS_H
#define CUSAFE_PTX_PARTS_H

#include <stddef.h>

struct cs_ptx_parts;

/* Finds the variables, functions and kernels of modules that are linked to one. NULL if they have to stay whole,
 * because the numbers that replace the addresses of functions are those of one translation, because modules have
 * variables or kernels of their own with the same name, or because a text has a form that other compilers than NVIDIA's
 * would write; or without memory. The texts are not copied. */
struct cs_ptx_parts *cs_ptx_parts_open(const char *const *texts, size_t count);
void cs_ptx_parts_close(struct cs_ptx_parts *parts);

/* The names of the kernels. */
const char *const *cs_ptx_parts_kernels(const struct cs_ptx_parts *parts, size_t *count);
/* Whether the modules define all functions and variables that they declare, but for those that CUDA provides. */
int cs_ptx_parts_are_complete(const struct cs_ptx_parts *parts);

/* Modules to link, at most one of each module; freed by cs_ptx_part_free. Without texts if there is no memory. */
struct cs_ptx_part {
  char **texts;
  size_t count;
};
/* The variables. */
struct cs_ptx_part cs_ptx_parts_variables(const struct cs_ptx_parts *parts);
/* The kernel and what it reaches, to which the variables are external. Without texts if there is no such kernel. */
struct cs_ptx_part cs_ptx_parts_kernel(const struct cs_ptx_parts *parts, const char *name);
void cs_ptx_part_free(struct cs_ptx_part *part);

#endif
