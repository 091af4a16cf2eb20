/* symbolize.h: host stacks with names and lines. Slow; for reports only. */
#ifndef CUSAFE_HOST_STACKS_SYMBOLIZE_H
#define CUSAFE_HOST_STACKS_SYMBOLIZE_H

#include "report/finding.h"

struct cs_host_trace {
  struct cs_stack stack;
  void *arena;
};

/* The stack of this number as the user sees it: frames of CuSafe, the runtime and the driver are omitted, except the
 * one named after the call that the user made. Python frames follow the frames of the code that Python called. Empty
 * for number 0. One caller at a time. */
void cs_host_symbolize(cs_u32 number, struct cs_host_trace *trace);
void cs_host_trace_release(struct cs_host_trace *trace);

/* Removes the compiler's launch stub from a launch's stack: it has the kernel's name and line, and calls the runtime.
 * kernel: the mangled name. */
void cs_host_trace_drop_stub(struct cs_host_trace *trace, const char *kernel);

#endif
