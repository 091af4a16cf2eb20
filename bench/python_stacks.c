/* python_stacks.c: records the same host stack many times, for bench/python_stacks.py. */
#include "host/stacks/stack.h"
#include <time.h>

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec + (double)now.tv_nsec * 1e-9;
}

/* Processor time of a stack in seconds, or -1 if none was recorded. */
__attribute__((visibility("default"))) double bench_stacks(unsigned count);
double bench_stacks(unsigned count) {
  double start = seconds();
  for (unsigned i = 0; i < count; i++)
    if (!cs_host_stack_here())
      return -1;
  return (seconds() - start) / count;
}
