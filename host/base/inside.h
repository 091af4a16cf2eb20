/* inside.h: whether this thread is inside one of CuSafe's wrappers. A driver that calls its own exported functions then
 * reaches them, and not CuSafe. */
#ifndef CUSAFE_HOST_BASE_INSIDE_H
#define CUSAFE_HOST_BASE_INSIDE_H

#include "host/base/degraded.h"

extern _Thread_local int cs_host_inside_depth __attribute__((tls_model("initial-exec"), visibility("hidden")));

/* 1 in a forked child of a process that used the driver. The driver does not work there, and threads that do not exist
 * in the child may hold CuSafe's locks, so CuSafe passes every call on. */
extern int cs_host_inherited __attribute__((visibility("hidden")));

static inline int cs_host_inside(void) {
  return cs_host_inside_depth;
}
static inline void cs_host_inside_enter(void) {
  cs_host_inside_depth++;
}
static inline void cs_host_inside_leave(void) {
  if (cs_host_inside_depth == 1)
    cs_host_owes_nothing("a call", 0);
  cs_host_inside_depth--;
}

#endif
