/* refused.h: what the CPU device refuses, though a GPU could run it: launches of kernels whose code it cannot run, and
 * calls of libraries that it does not have. Its driver exports these functions; the runtime library and libcusafe look
 * them up, and the stand-ins for libraries are linked with them. Any thread. */
#ifndef CUSAFE_REFUSED_H
#define CUSAFE_REFUSED_H

/* How many of this thread's calls failed because the CPU device cannot run the code that they concern. */
#define CS_REFUSALS "cusafe_refusals"
typedef unsigned long long cs_refusals(void);
cs_refusals cusafe_refusals;

/* With 1, and until 0, this thread loads modules that the program may never use: those that the CPU device cannot run
 * are refused without a sentence. */
#define CS_LOADS_AHEAD "cusafe_loads_ahead"
typedef void cs_loads_ahead(int on);
cs_loads_ahead cusafe_loads_ahead;

/* A launch of this kernel (a mangled name) failed for that reason, before the driver was called. */
#define CS_LAUNCH_REFUSED "cusafe_launch_refused"
typedef void cs_launch_refused(const char *kernel);
cs_launch_refused cusafe_launch_refused;

/* A call of a library fails because the CPU device does not have it: prints it once for each call. */
struct cs_library_refusal {
  const char *library, *call, *status; /* the product, the call, and the name of its result */
  int is_work;                         /* the call computes: its results are missing */
  const char *reason;                  /* what follows "because"; NULL if the whole library is missing */
};
void cusafe_library_refused(const struct cs_library_refusal *refusal);

/* The process ends: prints a sentence if launches or calls of libraries were refused, once. Returns whether a program
 * that succeeded must fail because of that. May run in a signal handler. */
#define CS_REFUSED "cusafe_refused"
typedef int cs_refused(void);
cs_refused cusafe_refused;

#endif
