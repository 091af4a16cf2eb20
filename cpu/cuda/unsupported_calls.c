/* unsupported_calls.c: documented calls that the CPU device does not have. They ignore their arguments and so need no
 * prototypes, which is why this file does not include cuda.h. */

int cs_cpu_unsupported(const char *name); /* CUresult, an enumeration, is an int to the caller */

#define CS_UNSUPPORTED(name, symbol, since)                                                                            \
  int symbol(void);                                                                                                    \
  int symbol(void) {                                                                                                   \
    return cs_cpu_unsupported(#symbol);                                                                                \
  }
#define CS_UNSUPPORTED_STREAM(name, symbol, since) CS_UNSUPPORTED(name, symbol, since)
#include "cpu/cuda/unsupported.inc"
