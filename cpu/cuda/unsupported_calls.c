/* unsupported_calls.c: documented calls that the CPU device does not have. They ignore their arguments and so need no
 * prototypes, which is why this file does not include cuda.h. */

int cs_cpu_unsupported(const char *name); /* CUresult, an enumeration, is an int to the caller */

#define CS_CPU_RUNS(...)
#define CS_CPU_LACKS(name, symbol, since, is_per_thread)                                                               \
  int symbol(void);                                                                                                    \
  int symbol(void) {                                                                                                   \
    return cs_cpu_unsupported(#symbol);                                                                                \
  }
#include "cpu/cuda/entry_points.inc"
