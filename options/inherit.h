/* inherit.h: what a process leaves for the programs that it executes, in its environment and, for report files, under
 * its process ID. One thread at a time: `cusafe run`, and libcusafe while it is loaded. */
#ifndef CUSAFE_OPTIONS_INHERIT_H
#define CUSAFE_OPTIONS_INHERIT_H

#include "options/options.h"

/* Adds an option to CUSAFE_OPTIONS; later ones win. A value must not contain both kinds of quotes. */
void cs_options_add(const char *name, const char *value);

/* Adds the absolute names of files with relative ones, because a program may change its folder before its first CUDA
 * call. */
void cs_options_make_absolute(const struct cs_options *options);

/* The report files that this process, or one that it descends from, has begun. They are continued, never begun again: a
 * child with the same options would otherwise delete its parent's findings. The file must exist. */
int cs_options_is_begun(const char *path);
void cs_options_set_begun(const char *path);

#endif
