/* unsupported.c: runtime calls that are not supported: graphics, sharing between processes and drivers, and a few more.
 * They ignore their arguments, and the caller passes and removes those in the calling conventions of all platforms of
 * CUDA, so the functions need no prototypes and the list can be names alone. That is why this file does not include
 * CUDA's headers. */
int cs_cudart_unsupported(const char *name);

#define CS_UNSUPPORTED(name)                                                                                           \
  int name(void);                                                                                                      \
  int name(void) {                                                                                                     \
    return cs_cudart_unsupported(#name);                                                                               \
  }
#include "cpu/cudart/unsupported.inc"
