/* select.h: which launches count, when the options kernel, kernel_regex, launch_skip and launch_count choose some.
 *
 * The device records the first error of each kind at each place, so errors of launches that do not count must be thrown away
 * before one that does begins. Where a launch that counts follows one that does not, and the other way round, the device is
 * waited for; all others run as they would. */
#ifndef CUSAFE_HOST_HOOKS_SELECT_H
#define CUSAFE_HOST_HOOKS_SELECT_H

#include "host/base/driver.h"

/* Compiles the options; ends the process with one sentence if the regular expression is not one. */
void cs_host_select_open(void);

/* This kernel is about to be launched. Returns 1 if the launch counts. */
int cs_host_select_launch(CUfunction function, CUstream stream);
/* A graph, whose kernels are not known. */
void cs_host_select_graph(void);

/* At the end: one line if the options have chosen none of the launches, which is mostly a mistake in a name. */
void cs_host_select_print(void);

#endif
