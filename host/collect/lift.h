/* lift.h: checks for PTX that a program loads, where the driver compiles it as it is: on GPUs. */
#ifndef CUSAFE_HOST_COLLECT_LIFT_H
#define CUSAFE_HOST_COLLECT_LIFT_H

/* Whether PTX that the program loads gets checks, from the driver or from libcusafe. */
int cs_host_lifts(void);

/* Checked PTX to load in place of a module: PTX text, or a fat binary with PTX. Freed by the caller. NULL to load the
 * module as it is. */
char *cs_host_lift(const void *image);
/* The same for a file. */
char *cs_host_lift_file(const char *path);

#endif
