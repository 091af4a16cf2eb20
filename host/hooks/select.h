/* select.h: the launches that count, when the options kernel, kernel_regex, launch_skip and launch_count select some,
 * or the program turns checks off (cusafe/cusafe.h).
 *
 * The device records the first error of each kind at each site, so errors of launches that do not count must be
 * discarded before one that counts starts. Between a launch that counts and one that does not, in either order, CuSafe
 * waits for the device; all other launches run without waiting. */
#ifndef CUSAFE_HOST_HOOKS_SELECT_H
#define CUSAFE_HOST_HOOKS_SELECT_H

#include "host/base/driver.h"

/* Reads the options; ends the process with one sentence if kernel_regex is not a regular expression. */
void cs_host_select_open(void);

/* Whether some launches may not count. */
int cs_host_select_counts(void);
/* This kernel is about to be launched. Returns 1 if the launch counts. */
int cs_host_select_launch(CUfunction function, CUstream stream);
/* The program turns the checks of this thread, or of a stream, off or on. */
void cs_host_select_thread(int on);
void cs_host_select_stream(CUstream stream, int on);
void cs_host_select_stream_ended(CUstream stream); /* its handle may become another stream's */
/* Whether the program has turned off the checks of what this thread queues in this stream. */
int cs_host_select_is_off(CUstream stream);

/* A graph, whose kernels are unknown, is about to be launched. */
void cs_host_select_graph(void);

/* At the end of the process: prints one line if the options selected none of the launches, mostly because of a misspelt
 * name. */
void cs_host_select_print(void);

#endif
