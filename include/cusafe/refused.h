/* refused.h: launches that the CPU device refuses because it cannot run the kernel's code, though a GPU could. Its
 * driver exports these functions; the runtime library and libcusafe look them up. Any thread. */
#ifndef CUSAFE_REFUSED_H
#define CUSAFE_REFUSED_H

/* How many of this thread's calls failed because the CPU device cannot run the code that they concern. */
#define CS_REFUSALS "cusafe_refusals"
typedef unsigned long long cs_refusals(void);
cs_refusals cusafe_refusals;

/* A launch of this kernel (a mangled name) failed for that reason, before the driver was called. */
#define CS_LAUNCH_REFUSED "cusafe_launch_refused"
typedef void cs_launch_refused(const char *kernel);
cs_launch_refused cusafe_launch_refused;

/* The process ends: prints a sentence if launches were refused, once. Returns whether a program that succeeded must
 * fail because of that. May run in a signal handler. */
#define CS_REFUSED "cusafe_refused"
typedef int cs_refused(void);
cs_refused cusafe_refused;

#endif
