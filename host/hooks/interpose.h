/* interpose.h: the table from driver symbols to CuSafe's wrappers. */
#ifndef CUSAFE_HOST_HOOKS_INTERPOSE_H
#define CUSAFE_HOST_HOOKS_INTERPOSE_H

#include <stddef.h>

/* An interposed symbol of base/calls.inc, for the two ways in which programs look up functions: dlsym and
 * cuGetProcAddress. */
struct cs_host_hook {
  const char *base, *symbol;
  int version;
  int per_thread; /* a _ptsz or _ptds variant */
  size_t offset;  /* of the real function in struct cs_host_driver */
  void (*wrapper)(void);
};

/* The hook for this symbol, or NULL when CuSafe does not interpose it. */
const struct cs_host_hook *cs_host_hook_named(const char *symbol);

#endif
